// Products of matrices by oneDNN.
#include <algorithm>

#include "bound/joining/onednn_post_ops.h"
#include "bound/joining/onednn_problem.h"
#include "bound/joining/product_problem.h"

namespace xsp::bound {
namespace {

/// Whether the last two dimensions lie the other way round, as "ba" and "acb" say; other layouts are the library's own.
bool is_transposed(std::string_view tag, size_t rank) {
  if (rank < 2 || tag.size() != rank) return false;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (tag[i] != static_cast<char>('a' + i)) return false;
  }
  return tag[rank - 2] == static_cast<char>('a' + rank - 1) && tag[rank - 1] == static_cast<char>('a' + rank - 2);
}

/// The operand as it lies in memory.
StoredMatrix stored(Dimensions sizes, const OnednnTensor& tensor) {
  const bool transposed = is_transposed(tensor.tag, sizes.size());
  if (transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return {tensor.element, std::move(sizes), transposed};
}

struct ProductTensors {
  const OnednnTensor* source;
  const OnednnTensor* weights;
  const OnednnTensor* bias;
  const OnednnTensor* result;

  explicit ProductTensors(const OnednnPrimitive& primitive)
      : source(primitive.tensor("src")),
        weights(primitive.tensor("wei")),
        bias(primitive.tensor("bia")),
        result(primitive.tensor("dst")) {}
  bool are_there() const { return source != nullptr && weights != nullptr && result != nullptr; }
};

/// Whether the bias is one row: from the mask of a line, or the sizes of our own text.
bool is_row(const OnednnTensor& bias, size_t rank) {
  if (bias.sizes)
    return std::all_of(bias.sizes->begin(), bias.sizes->end() - 1, [](int64_t size) { return size == 1; });
  return bias.broadcasts && rank > 0 && rank <= kMostRank && *bias.broadcasts == int64_t{1} << (rank - 1);
}

std::optional<Problem> product(const OnednnPrimitive& primitive, ProductCall call, bool has_row) {
  const auto post = post_ops_of(primitive, call.rank());
  if (!post || (has_row && (post->adds_row || post->factor != 1))) return {};
  call.factor = post->factor;
  call.adds_row = has_row || post->adds_row;
  call.post = post->post;
  return problem_of_product(call);
}

}  // namespace

std::optional<Problem> onednn_matmul(const OnednnPrimitive& primitive) {
  const ProductTensors tensors(primitive);
  if (!tensors.are_there()) return {};
  Dimensions source, weights;
  if (primitive.shape.empty()) {
    if (!tensors.source->sizes || !tensors.weights->sizes) return {};
    source = *tensors.source->sizes;
    weights = *tensors.weights->sizes;
  } else {
    const auto shapes = dimensions_of_shapes(primitive.shape);
    if (shapes.size() != 2 && shapes.size() != 3) return {};
    source = shapes[0];
    weights = shapes[1];
  }
  if (source.size() < 2 || weights.size() != source.size()) return {};
  if (tensors.bias != nullptr && !is_row(*tensors.bias, source.size())) return {};
  ProductCall call{.left = stored(std::move(source), *tensors.source),
                   .right = stored(std::move(weights), *tensors.weights),
                   .result = tensors.result->element};
  return product(primitive, std::move(call), tensors.bias != nullptr);
}

std::optional<Problem> onednn_inner_product(const OnednnPrimitive& primitive) {
  const ProductTensors tensors(primitive);
  if (!tensors.are_there()) return {};
  int64_t rows = 0, depth = 1, columns = 0;
  if (primitive.shape.empty()) {
    const auto& source = tensors.source->sizes;
    const auto& result = tensors.result->sizes;
    if (!source || !result || result->size() != 2) return {};
    rows = source->front();
    columns = result->back();
    depth = elements_in(Dimensions(source->begin() + 1, source->end())).value_or(0);
  } else {
    const auto sizes = OnednnSizes::parse(primitive.shape);
    if (!sizes) return {};
    rows = sizes->of("mb").value_or(0);
    columns = sizes->of("oc").value_or(0);
    depth = sizes->of("ic").value_or(0);
    for (const std::string_view name : {"id", "ih", "iw"}) {
      if (const auto size = sizes->of(name); size && __builtin_mul_overflow(depth, *size, &depth)) return {};
    }
  }
  // Its weights are [columns, depth], which Gemm reads as transposed.
  const bool is_plain = tensors.weights->tag == "ba";
  ProductCall call{.left = {tensors.source->element, {rows, depth}, false},
                   .right = {tensors.weights->element,
                             is_plain ? Dimensions{depth, columns} : Dimensions{columns, depth}, !is_plain},
                   .result = tensors.result->element};
  return product(primitive, std::move(call), tensors.bias != nullptr);
}

}  // namespace xsp::bound
