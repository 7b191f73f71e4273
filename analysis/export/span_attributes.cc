#include "analysis/export/span_attributes.h"

#include <charconv>

#include "analysis/tables/kernel_work.h"
#include "analysis/trace/data_type.h"

namespace xsp::analysis {
namespace {

using Of = SpanAttribute::Of;
using AttributeType = SpanAttribute::Type;
using Form = AttributeForm;

constexpr AttributeForm::Where on(Level level) {
  return static_cast<AttributeForm::Where>(1U << static_cast<unsigned>(level));
}

constexpr AttributeForm::Where kModelsAndLayers = on(Level::kModel) | on(Level::kLayer);
constexpr AttributeForm::Where kAllocating = on(Level::kUnspecified) | on(Level::kApplication) | kModelsAndLayers;

constexpr AttributeForm kNone = {};

AttributeValue known(uint64_t value, uint64_t unknown) {
  return value == unknown ? AttributeValue() : static_cast<int64_t>(value);
}

AttributeValue bytes(const AttributedSpan& of) {
  return known(of.trace.spans.bytes[of.span.row], SpanTable::kUnknownBytes);
}

template <typename Member>
AttributeValue metric(const AttributedSpan& of, Member member) {
  if (of.metrics == nullptr) return {};
  return of.metrics->*member;
}

constexpr SpanAttribute kAttributes[] = {
    {"correlation",
     Of::kSpans,
     AttributeType::kInteger,
     "",
     "CUPTI's correlation id",
     {"correlation"},
     {"xsp.correlation"},
     kNone,  // Chrome's pairs calls and executions of several processes
     [](const AttributedSpan& of) { return known(of.span.correlation, 0); }},
    {"bytes",
     Of::kSpans,
     AttributeType::kInteger,
     "bytes",
     "copied or set; of other spans allocated; null: not known",
     {"bytes", kModelsAndLayers | Form::kCopies | Form::kOtherExecutions},
     {"xsp.bytes", Form::kCopies},
     {"bytes", Form::kCopies},
     bytes},
    {"",
     Of::kSpans,
     AttributeType::kInteger,
     "bytes",
     "allocated",
     kNone,
     {"xsp.allocated_bytes", kAllocating},
     kNone,
     bytes},
    {"failed",
     Of::kSpans,
     AttributeType::kBool,
     "",
     "whether it ended by an exception",
     {"failed", Form::kHost},
     kNone,
     kNone,
     [](const AttributedSpan& of) { return AttributeValue(of.trace.spans.has_failed(of.span.row)); }},
    {"shallow",
     Of::kSpans,
     AttributeType::kBool,
     "",
     "whether it is a model call that was not sampled: nothing inside it was recorded",
     {"shallow", Form::kHost},
     {"xsp.model.recorded", on(Level::kModel), "call alone"},
     {"recorded", Form::kHost, "call alone"},
     [](const AttributedSpan& of) { return AttributeValue(of.trace.spans.is_shallow(of.span.row)); }},
    {"backward",
     Of::kSpans,
     AttributeType::kBool,
     "",
     "whether it is work of a backward pass; its layer is that of the forward pass",
     {"phase", Form::kDevice, "backward"},
     {"xsp.phase", Form::kEverywhere, "backward"},
     kNone,
     [](const AttributedSpan& of) { return AttributeValue(of.place.backward); }},
    {"",
     Of::kSpans,
     AttributeType::kInteger,
     "",
     "executable graph that it was launched in",
     kNone,
     kNone,
     {"graph id", Form::kDevice},
     [](const AttributedSpan& of) {
       const ExecutionTable& executions = of.trace.executions;
       return executions.graph_node[of.span.execution] == 0 ? AttributeValue()
                                                            : int64_t{executions.graph[of.span.execution]};
     }},
    {"",
     Of::kSpans,
     AttributeType::kInteger,
     "",
     "node of that graph",
     {"graph_node", Form::kDevice},
     kNone,
     {"graph node id", Form::kDevice},
     [](const AttributedSpan& of) { return known(of.trace.executions.graph_node[of.span.execution], 0); }},

    {"grid",
     Of::kKernels,
     AttributeType::kText,
     "",
     "of a kernel: blocks in each dimension",
     {"grid", Form::kKernels},
     {"xsp.kernel.grid", Form::kKernels},
     {"grid", Form::kKernels},
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.grid; }},
    {"block",
     Of::kKernels,
     AttributeType::kText,
     "",
     "of a kernel: threads in each dimension",
     {"block", Form::kKernels},
     {"xsp.kernel.block", Form::kKernels},
     {"block", Form::kKernels},
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.block; }},
    {"registers",
     Of::kKernels,
     AttributeType::kInteger,
     "",
     "a thread",
     {"registers", Form::kKernels},
     {"xsp.kernel.registers", Form::kKernels},
     {"registers per thread", Form::kKernels},
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.registers; }},
    {"static_shared_bytes",
     Of::kKernels,
     AttributeType::kInteger,
     "bytes",
     "shared memory of a block",
     kNone,
     {"xsp.kernel.static_shared_bytes", Form::kKernels},
     kNone,
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.static_shared; }},
    {"dynamic_shared_bytes",
     Of::kKernels,
     AttributeType::kInteger,
     "bytes",
     "shared memory of a block",
     kNone,
     {"xsp.kernel.dynamic_shared_bytes", Form::kKernels},
     kNone,
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.dynamic_shared; }},
    {"",
     Of::kKernels,
     AttributeType::kInteger,
     "bytes",
     "shared memory of a block that the launch asked for",
     {"shared_memory", Form::kKernels},
     kNone,
     kNone,
     nullptr,
     [](const LaunchConfiguration& launch) { return launch.shared.empty() ? launch.dynamic_shared : launch.shared; }},
    {"data_type",
     Of::kKernels,
     AttributeType::kText,
     "",
     "a kernel computes in, where that is known",
     {"data_type", Form::kDevice},
     kNone,
     kNone,
     [](const AttributedSpan& of) {
       return of.metrics == nullptr ? AttributeValue() : AttributeValue(std::string_view(name_of(of.metrics->type)));
     }},
    {"flops",
     Of::kKernels,
     AttributeType::kReal,
     "",
     "executed (metrics_source counters) or of the algorithm (analytic)",
     {"flops", Form::kDevice},
     {"xsp.flops", Form::kDevice},
     {"flops", Form::kDevice},
     [](const AttributedSpan& of) { return metric(of, &KernelMetrics::flops); }},
    {"dram_read_bytes",
     Of::kKernels,
     AttributeType::kReal,
     "bytes",
     "measured, or those that must be read at least",
     {"dram_read_bytes", Form::kDevice},
     {"xsp.dram.read_bytes", Form::kDevice},
     {"dram read bytes", Form::kDevice},
     [](const AttributedSpan& of) { return metric(of, &KernelMetrics::dram_read_bytes); }},
    {"dram_write_bytes",
     Of::kKernels,
     AttributeType::kReal,
     "bytes",
     "likewise",
     {"dram_write_bytes", Form::kDevice},
     {"xsp.dram.write_bytes", Form::kDevice},
     {"dram write bytes", Form::kDevice},
     [](const AttributedSpan& of) { return metric(of, &KernelMetrics::dram_write_bytes); }},
    {"occupancy_pct",
     Of::kKernels,
     AttributeType::kReal,
     "%",
     "achieved, of counters alone",
     {"occupancy_pct", Form::kDevice},
     {"xsp.occupancy_pct", Form::kDevice},
     {"est. achieved occupancy %", Form::kDevice},
     [](const AttributedSpan& of) { return metric(of, &KernelMetrics::occupancy_pct); }},
    {"metrics_source",
     Of::kKernels,
     AttributeType::kText,
     "",
     "counters or analytic; null: nothing is known",
     {"metric_source", Form::kDevice},
     {"xsp.metrics.source", Form::kDevice},
     kNone,
     [](const AttributedSpan& of) {
       return of.metrics == nullptr ? AttributeValue() : AttributeValue(std::string_view(name_of(of.metrics->source)));
     }},
};

}  // namespace

AttributeForm::Where AttributedSpan::where() const {
  if (span.execution == kNoExecution) return on(span.level);
  if (span.kind == Kind::kKernel) return AttributeForm::kKernels;
  return span.kind == Kind::kMemcpy || span.kind == Kind::kMemset ? AttributeForm::kCopies
                                                                  : AttributeForm::kOtherExecutions;
}

std::span<const SpanAttribute> span_attributes() { return kAttributes; }

AttributeValue column_value(const SpanAttribute& attribute, const AttributedSpan& span,
                            const LaunchConfiguration& launch) {
  const AttributeValue value =
      attribute.value != nullptr ? attribute.value(span) : AttributeValue(attribute.configured(launch));
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr || attribute.type == SpanAttribute::Type::kText) return value;
  const std::optional<int64_t> number = integer_of(*text);
  return number ? AttributeValue(*number) : AttributeValue();
}

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return {};
  return number;
}

}  // namespace xsp::analysis
