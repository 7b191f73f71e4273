#include "analysis/trace/span_batch.h"

#include <algorithm>

#include "analysis/trace/packed_columns.h"

namespace xsp::analysis {
namespace {

using SpanFields = wire::SpanBatch;

bool decode_links(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  uint32_t* const ids = spans->id.data() + first;
  uint32_t* const parents = spans->parent.data() + first;
  const auto put = [](uint32_t* to) {
    return [to](size_t i, uint32_t id) {
      to[i] = id;
      return true;
    };
  };
  return batch.decode_ids(put(ids)) && batch.decode_parents([&](size_t i) { return ids[i]; }, put(parents));
}

/// 0 means unknown, unless the batch says that its bytes, or the span's, are known.
bool decode_bytes(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  uint64_t* const bytes = spans->bytes.data() + first;
  if (!batch.head.has_bytes) std::fill_n(bytes, batch.count, SpanTable::kUnknownBytes);
  return batch.decode(SpanFields::kBytesKnown, [&](size_t i, uint64_t value) {
    if (value != 0) bytes[i] = 0;
    return value <= 1;
  }) && batch.decode(SpanFields::kBytes, [&](size_t i, uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return false;
    if (value != 0) bytes[i] = value;
    return true;
  });
}

/// Spans that began on another thread belong to that thread's track: their id and parent are of its ring.
bool decode_tracks(const SpanBatchColumns& batch, const TrackOf& track_of, size_t first, SpanTable* spans) {
  uint32_t* const tracks = spans->track.data() + first;
  std::fill_n(tracks, batch.count, track_of(batch.head.thread, batch.head.ring));
  if (!batch.has(SpanFields::kStartRing)) return true;
  std::vector<uint32_t> threads(batch.has(SpanFields::kStartThread) ? batch.count : 0);
  if (!decode_numbers(batch, SpanFields::kStartThread, threads.data())) return false;
  return batch.decode(SpanFields::kStartRing, [&](size_t i, uint64_t ring) {
    if (ring > UINT32_MAX) return false;
    if (ring != 0)
      tracks[i] = track_of(threads.empty() ? batch.head.thread : threads[i], static_cast<uint32_t>(ring) - 1);
    return true;
  });
}

/// Few calls fail, so the column grows only for batches that have it.
bool decode_failed(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  if (!batch.has(SpanFields::kFailed)) return true;
  spans->failed.resize(first + batch.count);
  return batch.decode(SpanFields::kFailed, [&](size_t i, uint64_t value) {
    spans->failed[first + i] = static_cast<uint8_t>(value & 1);
    return value <= 1;
  });
}

/// Likewise: without sampling no span has it. Only a model call can.
bool decode_shallow(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  if (!batch.has(SpanFields::kShallow)) return true;
  spans->shallow.resize(first + batch.count);
  return batch.decode(SpanFields::kShallow, [&](size_t i, uint64_t value) {
    spans->shallow[first + i] = value != 0 && spans->level[first + i] == Level::kModel ? 1 : 0;
    return value <= 1;
  });
}

/// Likewise: without the kernel level no span has one.
bool decode_correlations(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  if (!batch.has(SpanFields::kCorrelation)) return true;
  spans->correlation.resize(first + batch.count);
  return decode_distances(batch, SpanFields::kCorrelation, spans->correlation.data() + first);
}

/// Likewise: only profilers that follow gradients tell.
bool decode_forwards(const SpanBatchColumns& batch, size_t first, SpanTable* spans) {
  if (!batch.has(SpanFields::kForwardRing) || !batch.has(SpanFields::kForward)) return true;
  spans->forward.resize(first + batch.count);
  uint64_t* const forwards = spans->forward.data() + first;
  return batch.decode(SpanFields::kForwardRing, [&](size_t i, uint64_t ring) {
    forwards[i] = ring << 32;
    return ring <= UINT32_MAX;
  }) && batch.decode_distances(SpanFields::kForward, [&](size_t i, uint64_t id) {
    forwards[i] = id == 0 || forwards[i] == 0 ? 0 : forwards[i] | id;
    return id <= UINT32_MAX;
  });
}

bool append(const SpanBatchColumns& batch, const ProcessStrings& strings, const TrackOf& track_of, size_t first,
            SpanTable* spans, uint64_t* missing) {
  return decode_times(batch, SpanFields::kBegin, SpanFields::kDuration, spans->begin.data() + first,
                      spans->end.data() + first) &&
         decode_links(batch, first, spans) &&
         decode_levels(batch, SpanFields::kLevelKind, spans->level.data() + first, spans->kind.data() + first) &&
         decode_strings(batch, SpanFields::kName, strings, spans->name.data() + first, missing) &&
         decode_strings(batch, SpanFields::kType, strings, spans->type.data() + first, missing) &&
         decode_strings(batch, SpanFields::kShape, strings, spans->shape.data() + first, missing) &&
         decode_strings(batch, SpanFields::kInput, strings, spans->input.data() + first, missing) &&
         decode_strings(batch, SpanFields::kScope, strings, spans->scope.data() + first, missing) &&
         decode_bytes(batch, first, spans) && decode_tracks(batch, track_of, first, spans) &&
         decode_failed(batch, first, spans) && decode_shallow(batch, first, spans) &&
         decode_correlations(batch, first, spans) && decode_forwards(batch, first, spans);
}

}  // namespace

bool append_span_batch(std::string_view encoded, const ProcessStrings& strings, const TrackOf& track_of,
                       SpanTable* spans, uint64_t* missing_strings) {
  const size_t first = spans->size();
  uint64_t missing = 0;
  try {
    SpanBatchColumns batch;
    if (!read_batch<wire::Mismatch::kSkip>(encoded, &batch)) return false;
    // A begin takes at least a byte, so that a claimed count is bounded by the bytes that are there.
    if (batch.count > batch.encoded[SpanFields::kBegin].size() ||
        (batch.count != 0 && !batch.has(SpanFields::kLevelKind)))
      return false;
    if (first + batch.count >= kNoRow) return false;
    spans->resize(first + batch.count);
    if (append(batch, strings, track_of, first, spans, &missing)) {
      *missing_strings += missing;
      return true;
    }
  } catch (const protozero::exception&) {
  }
  spans->resize(first);
  return false;
}

}  // namespace xsp::analysis
