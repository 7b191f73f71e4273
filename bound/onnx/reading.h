#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/onnx/exit_code.h"
#include "bound/onnx/graph.h"
#include "bound/onnx/model_budget.h"
#include "proto/pbf.h"

namespace xsp::bound {

inline constexpr const char* kHintWrongFile = "xsp-bound reads ONNX models: is this one?";
inline constexpr const char* kHintDamaged = "export or download the model again";
inline constexpr const char* kHintTooLarge = "no model of a known program is like this: is the file damaged?";

/// What all parts of the reading of one model share: what it may cost, and what went wrong first. The functions return
/// false, as those that call them do, after fail(). protozero throws where a message is damaged.
struct Reading {
  explicit Reading(ModelBudget& model_budget) : budget(model_budget) {}

  bool fail(std::string error, std::string hint);
  bool fail_excess() { return fail(budget.excess(), kHintTooLarge); }

  /// The text of the current field, and a text more of a list.
  bool read_text(protozero::pbf_reader& reader, std::string* text);
  bool add_text(protozero::pbf_reader& reader, std::vector<std::string>* texts);
  bool add_number(double value, std::vector<double>* numbers);
  bool add_integer(int64_t value, std::vector<int64_t>* integers);
  /// The numbers of a packed field.
  bool add_numbers(protozero::pbf_reader& reader, std::vector<double>* numbers);
  bool add_integers(std::string_view packed, std::vector<int64_t>* integers);
  /// A TensorProto or, if `is_sparse`, a SparseTensorProto.
  bool add_tensor(std::string_view message, bool is_sparse, std::vector<ConstantTensor>* tensors);

  ModelBudget& budget;
  Status status;
};

}  // namespace xsp::bound
