#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/backends/onnxruntime_api.h"
#include "bound/onnx/element_type.h"

namespace xsp::bound {

/// What a model is given. Copies share the values, and so do sessions, which only read them.
struct OrtInput {
  std::string name;
  ElementType element = ElementType::kUndefined;
  std::vector<int64_t> dimensions;
  size_t bytes = 0;
  std::shared_ptr<std::vector<uint64_t>> memory;  // in whole words so that each element is aligned; one at least

  void set_values(const std::vector<float>& values);
};

/// A model that is loaded, with its inputs, and with outputs that the first run makes and later ones write again.
class OrtSession {
 public:
  struct Plan {
    std::string_view model;  // bytes
    const std::vector<OrtInput>& inputs;
    const std::vector<std::string>& outputs;
    int threads = 1;
    std::string profile_prefix = {};  // of the file that end_profile() closes; empty: no profile
  };
  /// Sequential, with all optimizations.
  static Status make(const OrtApi& api, const Plan& plan, std::unique_ptr<OrtSession>* session);
  ~OrtSession();
  OrtSession(const OrtSession&) = delete;
  OrtSession& operator=(const OrtSession&) = delete;

  Status run();
  /// After a run. Empty where the first output is no tensor of numbers.
  std::vector<float> first_output() const;
  /// Ends the profile and says where it is.
  Status end_profile(std::string* path);

 private:
  explicit OrtSession(const OrtApi& api) : api_(api) {}
  Status load(const Plan& plan, void* options);
  Status add_input(const OrtInput& input);

  const OrtApi& api_;
  void* session_ = nullptr;
  std::vector<std::string> names_;  // of inputs, then outputs
  std::vector<const char*> input_names_;
  std::vector<const char*> output_names_;
  std::vector<std::shared_ptr<std::vector<uint64_t>>> memory_;  // of the inputs
  std::vector<void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace xsp::bound
