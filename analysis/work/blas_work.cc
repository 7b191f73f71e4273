#include <cctype>

#include "analysis/timeline/kernel_metrics.h"
#include "analysis/work/library_work.h"
#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

/// What an enumeration of data types says of a field; a constant of the function or a value.
std::string_view element_of(const CallArguments& call, std::string_view field) {
  return element_of_cuda_type(call.text(field).value_or(""));
}

/// CUBLAS_COMPUTE_*: what products of f32 and f64 are done in instead.
void apply_compute(std::string_view compute, CallWork* found) {
  const auto has = [&](std::string_view part) { return compute.find(part) != std::string_view::npos; };
  if (has("EMULATED")) {
    found->flags |= kEmulated;
    found->is_exact = true;
  } else if (has("FAST_TF32")) {
    found->work.type = DataType::kTf32Tensor;
    found->is_exact = true;
  } else if (has("FAST_16BF")) {
    found->work.type = DataType::kBf16Tensor;
    found->is_exact = true;
  } else if (has("FAST_16F")) {
    found->work.type = DataType::kF16Tensor;
    found->is_exact = true;
  } else if (has("PEDANTIC") && (found->work.type == DataType::kF32 || found->work.type == DataType::kF64)) {
    found->is_exact = true;
  }
}

/// cublasLtNumericalImplFlags_t of the chosen algorithm: the pipe, and the type that it is fed.
void apply_numerical(uint64_t flags, CallWork* found) {
  constexpr uint64_t kFma = 1, kHmma = 2, kImma = 4, kDmma = 8;
  constexpr uint64_t kInput16F = 1 << 16, kInput16Bf = 2 << 16, kInputTf32 = 4 << 16;
  if ((flags & kFma) != 0 && (flags & (kHmma | kImma | kDmma)) == 0) {
    found->is_exact = true;
    return;
  }
  if ((flags & kDmma) != 0) found->work.type = DataType::kF64Tensor;
  if ((flags & kImma) != 0) found->work.type = DataType::kI8Tensor;
  if ((flags & kHmma) != 0) {
    if ((flags & kInputTf32) != 0) found->work.type = DataType::kTf32Tensor;
    if ((flags & kInput16F) != 0) found->work.type = DataType::kF16Tensor;
    if ((flags & kInput16Bf) != 0) found->work.type = DataType::kBf16Tensor;
  }
  found->is_exact = (flags & (kHmma | kImma | kDmma)) != 0;
}

/// Flops of cublasLt's epilogue for each element of the result.
double epilogue_flops(std::string_view epilogue) {
  double flops = 0;
  if (epilogue.find("BIAS") != std::string_view::npos || epilogue.find("BGRAD") != std::string_view::npos) flops += 1;
  if (epilogue.find("GELU") != std::string_view::npos) flops += 8;
  return flops;
}

std::optional<CallWork> gemm(const CallArguments& call) {
  const auto m = call.number("m");
  const auto n = call.number("n");
  const auto k = call.number("k");
  const double batch = call.number("batch").value_or(1);
  const std::string_view a = element_of(call, "type_a");
  const std::string_view b = element_of(call, "type_b");
  std::string_view d = element_of(call, "type_d");
  if (d.empty()) d = element_of(call, "type_c");
  if (!m || !n || !k || *m < 0 || *n < 0 || *k < 0 || batch < 0 || a.empty() || b.empty()) return {};
  // Of several groups only the first one's sizes are captured; a triangle has no m.
  if (call.number("group_count").value_or(1) != 1) return {};
  const double results = batch * *m * *n;
  const std::string_view epilogue = call.text("epilogue").value_or("");
  const bool has_bias = epilogue.find("BIAS") != std::string_view::npos;
  const bool has_aux = epilogue.find("AUX") != std::string_view::npos;
  DataType type = data_type_of(a);
  if (a == "i8" || a == "u8") type = DataType::kI8Tensor;
  auto work =
      work_of(FormulaId::kMatrixProduct, 2 * results * *k * complex_factor(a) + epilogue_flops(epilogue) * results,
              batch * *k * (*m * element_bytes(a) + *n * element_bytes(b)) + (has_bias ? *m * element_bytes(d) : 0),
              results * element_bytes(d) * (has_aux ? 2 : 1), type);
  if (!work) return {};
  CallWork found{*work};
  apply_compute(call.text("compute").value_or(""), &found);
  if (const auto numerical = call.integer("numerical"); numerical && *numerical != 0 && found.flags == 0) {
    apply_numerical(static_cast<uint64_t>(*numerical), &found);
  }
  return found;
}

