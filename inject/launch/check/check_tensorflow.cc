#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "inject/launch/check/check_frameworks.h"
#include "inject/launch/run/library_file.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;

constexpr TestedVersions kTensorflow = {"1.15", "2.21"};

/// What the guest hooks and calls: inject/tensorflow/kernel_slots.cc, kernel_names.cc, allocated_bytes.cc.
constexpr const char* kComputes[] = {
    "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow6Device7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow13BaseGPUDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
};
constexpr const char* kTraceStrings[] = {
    "_ZNK10tensorflow8OpKernel11TraceStringB5cxx11ERKNS_15OpKernelContextEb",
    "_ZNK10tensorflow8OpKernel11TraceStringERKNS_15OpKernelContextEb",
    "_ZN10tensorflow8OpKernel11TraceStringEPNS_15OpKernelContextEb",
};
constexpr const char* kNames[] = {"_ZNK10tensorflow8OpKernel4name", "_ZNK10tensorflow8OpKernel11type_string"};
constexpr const char* kAllocateTensor = "_ZN10tensorflow15OpKernelContext15allocate_tensorE";
constexpr const char* kBaseGpuDevice = kComputes[2];

class Libraries {
 public:
  explicit Libraries(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) files_.emplace_back(path);
  }

  bool are_readable() const {
    return std::any_of(files_.begin(), files_.end(), [](const auto& file) { return file.is_readable(); });
  }
  bool define(std::string_view symbol) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return file.defines(symbol); });
  }
  bool define_beginning(std::string_view beginning) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const auto& file) { return file.exports_beginning(beginning); });
  }
  bool call(std::string_view beginning) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const auto& file) { return file.calls_through_table(beginning); });
  }

 private:
  std::deque<LibraryFile> files_;
};

CheckRow models_row(const Libraries& libraries) {
  const bool has_sessions = libraries.define("TF_SessionRun");
  const bool has_functions = libraries.define("TFE_Execute") && libraries.define("TFE_OpGetName");
  if (!has_sessions) return {"  models", State::kDegraded, "none: its libraries export no C API"};
  if (!has_functions) {
    return {"  models", State::kOk,
            "sessions; this version does not name functions, so these and eager mode are not recorded"};
  }
  return {"  models", State::kOk, "functions (tf.function, Keras' predict and fit, SavedModel), sessions, eager Keras"};
}

CheckRow layers_row(const Libraries& libraries) {
  const bool has_computes = std::any_of(std::begin(kComputes), std::end(kComputes),
                                        [&](const char* symbol) { return libraries.define(symbol); });
  const bool has_names = std::any_of(std::begin(kTraceStrings), std::end(kTraceStrings),
                                     [&](const char* symbol) { return libraries.define(symbol); }) ||
                         std::all_of(std::begin(kNames), std::end(kNames),
                                     [&](const char* symbol) { return libraries.define_beginning(symbol); });
  if (!has_computes)
    return {"  layers", State::kDegraded, "none: this build does not export how its devices run kernels"};
  if (!has_names) return {"  layers", State::kDegraded, "none: this version does not name its kernels"};
  return {"  layers", State::kOk, "kernels, by the virtual function that devices run them with"};
}

}  // namespace

std::vector<CheckRow> tensorflow_rows(const FrameworkFacts& of) {
  const Libraries libraries(of.libraries);
  const std::string version = fmt::format("{} ({})", of.version, tested_text(kTensorflow, of.version));
  if (!libraries.are_readable()) return {{"TensorFlow", State::kDegraded, version + ": its libraries cannot be read"}};
  const char* build = libraries.define(kBaseGpuDevice) ? "for GPUs; on a GPU nothing was tested" : "for the CPU";
  std::vector<CheckRow> rows = {{"TensorFlow", State::kOk, fmt::format("{}, {}", version, build)}};
  rows.push_back(models_row(libraries));
  rows.push_back(layers_row(libraries));
  if (libraries.call(kAllocateTensor)) {
    rows.push_back({"  memory", State::kOk, "what each kernel allocates"});
  } else {
    rows.push_back({"  memory", State::kDegraded, "not told: this build allocates tensors in another way"});
  }
  return rows;
}

}  // namespace xsp::launch
