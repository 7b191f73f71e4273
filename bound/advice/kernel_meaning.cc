#include "bound/advice/kernel_meaning.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace xsp::bound {
namespace {

using Texts = std::span<const std::string_view>;

constexpr std::string_view kFrameworkTexts[] = {
    "at::native", "mxnet::", "mshadow::", "tensorflow::", "onnxruntime::", "caffe2::", "Eigen::internal::",
    "paddle::",   "phi::",   "c10::",     "cunn_",        "torch::",       "fbgemm"};
constexpr std::string_view kLibraryTexts[] = {"cudnn", "cublas", "xmma",     "nvjet",
                                              "gemm",  "gemv",   "winograd", "convolve_"};

struct ActionText {
  std::string_view text;  // in lower case
  KernelAction action;
};

/// Found anywhere in a name.
constexpr ActionText kActionTexts[] = {
    {"nchwtonhwc", KernelAction::kLayoutChange},
    {"nhwctonchw", KernelAction::kLayoutChange},
    {"nchw2nhwc", KernelAction::kLayoutChange},
    {"nhwc2nchw", KernelAction::kLayoutChange},
    {"swapdimension1and2intensor3", KernelAction::kTranspose},
    {"shuffleintensor3", KernelAction::kTranspose},
    {"scalar_cast_op", KernelAction::kCast},
    {"float16_copy_kernel", KernelAction::kCast},
    {"direct_copy_kernel", KernelAction::kCopy},
    {"copy_device_to_device", KernelAction::kCopy},
    {"mshadow_op::identity", KernelAction::kCopy},
};

/// Words of the kernel's own name.
constexpr ActionText kActionWords[] = {
    {"pad", KernelAction::kPad},           {"padding", KernelAction::kPad}, {"transpose", KernelAction::kTranspose},
    {"permute", KernelAction::kTranspose}, {"cast", KernelAction::kCast},   {"copy", KernelAction::kCopy},
};

struct KindText {
  std::string_view text;  // in lower case, found in the kernel's own name or the namespaces around it
  LayerKind kind;
};
constexpr KindText kKindTexts[] = {
    {"batchnorm", LayerKind::kBatchNormalization},
    {"batch_norm", LayerKind::kBatchNormalization},
    {"max_pool", LayerKind::kPooling},
    {"avg_pool", LayerKind::kPooling},
    {"adaptive_average_pool", LayerKind::kPooling},
    {"maxpool", LayerKind::kPooling},
    {"avepool", LayerKind::kPooling},
    {"pool_", LayerKind::kPooling},
    {"softmax", LayerKind::kSoftmax},
    {"im2col", LayerKind::kConv},
    {"conv2d", LayerKind::kConv},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool has_any(std::string_view name, Texts texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return name.find(text) != std::string_view::npos; });
}

/// What precedes the first "<" or "(" that belongs to the kernel itself: "at::native::(anonymous namespace)::fill".
std::string_view own_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (const std::string_view type : {"void ", "__global__ "}) {
    if (name.starts_with(type)) name.remove_prefix(type.size());
  }
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name.substr(i).starts_with("<unnamed>")) {
      i += std::string_view("<unnamed>").size() - 1;
    } else if (name[i] == '<' || name[i] == '(' || name[i] == ' ') {
      return name.substr(0, i);
    }
  }
  return name;
}

/// Whether a word, split at "_", ":" and before capitals, is in a name.
bool has_word(std::string_view name, std::string_view word) {
  std::string current;
  for (size_t i = 0; i <= name.size(); ++i) {
    const bool ends = i == name.size() || !std::isalpha(static_cast<unsigned char>(name[i])) ||
                      (std::isupper(static_cast<unsigned char>(name[i])) && i > 0 &&
                       std::islower(static_cast<unsigned char>(name[i - 1])));
    if (ends) {
      if (current == word) return true;
      current.clear();
    }
    if (i < name.size() && std::isalpha(static_cast<unsigned char>(name[i]))) {
      current += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
  }
  return false;
}

KernelAction action_of(std::string_view own, const std::string& whole) {
  // Templates for elementwise operators that read one type and write another are casts, whatever else they are called.
  const bool casts = whole.find("loadwithcast") != std::string::npos;
  for (const ActionText& entry : kActionTexts) {
    if (whole.find(entry.text) == std::string::npos) continue;
    return entry.action == KernelAction::kCopy && casts ? KernelAction::kCast : entry.action;
  }
  for (const ActionText& entry : kActionWords) {
    if (has_word(own, entry.text)) return entry.action;
  }
  return KernelAction::kOther;
}

}  // namespace

KernelMeaning meaning_of_kernel(std::string_view name) {
  KernelMeaning meaning;
  const std::string_view own = own_name(name);
  const std::string own_lower = lower(own);
  if (has_any(own, kFrameworkTexts)) {
    meaning.origin = KernelOrigin::kFramework;
  } else if (has_any(own_lower, kLibraryTexts)) {
    meaning.origin = KernelOrigin::kLibrary;
  }
  // Concatenation is what a model asks for, and "CatArrayBatchedCopy" what PyTorch does it with.
  if (own.find("CatArray") == std::string_view::npos) meaning.action = action_of(own, lower(name));
  if (meaning.origin != KernelOrigin::kFramework || own_lower.find("backward") != std::string::npos) return meaning;
  // The product of a depthwise convolution is too small for the library's kernels: frameworks have their own on
  // purpose.
  if (own_lower.find("depthwise") != std::string::npos) return meaning;
  for (const KindText& entry : kKindTexts) {
    if (own_lower.find(entry.text) == std::string::npos) continue;
    meaning.computes = entry.kind;
    break;
  }
  return meaning;
}

std::string_view done_by(KernelAction action) {
  switch (action) {
    case KernelAction::kPad:
      return "padded";
    case KernelAction::kTranspose:
      return "transposed";
    case KernelAction::kCast:
      return "cast";
    case KernelAction::kCopy:
      return "copied";
    case KernelAction::kLayoutChange:
      return "converted to another layout";
    case KernelAction::kOther:
      break;
  }
  return "";
}

std::string short_kernel_name(std::string_view name) {
  for (const std::string_view text :
       {"direct_copy_kernel_cuda", "copy_device_to_device", "bfloat16_copy_kernel_cuda", "float16_copy_kernel_cuda"}) {
    if (name.find(text) != std::string_view::npos) return std::string(text);
  }
  return std::string(own_name(name));
}

}  // namespace xsp::bound