std::optional<CallWork> gemv(const CallArguments& call) {
  const auto m = call.number("m");
  const auto n = call.number("n");
  const double batch = call.number("batch").value_or(1);
  const std::string_view a = element_of(call, "type_a");
  if (!m || !n || *m < 0 || *n < 0 || batch < 0 || a.empty() || call.number("group_count").value_or(1) != 1) return {};
  const bool transposed = call.text("op_a").value_or("N") != "N";
  const double size = element_bytes(a);
  auto work = work_of(FormulaId::kMatrixVector, 2 * batch * *m * *n * complex_factor(a),
                      batch * size * (*m * *n + (transposed ? *m : *n)), batch * size * (transposed ? *n : *m),
                      data_type_of(a));
  return work ? std::optional(CallWork{*work, 0, true}) : std::nullopt;
}

/// "cublasSaxpy_v2", "cblas_saxpy", "saxpy_" and "cublasAxpyEx": whether the routine is `name`.
bool is_routine(std::string_view function, std::string_view name) {
  std::string lower;
  for (const char c : function) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view rest = lower;
  for (const std::string_view prefix : {"cublas", "cblas_"}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  if (rest.starts_with(name)) return true;
  return rest.size() > 1 && rest.substr(1).starts_with(name);
}

/// Routines of levels 1 to 3 beside products of general matrices.
std::optional<CallWork> other_routine(std::string_view function, const CallArguments& call) {
  const std::string_view element = element_of(call, "type");
  if (element.empty()) return {};
  const double size = element_bytes(element);
  const double m = call.number("m").value_or(0);
  const double n = call.number("n").value_or(0);
  const double k = call.number("k").value_or(0);
  if (m < 0 || n < 0 || k < 0) return {};
  struct Vector {
    std::string_view name;
    double flops;
    double read;
    double written;
  };
  static constexpr Vector kVectors[] = {{"axpy", 2, 2, 1}, {"dot", 2, 2, 0},  {"scal", 1, 1, 1}, {"nrm2", 2, 1, 0},
                                        {"asum", 1, 1, 0}, {"copy", 0, 1, 1}, {"swap", 0, 2, 2}};
  std::optional<Work> work;
  for (const Vector& vector : kVectors) {
    if (!is_routine(function, vector.name)) continue;
    work = work_of(FormulaId::kMatrixVector, vector.flops * n * complex_factor(element), vector.read * n * size,
                   vector.written * n * size, data_type_of(element));
  }
  const bool left = call.text("side").value_or("LEFT").starts_with("L");
  const double order = left ? m : n;  // of the square operand
  if (is_routine(function, "trsm") || is_routine(function, "trmm")) {
    work = work_of(FormulaId::kMatrixProduct, order * m * n * complex_factor(element),
                   size * (order * order / 2 + m * n), size * m * n, data_type_of(element));
  } else if (is_routine(function, "symm") || is_routine(function, "hemm")) {
    work = work_of(FormulaId::kMatrixProduct, 2 * order * m * n * complex_factor(element),
                   size * (order * order / 2 + m * n), size * m * n, data_type_of(element));
  } else if (is_routine(function, "syrk") || is_routine(function, "herk")) {
    work = work_of(FormulaId::kMatrixProduct, n * (n + 1) * k * complex_factor(element), size * n * k,
                   size * n * (n + 1) / 2, data_type_of(element));
  } else if (is_routine(function, "ger")) {
    work = work_of(FormulaId::kMatrixVector, 2 * m * n * complex_factor(element), size * (m * n + m + n), size * m * n,
                   data_type_of(element));
  } else if (is_routine(function, "geam")) {
    work = work_of(FormulaId::kElementwise, 3 * m * n * complex_factor(element), 2 * size * m * n, size * m * n,
                   data_type_of(element));
  }
  return work ? std::optional(CallWork{*work}) : std::nullopt;
}

}  // namespace

std::string_view element_of_cuda_type(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kElements[] = {
      {"R_16F", "f16"},         {"R_16BF", "bf16"},      {"R_32F", "f32"},        {"R_64F", "f64"},
      {"C_16F", "c32"},         {"C_32F", "c64"},        {"C_64F", "c128"},       {"R_8I", "i8"},
      {"R_8U", "u8"},           {"R_32I", "i32"},        {"R_16I", "i16"},        {"R_64I", "i64"},
      {"R_8F_E4M3", "f8e4m3"},  {"R_8F_E5M2", "f8e5m2"}, {"R_4I", "i4"},          {"R_4F_E2M1", "f4e2m1"},
      {"R_8F_UE8M0", "f8e8m0"}, {"R_6F_E2M3", "f6e2m3"}, {"R_6F_E3M2", "f6e3m2"}, {"R_4U", "u4"},
  };
  for (const auto& [known, element] : kElements) {
    if (known == name) return element;
  }
  return {};
}

std::optional<CallWork> blas_work(std::string_view function, std::string_view kind, const CallArguments& call) {
  if (kind == "gemm") return gemm(call);
  if (kind == "gemv") return gemv(call);
  return kind == "blas" ? other_routine(function, call) : std::nullopt;
}

}  // namespace xsp::analysis
