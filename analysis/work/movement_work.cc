#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kCopyFormula = FormulaId::kMovement;
constexpr auto kSelectionFormula = FormulaId::kSelection;
constexpr auto kFillFormula = FormulaId::kFill;

double bytes_of_all(const std::vector<TensorArgument>& arguments) {
  double bytes = 0;
  for (const TensorArgument& argument : arguments) {
    for (const TensorShape& tensor : argument) bytes += tensor.bytes();
  }
  return bytes;
}

DataType type_of(const Arguments& arguments) {
  return arguments.input(0) == nullptr ? DataType::kUnknown : data_type_of(arguments.input(0)->element);
}

/// copy_(self, src)
Result copy(const Arguments& arguments, double) {
  const TensorShape* destination = arguments.input(0);
  const TensorShape* source = arguments.input(1);
  if (destination == nullptr || source == nullptr) return {};
  return work_of(kCopyFormula, 0, source->bytes(), destination->bytes(), data_type_of(destination->element));
}

/// The first argument, or all its tensors, once more.
Result same(const Arguments& arguments, double) {
  if (arguments.inputs_of(0).empty()) return {};
  double bytes = 0;
  for (const TensorShape& tensor : arguments.inputs_of(0)) bytes += tensor.bytes();
  return work_of(kCopyFormula, 0, bytes, bytes, type_of(arguments));
}

/// In graphs: no more of a tensor is read than the output has.
Result movement_of_graph(const Arguments& arguments, double) {
  if (arguments.all_outputs().empty() || arguments.inputs() == 0) return {};
  const double written = bytes_of_all(arguments.all_outputs());
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += std::min(bytes_of(arguments.input(i)), written);
  return work_of(kCopyFormula, 0, read, written, type_of(arguments));
}

/// Only shapes change.
Result nothing_moved(const Arguments& arguments, double) { return work_of(kCopyFormula, 0, 0, 0, type_of(arguments)); }

/// What `moved` elements like those of `like` need, with indices.
Result selected(const TensorShape& like, double moved, double index_bytes, double flops) {
  const double bytes = moved * element_bytes(like.element);
  // Adding also reads what it adds to.
  return work_of(kSelectionFormula, flops * moved, bytes * (1 + flops) + index_bytes, bytes,
                 data_type_of(like.element));
}

/// self, dim, index: as many as indices (gather), or as rows (index_select).
Result gather(const Arguments& arguments, double) {
  const TensorShape* source = arguments.input(0);
  const TensorShape* index = arguments.input(2);
  if (source == nullptr || index == nullptr) return {};
  return selected(*source, index->elements, index->bytes(), 0);
}

Result index_select(const Arguments& arguments, double) {
  const TensorShape* source = arguments.input(0);
  const TensorShape* index = arguments.input(2);
  const auto dimension = arguments.integer(1);
  if (source == nullptr || index == nullptr || !dimension) return {};
  const int64_t extent = source->dimension(static_cast<int>(std::clamp<int64_t>(*dimension, -16, 15)));
  if (extent == 0) return {};
  return selected(*source, source->elements / static_cast<double>(extent) * index->elements, index->bytes(), 0);
}

/// embedding(weight [rows, width], indices)
Result embedding(const Arguments& arguments, double) {
  const TensorShape* weight = arguments.input(0);
  const TensorShape* index = arguments.input(1);
  if (weight == nullptr || index == nullptr || weight->rank() != 2) return {};
  return selected(*weight, index->elements * static_cast<double>(weight->dimension(1)), index->bytes(), 0);
}

/// embedding_dense_backward(grad_output, indices, num_weights, …)
Result embedding_backward(const Arguments& arguments, double) {
  const TensorShape* gradient = arguments.input(0);
  const TensorShape* index = arguments.input(1);
  const auto rows = arguments.integer(2);
  if (gradient == nullptr || index == nullptr || gradient->rank() == 0) return {};
  const double width = static_cast<double>(gradient->dimension(-1));
  auto work = work_of(kSelectionFormula, gradient->elements, gradient->bytes() + index->bytes(),
                      static_cast<double>(rows.value_or(0)) * width * element_bytes(gradient->element),
                      data_type_of(gradient->element));
  if (work && !rows) work->has_bytes = false;
  return work;
}

/// scatter(self, dim, index, src); `flops` 1 where it adds.
Result scatter(const Arguments& arguments, double flops) {
  const TensorShape* destination = arguments.input(0);
  const TensorShape* index = arguments.input(2);
  if (destination == nullptr || index == nullptr) return {};
  return selected(*destination, index->elements, index->bytes(), flops);
}

/// index_add(self, dim, index, source)
Result index_add(const Arguments& arguments, double flops) {
  const TensorShape* source = arguments.input(3);
  if (source == nullptr) return {};
  return selected(*source, source->elements, bytes_of(arguments.input(2)), flops);
}

