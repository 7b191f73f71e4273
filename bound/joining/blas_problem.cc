#include "bound/joining/blas_problem.h"

#include <algorithm>

#include "analysis/work/library_work.h"

namespace xsp::bound {
namespace {

using analysis::CallArguments;

ElementType element_of(const CallArguments& call, std::string_view field) {
  const std::string_view name = analysis::element_of_cuda_type(call.text(field).value_or(""));
  return name.starts_with('c') ? ElementType::kUndefined : element_type_named(name).value_or(ElementType::kUndefined);
}

/// "N" and "T"; the conjugate of a real matrix is itself.
std::optional<bool> is_transposed(const CallArguments& call, std::string_view field) {
  const std::string_view operation = call.text(field).value_or("");
  if (operation.empty()) return {};
  static constexpr std::string_view kPlain[] = {"N", "n", "NoTrans", "CONJG", "R"};
  return std::ranges::find(kPlain, operation) == std::end(kPlain);
}

/// Whether a matrix lies by rows. cublasLt has an order for each of them, CBLAS one for all; else they lie by columns.
std::optional<bool> is_by_rows(const CallArguments& call, std::string_view field) {
  const auto order = call.text(field);
  const std::string_view text = order ? *order : call.text("layout").value_or("COL");
  if (text == "ROW") return true;
  return text == "COL" ? std::optional(false) : std::nullopt;
}

/// An operand, that is rows × columns in the product as the routine has it.
struct Operand {
  ElementType element = ElementType::kUndefined;
  int64_t rows = 0, columns = 0;
  bool is_transposed = false;
  bool is_by_rows = false;

  /// As an operand of the product by rows; `flipped`: as the transposed matrix.
  StoredMatrix stored(int64_t batch, bool flipped) const {
    // What lies by columns is the transposed matrix by rows.
    StoredMatrix matrix{element, {}, (is_transposed == is_by_rows) != flipped};
    const int64_t height = flipped ? columns : rows, width = flipped ? rows : columns;
    matrix.sizes = matrix.is_transposed ? Dimensions{width, height} : Dimensions{height, width};
    if (batch > 1) matrix.sizes.insert(matrix.sizes.begin(), batch);
    return matrix;
  }
};

/// What cublasLt computes on the result; nothing for what problems have no word for.
bool add_epilogue(std::string_view epilogue, bool by_rows, ProductCall* product) {
  if (epilogue.empty() || epilogue == "DEFAULT") return true;
  if (epilogue == "BIAS" || epilogue == "RELU_BIAS" || epilogue == "GELU_BIAS")
    (by_rows ? product->adds_column : product->adds_row) = true;
  if (epilogue.starts_with("RELU")) product->post = "relu";
  if (epilogue.starts_with("GELU")) product->post = "gelu_tanh";
  return epilogue == "BIAS" || epilogue == "RELU" || epilogue == "RELU_BIAS" || epilogue == "GELU" ||
         epilogue == "GELU_BIAS";
}

std::optional<Problem> general_product(const CallArguments& call) {
  const auto m = call.integer("m"), n = call.integer("n"), k = call.integer("k");
  const int64_t batch = call.integer("batch").value_or(1);
  // Of several groups only the first one's sizes are there.
  if (!m || !n || !k || call.integer("group_count").value_or(1) != 1) return {};
  const auto transposed_a = is_transposed(call, "op_a"), transposed_b = is_transposed(call, "op_b");
  const auto rows_a = is_by_rows(call, "order_a"), rows_b = is_by_rows(call, "order_b");
  const auto rows_d = is_by_rows(call, "order_d");
  if (!transposed_a || !transposed_b || !rows_a || !rows_b || !rows_d) return {};
  const Operand a{element_of(call, "type_a"), *m, *k, *transposed_a, *rows_a};
  const Operand b{element_of(call, "type_b"), *k, *n, *transposed_b, *rows_b};
  ElementType result = element_of(call, "type_d");
  if (result == ElementType::kUndefined) result = element_of(call, "type_c");
  // By rows it is a·b; a result by columns is (a·b)ᵀ = bᵀ·aᵀ by rows.
  ProductCall product = *rows_d ? ProductCall{a.stored(batch, false), b.stored(batch, false), result}
                                : ProductCall{b.stored(batch, true), a.stored(batch, true), result};
  // One matrix for all of a batch.
  const auto has_one = [&](std::string_view stride) { return batch > 1 && call.integer(stride) == 0; };
  for (const auto& [stride, is_right] : {std::pair("stride_a", !*rows_d), std::pair("stride_b", *rows_d)}) {
    Dimensions& sizes = (is_right ? product.right : product.left).sizes;
    if (has_one(stride)) sizes.erase(sizes.begin());
  }
  if (!add_epilogue(call.text("epilogue").value_or(""), *rows_d, &product)) return {};
  if (const auto alpha = call.number("alpha")) product.factor = *alpha;
  return problem_of_product(product);
}

/// A matrix and a column, or a row and a matrix: whichever reads the matrix as it lies.
std::optional<Problem> matrix_by_vector(const CallArguments& call) {
  const auto m = call.integer("m"), n = call.integer("n");
  const auto transposed = is_transposed(call, "op_a");
  const auto by_rows = is_by_rows(call, "order_a");
  const int64_t batch = call.integer("batch").value_or(1);
  if (!m || !n || !transposed || !by_rows || call.integer("group_count").value_or(1) != 1) return {};
  const ElementType element = element_of(call, "type_a");
  const StoredMatrix matrix{element, *by_rows ? Dimensions{*m, *n} : Dimensions{*n, *m}, false};
  const int64_t height = matrix.sizes[0], width = matrix.sizes[1];
  const bool is_left = *transposed != *by_rows;
  const StoredMatrix vector{element, is_left ? Dimensions{width, 1} : Dimensions{1, height}, false};
  ProductCall product = is_left ? ProductCall{matrix, vector, element} : ProductCall{vector, matrix, element};
  if (batch > 1) {
    product.left.sizes.insert(product.left.sizes.begin(), batch);
    product.right.sizes.insert(product.right.sizes.begin(), batch);
  }
  if (const auto alpha = call.number("alpha")) product.factor = *alpha;
  return problem_of_product(product);
}

}  // namespace

std::optional<Problem> problem_of_blas(std::string_view kind, const CallArguments& call) {
  if (kind == "gemm") return general_product(call);
  return kind == "gemv" ? matrix_by_vector(call) : std::nullopt;
}

}  // namespace xsp::bound
