#include "analysis/work/call_work.h"

#include <charconv>

#include "analysis/timeline/kernel_metrics.h"
#include "analysis/work/library_work.h"
#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

/// Notes of an engine: of the plan, or of the call.
void add_notes(std::string_view notes, CallWork* found) {
  const auto has = [&](std::string_view note) { return notes.find(note) != std::string_view::npos; };
  if (has("WINOGRAD")) found->flags |= kWinograd;
  if (has("FFT")) found->flags |= kFft;
  if (!has("TENSOR_CORE")) return;
  switch (found->work.type) {
    case DataType::kF16:
      found->work.type = DataType::kF16Tensor;
      break;
    case DataType::kBf16:
      found->work.type = DataType::kBf16Tensor;
      break;
    case DataType::kF32:
      found->work.type = DataType::kTf32Tensor;
      break;
    case DataType::kF64:
      found->work.type = DataType::kF64Tensor;
      break;
    default:
      break;
  }
  found->is_exact = true;
}

std::optional<CallWork> backend_work(const CallArguments& call) {
  const auto json = call.text("plan");
  // Shapes given at execution replace those of the plan, so those of the plan's tensors are not known here.
  if (!json || !call.text("override_shapes").value_or("").empty()) return {};
  std::string problem;
  const auto plan = ExecutionPlan::parse(*json, &problem);
  if (!plan) return {};
  auto found = plan_work(*plan);
  if (!found) return {};
  std::string notes(call.text("numerical_notes").value_or(""));
  for (const std::string& note : plan->notes) notes += ',' + note;
  add_notes(notes, &*found);
  return found;
}

}  // namespace

std::optional<CallWork> call_work(const Trace& trace, Row row) {
  const CallArguments call(trace, row);
  if (!call.any()) return {};
  const std::string_view library = trace.text(trace.spans.type[row]);
  const std::string_view function = trace.text(trace.spans.name[row]);
  const std::string_view kind = call.text("class").value_or("");
  if (library == "cublas" || library == "cublaslt" || library == "blas" || library == "cblas") {
    return blas_work(function, kind, call);
  }
  if (library == "cudnn") return function.starts_with("cudnnBackend") ? backend_work(call) : cudnn_work(function, call);
  if (library == "nccl") return nccl_work(function, call);
  if (library == "onednn") {
    const auto primitive = call.text("primitive");
    return primitive ? onednn_work(*primitive) : std::nullopt;
  }
  return {};
}

std::optional<TensorShape> described_tensor(std::string_view text) {
  const size_t end = text.find(']');
  if (end == std::string_view::npos) return {};
  const auto read = parse_tensor_arguments(text.substr(0, end + 1));
  if (!read || read->size() != 1 || read->front().size() != 1) return {};
  return read->front().front();
}

std::optional<TensorShape> described_tensor(const CallArguments& call, std::string_view field) {
  const auto text = call.text(field);
  return text ? described_tensor(*text) : std::nullopt;
}

std::string_view word_of(std::string_view text, std::string_view key) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
    at = end + 1;
  }
  return {};
}

std::optional<double> product_of_word(std::string_view text, std::string_view key) {
  std::string_view value = word_of(text, key);
  if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
  if (value.empty()) return {};
  double product = 1;
  while (true) {
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || number < 0) return {};
    product *= static_cast<double>(number);
    value.remove_prefix(static_cast<size_t>(stop - value.data()));
    if (value.empty()) return product;
    if (value.front() != ',') return {};
    value.remove_prefix(1);
  }
}

std::optional<CallWork> nccl_work(std::string_view function, const CallArguments& call) {
  static constexpr std::pair<std::string_view, std::string_view> kElements[] = {
      {"Int8", "i8"},     {"Uint8", "u8"},      {"Int32", "i32"},         {"Uint32", "u32"},
      {"Int64", "i64"},   {"Uint64", "u64"},    {"Float16", "f16"},       {"Float32", "f32"},
      {"Float64", "f64"}, {"Bfloat16", "bf16"}, {"Float8e4m3", "f8e4m3"}, {"Float8e5m2", "f8e5m2"},
  };
  const std::string_view type = call.text("datatype").value_or("");
  std::string_view element;
  for (const auto& [name, known] : kElements) {
    if (name == type) element = known;
  }
  std::optional<double> count = call.number("count");
  // For these the other side is larger by the number of ranks, which the call does not tell.
  const bool one_side = !count;
  if (!count) count = call.number("sendcount");
  if (!count) count = call.number("recvcount");
  if (!count || *count < 0 || element.empty()) return {};
  const double bytes = *count * element_bytes(element);
  const bool sends = function != "ncclRecv";
  const bool receives = function != "ncclSend";
  auto work = work_of(FormulaId::kCollective, 0, sends ? bytes : 0, receives ? bytes : 0, data_type_of(element));
  if (!work) return {};
  if (one_side) work->has_bytes = false;
  return CallWork{*work};
}

std::optional<CallWork> onednn_work(std::string_view primitive) {
  const std::string_view kind = primitive.substr(0, primitive.find(' '));
  const auto tensor = [&](std::string_view role) { return described_tensor(word_of(primitive, role)); };
  const std::string_view algorithm = word_of(primitive, "alg");
  // Only one of each pair exists: that of the forward primitive or that of its gradients.
  auto source = tensor("src");
  auto weights = tensor("wei");
  auto destination = tensor("dst");
  if (!source) source = tensor("diff_src");
  if (!weights) weights = tensor("diff_wei");
  if (!destination) destination = tensor("diff_dst");
  if (!source || !weights || !destination) return {};
  std::optional<Work> work;
  const double bytes_read = source->bytes() + weights->bytes() + (tensor("bia") ? tensor("bia")->bytes() : 0);
  const double bias = tensor("bia") ? destination->elements : 0;
  const DataType type = data_type_of(source->element);
  if (kind == "convolution" && weights->rank() >= source->rank() && source->rank() >= 3 &&
      destination->dimension(1) > 0) {
    const double per_output = weights->elements / static_cast<double>(destination->dimension(1));
    work = work_of(FormulaId::kConvolution, 2 * destination->elements * per_output + bias, bytes_read,
                   destination->bytes(), type);
  } else if (kind == "inner_product" && destination->rank() == 2 && destination->dimension(1) > 0) {
    const double inner = weights->elements / static_cast<double>(destination->dimension(1));
    work = work_of(FormulaId::kMatrixProduct, 2 * destination->elements * inner + bias, bytes_read,
                   destination->bytes(), type);
  } else if (kind == "matmul") {
    const auto inner = static_cast<double>(source->dimension(-1));
    work = work_of(FormulaId::kMatrixProduct, 2 * destination->elements * inner + bias, bytes_read,
                   destination->bytes(), type);
  }
  if (!work) return {};
  CallWork found{*work};
  if (algorithm.find("winograd") != std::string_view::npos) found.flags |= kWinograd;
  return found;
}

}  // namespace xsp::analysis
