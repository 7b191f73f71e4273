#include "analysis/trace/activity_batch.h"

#include <algorithm>

#include "analysis/trace/packed_columns.h"
#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {
namespace {

using ActivityFields = wire::ActivityBatch;

/// The columns thread and failed are of the socket only.
struct EncodedActivities : EncodedBatch<wire::ActivityBatch> {
  std::vector<Queue> queues;
};

bool read_fields(std::string_view encoded, uint32_t process, EncodedActivities* batch) {
  return read_batch<wire::Mismatch::kSkip>(encoded, ActivityFields::kQueue, batch, [&](std::string_view element) {
    const auto queue = packet::read<wire::ActivityBatchQueue>(element);
    batch->queues.push_back(
        {.process = process, .device = queue.device, .context = queue.context, .stream = queue.stream});
    return true;
  });
}

bool decode_bytes(const EncodedActivities& batch, uint64_t* bytes) {
  std::fill_n(bytes, batch.count, SpanTable::kUnknownBytes);
  return batch.decode(ActivityFields::kBytes, [&](size_t i, uint64_t value) {
    if (value != 0) bytes[i] = value;
    return value <= static_cast<uint64_t>(INT64_MAX);
  });
}

bool decode_reference(const EncodedActivities& batch, uint32_t ring_field, uint32_t id_field,
                      SpanReference* references) {
  return batch.decode(ring_field, [&](size_t i, uint64_t ring) {
    references[i].ring = static_cast<uint32_t>(ring);
    return ring <= UINT32_MAX;
  }) && batch.decode_distances(id_field, [&](size_t i, uint64_t id) {
    references[i].id = static_cast<uint32_t>(id);
    return id <= UINT32_MAX;
  });
}

constexpr bool is_of_device(Kind kind) {
  return (kind >= Kind::kKernel && kind <= Kind::kStreamInterval) || kind == Kind::kAnnotation;
}

bool append_spans(const EncodedActivities& batch, const ProcessStrings& strings, size_t first, SpanTable* spans,
                  uint64_t* missing) {
  return decode_times(batch, ActivityFields::kBegin, ActivityFields::kDuration, spans->begin.data() + first,
                      spans->end.data() + first) &&
         decode_levels(batch, ActivityFields::kLevelKind, spans->level.data() + first, spans->kind.data() + first) &&
         std::all_of(spans->level.begin() + static_cast<ptrdiff_t>(first), spans->level.end(),
                     [](Level level) { return level == Level::kDevice; }) &&
         std::all_of(spans->kind.begin() + static_cast<ptrdiff_t>(first), spans->kind.end(), is_of_device) &&
         decode_strings(batch, ActivityFields::kName, strings, spans->name.data() + first, missing) &&
         decode_strings(batch, ActivityFields::kConfiguration, strings, spans->shape.data() + first, missing) &&
         decode_bytes(batch, spans->bytes.data() + first);
}

/// `queue` gets the index in the batch's own queues.
bool append_executions(const EncodedActivities& batch, size_t first, ExecutionTable* executions) {
  return decode_numbers(batch, ActivityFields::kQueueIndex, executions->queue.data() + first) &&
         decode_distances(batch, ActivityFields::kCorrelation, executions->correlation.data() + first) &&
         decode_distances(batch, ActivityFields::kGraphNode, executions->graph_node.data() + first) &&
         decode_numbers(batch, ActivityFields::kGraph, executions->graph.data() + first) &&
         decode_reference(batch, ActivityFields::kLaunchRing, ActivityFields::kLaunch,
                          executions->launch.data() + first) &&
         decode_reference(batch, ActivityFields::kCaptureRing, ActivityFields::kCapture,
                          executions->capture.data() + first) &&
         std::all_of(executions->queue.begin() + static_cast<ptrdiff_t>(first), executions->queue.end(),
                     [&](uint32_t queue) { return queue < batch.queues.size(); });
}

/// Indices in the batch's queues become those of the trace.
void number_queues(const EncodedActivities& batch, size_t first, QueueNumbers* numbers, Trace* trace) {
  std::vector<uint32_t> of_trace;
  of_trace.reserve(batch.queues.size());
  for (const Queue& queue : batch.queues) {
    const auto [found, added] =
        numbers->try_emplace({queue.device, queue.context, queue.stream}, static_cast<uint32_t>(trace->queues.size()));
    if (added) trace->queues.push_back(queue);
    of_trace.push_back(found->second);
  }
  for (size_t i = first; i < trace->executions.size(); ++i) {
    trace->executions.queue[i] = of_trace[trace->executions.queue[i]];
  }
}

}  // namespace

bool append_activity_batch(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                           const TrackOf& track_of, QueueNumbers* queues, Trace* trace) {
  SpanTable& spans = trace->spans;
  ExecutionTable& executions = trace->executions;
  const size_t first_span = spans.size();
  const size_t first = executions.size();
  uint64_t missing = 0;
  try {
    EncodedActivities batch;
    if (!read_fields(encoded, process, &batch)) return false;
    // As for spans, a claimed count is bounded by the bytes that are there.
    if (batch.count > batch.encoded[ActivityFields::kBegin].size() ||
        (batch.count != 0 && !batch.has(ActivityFields::kLevelKind)))
      return false;
    if (first_span + batch.count >= kNoRow) return false;
    if (batch.count == 0) return true;
    // Of an activity that is in no queue, such as CUPTI's overhead, the collector may leave the queues out.
    if (batch.queues.empty()) batch.queues.push_back({.process = process});
    spans.resize(first_span + batch.count);
    executions.resize(first + batch.count);
    for (size_t i = 0; i < batch.count; ++i) executions.row[first + i] = static_cast<Row>(first_span + i);
    if (append_spans(batch, strings, first_span, &spans, &missing) && append_executions(batch, first, &executions)) {
      std::fill_n(spans.track.begin() + static_cast<ptrdiff_t>(first_span), batch.count, track_of(0, batch.head.ring));
      number_queues(batch, first, queues, trace);
      trace->missing_strings += missing;
      return true;
    }
  } catch (const protozero::exception&) {
  }
  spans.resize(first_span);
  executions.resize(first);
  return false;
}

}  // namespace xsp::analysis