/// index_put(self, indices, values, accumulate)
Result index_put(const Arguments& arguments, double) {
  const TensorShape* values = arguments.input(2);
  if (values == nullptr) return {};
  double indices = 0;
  for (const TensorShape& index : arguments.inputs_of(1)) indices += index.bytes();
  return selected(*values, values->elements, indices, arguments.flag(3).value_or(false) ? 1 : 0);
}

/// The first argument is overwritten.
Result fill(const Arguments& arguments, double) {
  const TensorShape* filled = arguments.input(0);
  if (filled == nullptr) return {};
  return work_of(kFillFormula, 0, 0, filled->bytes(), data_type_of(filled->element));
}

/// What is sent is read and what is received is written: two arguments, or one for both.
Result collective(const Arguments& arguments, double places) {
  double read = 0;
  double written = 0;
  const auto bytes = [&](size_t at) {
    double sum = 0;
    for (const TensorShape& tensor : arguments.inputs_of(at)) sum += tensor.bytes();
    return sum;
  };
  written = bytes(0);
  read = places == 2 ? bytes(1) : written;
  if (arguments.inputs_of(0).empty() || (places == 2 && arguments.inputs_of(1).empty())) return {};
  return work_of(FormulaId::kCollective, 0, read, written, type_of(arguments));
}

constexpr NamedOperator kMovementOperators[] = {
    {"copy", kCopyFormula, copy},
    {"clone", kCopyFormula, same},
    {"contiguous", kCopyFormula, same},
    {"cat", kCopyFormula, same},
    {"_cat", kCopyFormula, same},
    {"stack", kCopyFormula, same},
    {"flip", kCopyFormula, same},
    {"roll", kCopyFormula, same},
    {"tril", kCopyFormula, same},
    {"triu", kCopyFormula, same},
    {"split_with_sizes_copy", kCopyFormula, same},
    {"Concat", kCopyFormula, movement_of_graph},
    {"ConcatV2", kCopyFormula, movement_of_graph},
    {"Transpose", kCopyFormula, movement_of_graph},
    {"Cast", kCopyFormula, movement_of_graph},
    {"Expand", kCopyFormula, movement_of_graph},
    {"Tile", kCopyFormula, movement_of_graph},
    {"Pad", kCopyFormula, movement_of_graph},
    {"Slice", kCopyFormula, movement_of_graph},
    {"StridedSlice", kCopyFormula, movement_of_graph},
    {"Split", kCopyFormula, movement_of_graph},
    {"SplitV", kCopyFormula, movement_of_graph},
    {"Gather", kCopyFormula, movement_of_graph},
    {"GatherV2", kCopyFormula, movement_of_graph},
    {"Pack", kCopyFormula, movement_of_graph},
    {"Identity", kCopyFormula, movement_of_graph},
    {"Reshape", kCopyFormula, nothing_moved},
    {"Flatten", kCopyFormula, nothing_moved},
    {"Squeeze", kCopyFormula, nothing_moved},
    {"Unsqueeze", kCopyFormula, nothing_moved},
    {"Shape", kCopyFormula, nothing_moved},
    {"gather", kSelectionFormula, gather},
    {"index_select", kSelectionFormula, index_select},
    {"embedding", kSelectionFormula, embedding},
    {"embedding_dense_backward", kSelectionFormula, embedding_backward},
    {"scatter", kSelectionFormula, scatter, 0},
    {"scatter_add", kSelectionFormula, scatter, 1},
    {"index_add", kSelectionFormula, index_add, 1},
    {"index_copy", kSelectionFormula, index_add, 0},
    {"index_put", kSelectionFormula, index_put},
    {"_index_put_impl", kSelectionFormula, index_put},
    {"fill", kFillFormula, fill},
    {"zero", kFillFormula, fill},
    {"normal", kFillFormula, fill},
    {"uniform", kFillFormula, fill},
    {"bernoulli", kFillFormula, fill},
    {"random", kFillFormula, fill},
};

constexpr auto kCollectiveFormula = FormulaId::kCollective;

constexpr NamedOperator kCollectives[] = {
    {"allreduce", kCollectiveFormula, collective, 1},      {"broadcast", kCollectiveFormula, collective, 1},
    {"reduce", kCollectiveFormula, collective, 1},         {"allreduce_coalesced", kCollectiveFormula, collective, 1},
    {"allgather", kCollectiveFormula, collective, 2},      {"_allgather_base", kCollectiveFormula, collective, 2},
    {"reduce_scatter", kCollectiveFormula, collective, 2}, {"_reduce_scatter_base", kCollectiveFormula, collective, 2},
    {"alltoall", kCollectiveFormula, collective, 2},       {"alltoall_base", kCollectiveFormula, collective, 2},
};

}  // namespace

std::span<const NamedOperator> movement_operators() { return kMovementOperators; }
std::span<const NamedOperator> collective_operators() { return kCollectives; }

}  // namespace xsp::analysis
