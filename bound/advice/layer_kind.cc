#include "bound/advice/layer_kind.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analysis/timeline/operator_kinds.h"
#include "base/quantity_text.h"

namespace xsp::bound {
namespace {

/// By names in lower case, without what is in front of "::" and without underscores at their ends.
const std::unordered_map<std::string_view, LayerKind>& named_kinds() {
  using enum LayerKind;
  static const std::unordered_map<std::string_view, LayerKind> kKinds = {
      {"linear", kProduct},
      {"addmm", kProduct},
      {"mm", kProduct},
      {"bmm", kProduct},
      {"baddbmm", kProduct},
      {"matmul", kProduct},
      {"fusedmatmul", kProduct},
      {"gemm", kProduct},
      {"fusedgemm", kProduct},
      {"batchmatmul", kProduct},
      {"batchmatmulv2", kProduct},
      {"batchmatmulv3", kProduct},
      {"fullyconnected", kProduct},
      {"dense", kProduct},
      {"dot", kProduct},
      {"batch_dot", kProduct},
      {"batchnorm", kBatchNormalization},
      {"batchnorm1d", kBatchNormalization},
      {"batchnorm2d", kBatchNormalization},
      {"batchnorm3d", kBatchNormalization},
      {"batchnormalization", kBatchNormalization},
      {"batch_norm", kBatchNormalization},
      {"native_batch_norm", kBatchNormalization},
      {"cudnn_batch_norm", kBatchNormalization},
      {"fusedbatchnorm", kBatchNormalization},
      {"fusedbatchnormv2", kBatchNormalization},
      {"fusedbatchnormv3", kBatchNormalization},
      {"fusedbatchnormex", kBatchNormalization},
      {"maxpool", kPooling},
      {"maxpoolv2", kPooling},
      {"maxpool1d", kPooling},
      {"maxpool2d", kPooling},
      {"maxpool3d", kPooling},
      {"max_pool2d", kPooling},
      {"max_pool3d", kPooling},
      {"max_pool2d_with_indices", kPooling},
      {"avgpool", kPooling},
      {"avgpool1d", kPooling},
      {"avgpool2d", kPooling},
      {"avgpool3d", kPooling},
      {"avg_pool2d", kPooling},
      {"avg_pool3d", kPooling},
      {"averagepool", kPooling},
      {"globalaveragepool", kPooling},
      {"globalmaxpool", kPooling},
      {"adaptiveavgpool2d", kPooling},
      {"adaptive_avg_pool2d", kPooling},
      {"pooling", kPooling},
      {"softmax", kSoftmax},
      {"log_softmax", kSoftmax},
      {"logsoftmax", kSoftmax},
  };
  return kKinds;
}

}  // namespace

LayerKind layer_kind(std::string_view type) {
  using analysis::OperatorKind;
  if (analysis::operator_kind(type) == OperatorKind::kConvolution ||
      analysis::module_kind(type) == OperatorKind::kConvolution) {
    return LayerKind::kConv;
  }
  if (const size_t scope = type.rfind("::"); scope != std::string_view::npos) type.remove_prefix(scope + 2);
  while (!type.empty() && type.front() == '_') type.remove_prefix(1);
  while (!type.empty() && type.back() == '_') type.remove_suffix(1);
  std::string name(type);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const auto found = named_kinds().find(name);
  return found == named_kinds().end() ? LayerKind::kOther : found->second;
}

std::string_view noun_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConv:
      return "convolution";
    case LayerKind::kProduct:
      return "matrix product";
    case LayerKind::kBatchNormalization:
      return "batch normalization";
    case LayerKind::kPooling:
      return "pooling";
    case LayerKind::kSoftmax:
      return "softmax";
    case LayerKind::kOther:
      break;
  }
  return "layer";
}

std::string counted(LayerKind kind, size_t count) { return plural(count, noun_of(kind)); }

}  // namespace xsp::bound
