#pragma once

/// The records of a ring as the rows of batches: for the guest, which sends them, and for the collector, which finds
/// them in the shared memory of a process that was killed. Times stay in the record's clock, ids those of the process;
/// what a record claims is not checked.

#include "proto/activity_columns.h"
#include "proto/shared_memory.h"
#include "proto/span_columns.h"
#include "proto/trace_numbers.h"

namespace xsp {

/// Of RecordType::kSpan.
inline SpanRow row_of(const shm::Record& record) {
  SpanRow row{.begin = record.begin,
              .end = record.end,
              .bytes = record.bytes,
              .id = record.id,
              .parent = record.parent,
              .name = record.name,
              .type = record.type,
              .shape = record.shape,
              .input = record.input,
              .scope = record.scope,
              .correlation = record.correlation,
              .level = record.level,
              .kind = record.kind,
              .has_bytes = (record.flags & shm::kFlagHasBytes) != 0,
              .failed = (record.flags & shm::kFlagFailed) != 0,
              .shallow = (record.flags & shm::kFlagShallow) != 0};
  if ((record.flags & shm::kFlagForeign) != 0) {
    row.start_thread = record.type;
    row.start_ring = record.shape + 1;
    row.type = 0;
    row.shape = 0;
  }
  if ((record.flags & shm::kFlagForward) != 0) {
    row.forward_ring = record.scope;
    row.forward = record.correlation;
    row.scope = 0;
    row.correlation = 0;
  }
  return row;
}

/// Whether an activity of this kind is a call of the CUDA API, which a thread made.
constexpr bool is_api_call(uint8_t kind) {
  return kind == static_cast<uint8_t>(wire::Kind::kRuntimeCall) ||
         kind == static_cast<uint8_t>(wire::Kind::kDriverCall);
}

/// Whether it is the device time of a model span, which is in the guest's clock, where others are in CUPTI's.
constexpr bool is_stream_interval(uint8_t kind) { return kind == static_cast<uint8_t>(wire::Kind::kStreamInterval); }

/// Where a record executed; a call of the API in no queue.
inline ActivityQueue queue_of(const shm::ActivityRecord& record) {
  if (is_api_call(record.kind)) return {};
  return {.device = record.device, .context = record.context, .stream = record.stream};
}

/// Of RecordType::kActivity. `queue`: index of queue_of() in its batch.
inline ActivityRow row_of(const shm::ActivityRecord& record, uint32_t queue) {
  const bool is_call = is_api_call(record.kind);
  ActivityRow row{.begin = record.begin,
                  .end = record.end,
                  .bytes = record.bytes,
                  .name = record.name,
                  .configuration = record.configuration,
                  .queue = queue,
                  .level = static_cast<uint8_t>(is_call ? wire::Level::kRuntime : wire::Level::kDevice),
                  .kind = record.kind,
                  .failed = (record.flags & shm::kFlagFailed) != 0};
  if (is_call) row.thread = record.context;
  if (is_stream_interval(record.kind)) {
    row.launch = {.ring = record.correlation + 1, .id = static_cast<uint32_t>(record.graph_node)};
    return row;
  }
  row.correlation = record.correlation;
  row.graph_node = record.graph_node;
  row.graph = record.graph;
  return row;
}

}  // namespace xsp
