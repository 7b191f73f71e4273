#include "analysis/trace/span_batch.h"

#include <algorithm>

#include "analysis/trace/packed_columns.h"

namespace xsp::analysis {
namespace {

/// Field numbers of SpanBatch in trace.proto.
enum Field : uint32_t {
  kThread = 1,
  kRing = 2,
  kCount = 5,
  kBegin = 7,
  kDuration = 8,
  kId = 9,
  kParent = 10,
  kLevelKind = 11,
  kName = 12,
  kType = 13,
  kShape = 14,
  kInput = 15,
  kBytes = 16,
  kHasBytes = 17,
  kScope = 18,
  kStartThread = 19,
  kStartRing = 20,
  kFailed = 21,
  kCorrelation = 22,
  kForwardRing = 23,
  kForward = 24,
  kBytesKnown = 25,
  kShallow = 26,
};

struct Batch : PackedColumns<kShallow + 1> {
  uint32_t thread = 0;
  uint32_t ring = 0;
  bool has_bytes = false;
};

constexpr bool is_column(uint32_t field) { return field >= kBegin && field <= kShallow && field != kHasBytes; }

bool read_fields(std::string_view encoded, Batch* batch) {
  protozero::pbf_reader reader(encoded.data(), encoded.size());
  while (reader.next()) {
    const uint32_t field = reader.tag();
    const bool varint = reader.wire_type() == protozero::pbf_wire_type::varint;
    if (is_column(field)) {
      if (!batch->take(reader)) return false;
    } else if (varint && field == kThread) {
      batch->thread = reader.get_uint32();
    } else if (varint && field == kRing) {
      batch->ring = reader.get_uint32();
    } else if (varint && field == kCount) {
      batch->count = reader.get_uint32();
    } else if (varint && field == kHasBytes) {
      batch->has_bytes = reader.get_bool();
    } else {
      reader.skip();
    }
  }
  return true;
}

bool decode_links(const Batch& batch, size_t first, SpanTable* spans) {
  uint32_t* const ids = spans->id.data() + first;
  uint32_t* const parents = spans->parent.data() + first;
  uint32_t id = 0;
  if (!batch.decode(kId, [&](size_t i, uint64_t value) {
        if (value > UINT32_MAX) return false;
        id += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(value)));
        ids[i] = id;
        return true;
      })) {
    return false;
  }
  return batch.decode(kParent, [&](size_t i, uint64_t distance) {
    if (distance > UINT32_MAX) return false;
    parents[i] = distance == 0 ? 0 : ids[i] - static_cast<uint32_t>(distance);
    return true;
  });
}

/// Unless the batch says that its bytes, or those of the span, are known, 0 means unknown.
bool decode_bytes(const Batch& batch, size_t first, SpanTable* spans) {
  uint64_t* const bytes = spans->bytes.data() + first;
  if (!batch.has_bytes) std::fill_n(bytes, batch.count, SpanTable::kUnknownBytes);
  return batch.decode(kBytesKnown, [&](size_t i, uint64_t value) {
    if (value != 0) bytes[i] = 0;
    return value <= 1;
  }) && batch.decode(kBytes, [&](size_t i, uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return false;
    if (value != 0) bytes[i] = value;
    return true;
  });
}

/// Spans that began on another thread belong to that thread's track: their id and parent are of its ring.
bool decode_tracks(const Batch& batch, const TrackOf& track_of, size_t first, SpanTable* spans) {
  uint32_t* const tracks = spans->track.data() + first;
  std::fill_n(tracks, batch.count, track_of(batch.thread, batch.ring));
  if (!batch.has(kStartRing)) return true;
  std::vector<uint32_t> threads(batch.has(kStartThread) ? batch.count : 0);
  if (!batch.decode_numbers(kStartThread, threads.data())) return false;
  return batch.decode(kStartRing, [&](size_t i, uint64_t ring) {
    if (ring > UINT32_MAX) return false;
    if (ring != 0) tracks[i] = track_of(threads.empty() ? batch.thread : threads[i], static_cast<uint32_t>(ring) - 1);
    return true;
  });
}

/// Few calls fail, so that the column grows only for batches that have it.
bool decode_failed(const Batch& batch, size_t first, SpanTable* spans) {
  if (!batch.has(kFailed)) return true;
  spans->failed.resize(first + batch.count);
  return batch.decode(kFailed, [&](size_t i, uint64_t value) {
    spans->failed[first + i] = static_cast<uint8_t>(value & 1);
    return value <= 1;
  });
}

/// Likewise: without sampling none is. Only a model call can be one.
bool decode_shallow(const Batch& batch, size_t first, SpanTable* spans) {
  if (!batch.has(kShallow)) return true;
  spans->shallow.resize(first + batch.count);
  return batch.decode(kShallow, [&](size_t i, uint64_t value) {
    spans->shallow[first + i] = value != 0 && spans->level[first + i] == Level::kModel ? 1 : 0;
    return value <= 1;
  });
}

/// Likewise: without the kernel level no span has one.
bool decode_correlations(const Batch& batch, size_t first, SpanTable* spans) {
  if (!batch.has(kCorrelation)) return true;
  spans->correlation.resize(first + batch.count);
  return batch.decode_distances(kCorrelation, spans->correlation.data() + first);
}

/// Likewise: only profilers that follow gradients tell.
bool decode_forwards(const Batch& batch, size_t first, SpanTable* spans) {
  if (!batch.has(kForwardRing) || !batch.has(kForward)) return true;
  spans->forward.resize(first + batch.count);
  uint64_t* const forwards = spans->forward.data() + first;
  DistanceColumn ids;
  return batch.decode(kForwardRing, [&](size_t i, uint64_t ring) {
    forwards[i] = ring << 32;
    return ring <= UINT32_MAX;
  }) && batch.decode(kForward, [&](size_t i, uint64_t value) {
    const uint64_t id = ids.decode(value);
    forwards[i] = id == 0 || forwards[i] == 0 ? 0 : forwards[i] | id;
    return id <= UINT32_MAX;
  });
}

bool append(const Batch& batch, const ProcessStrings& strings, const TrackOf& track_of, size_t first, SpanTable* spans,
            uint64_t* missing) {
  return batch.decode_times(kBegin, kDuration, spans->begin.data() + first, spans->end.data() + first) &&
         decode_links(batch, first, spans) &&
         batch.decode_levels(kLevelKind, spans->level.data() + first, spans->kind.data() + first) &&
         batch.decode_strings(kName, strings, spans->name.data() + first, missing) &&
         batch.decode_strings(kType, strings, spans->type.data() + first, missing) &&
         batch.decode_strings(kShape, strings, spans->shape.data() + first, missing) &&
         batch.decode_strings(kInput, strings, spans->input.data() + first, missing) &&
         batch.decode_strings(kScope, strings, spans->scope.data() + first, missing) &&
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
    Batch batch;
    if (!read_fields(encoded, &batch)) return false;
    // A begin takes at least a byte, so that a claimed count is bounded by the bytes that are there.
    if (batch.count > batch.encoded[kBegin].size() || (batch.count != 0 && !batch.has(kLevelKind))) return false;
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
