#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// An execution plan of cuDNN's graph API, from the JSON that the library gives of it
/// (CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION). Names are cuDNN's without their prefixes, in lower case where they
/// are kinds of operations: "convolution_forward", "pointwise" with mode "RELU_FWD", type "f16".
struct ExecutionPlan {
  struct Tensor {
    std::string name;
    std::string type;
    std::vector<int64_t> dimensions;
    std::vector<int64_t> strides;
    bool is_virtual = false;   // between operations, never in memory
    bool is_by_value = false;  // a scalar
  };

  struct Operation {
    std::string kind;
    std::string mode;                                           // empty: none
    std::vector<std::pair<std::string, size_t>> tensors;        // role ("X", "W", "Y") and index of `tensors`
    std::vector<std::pair<std::string, std::string>> settings;  // as text: "pad" "[1,1]", "math" "f32"

    /// Index of the tensor in a role; nothing where the operation has none such.
    std::optional<size_t> tensor(std::string_view role) const;
  };

  std::vector<Tensor> tensors;
  std::vector<Operation> operations;
  std::optional<int64_t> engine;
  std::vector<std::pair<std::string, int64_t>> knobs;
  std::vector<std::string> notes;  // numerical notes: "TENSOR_CORE"

  /// Reads a plan. On failure `problem` says why, and nothing is returned. Fields that are not known are left out.
  static std::optional<ExecutionPlan> parse(std::string_view json, std::string* problem);

  /// "convolution_forward+pointwise(RELU_FWD): X=f16[8,64,56,56] W=f16[64,64,3,3] Y=f16[8,64,56,56]:virtual pad=[1,1]
  /// …; X=… Y=…; engine=38 knobs=TILE_SIZE:8 notes=TENSOR_CORE"
  std::string text() const;
};

/// The texts of the execution plans of a trace, each read once.
class PlanTexts {
 public:
  explicit PlanTexts(const Trace& trace) : trace_(trace) {}

  /// What stands for the plan with that string id: its text, or why it cannot be read.
  const std::string& text(uint32_t id);

  /// Plans that could not be read.
  uint64_t unreadable() const { return unreadable_; }

 private:
  const Trace& trace_;
  std::unordered_map<uint32_t, std::string> texts_;
  uint64_t unreadable_ = 0;
};

/// A name of a plan as it is compared.
std::string in_lower_case(std::string text);

}  // namespace xsp::analysis
