#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "bound/fusion/fused_group.h"
#include "bound/joining/joined_trace.h"
#include "bound/joining/operator_family.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// Of which tensors a shape is: traces tell one or the other.
enum class ShapeOf : uint8_t { kNothing, kOutput, kInput, kProblem };
inline constexpr size_t kShapeKinds = 4;

/// What a layer of a trace says of itself.
struct TracedEvidence {
  std::string type;  // plain_type()
  OperatorFamily family;
  std::string module;        // module_of_layer()
  bool has_module = false;   // frameworks that have modules
  bool is_operator = false;  // called in that module, else the module itself
  bool is_call = false;      // of a library
  ShapeOf shape_of = ShapeOf::kNothing;
  std::vector<int64_t> shape;  // of kOutput
  std::string key;             // what it and its counterpart have in common besides the family; "" where unknown
};

/// The same of a layer of the model.
struct ModelledEvidence {
  OperatorFamily family;
  bool has_work = false;
  std::string module;
  bool has_module = false;
  std::vector<int64_t> shape;     // of its first output
  std::string keys[kShapeKinds];  // by ShapeOf
  bool is_constant = false;       // it has its value before anything runs
  bool has_one_operand = false;   // all else that it reads are weights
};

/// All that a join is made of. It refers to the trace and the model.
struct JoinSubject {
  const LayeredModel* model = nullptr;
  const std::vector<FusedGroup>* groups = nullptr;
  std::string framework;
  std::vector<TracedEvidence> traced;
  std::vector<ModelledEvidence> modelled;
};

/// `joined` has its layers and framework already.
JoinSubject join_subject(const analysis::AnalysedTrace& trace, const LayeredModel& model,
                         const std::vector<FusedGroup>& groups, const JoinedTrace& joined);

/// The key of an output of a family.
std::string output_key(std::string_view family, const std::vector<int64_t>& shape);

}  // namespace xsp::bound
