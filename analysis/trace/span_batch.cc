#include "analysis/trace/span_batch.h"

#include <array>

#include "proto/pbf.h"

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
};

/// Times stay below this (146 years), so that differences and tolerances cannot overflow.
constexpr int64_t kMaxTime = int64_t{1} << 62;

/// The fields of a batch, columns still encoded.
struct Batch {
  uint32_t thread = 0;
  uint32_t ring = 0;
  uint32_t count = 0;
  bool has_bytes = false;
  std::array<protozero::data_view, kFailed + 1> columns;

  bool has(Field field) const { return !columns[field].empty(); }
};

constexpr bool is_column(uint32_t field) { return field >= kBegin && field <= kFailed && field != kHasBytes; }

bool read_fields(std::string_view encoded, Batch* batch) {
  protozero::pbf_reader reader(encoded.data(), encoded.size());
  while (reader.next()) {
    const uint32_t field = reader.tag();
    const bool delimited = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
    const bool varint = reader.wire_type() == protozero::pbf_wire_type::varint;
    if (is_column(field)) {
      if (!delimited || batch->has(static_cast<Field>(field))) return false;
      batch->columns[field] = reader.get_view();
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

/// Calls `put(i, value)` for the values of a packed column; `put` refuses by false. An absent column puts nothing.
template <typename Put>
bool decode(const Batch& batch, Field field, Put&& put) {
  const protozero::data_view& column = batch.columns[field];
  if (column.empty()) return true;
  const char* at = column.data();
  const char* const end = at + column.size();
  for (size_t i = 0; i < batch.count; ++i) {
    if (at == end || !put(i, protozero::decode_varint(&at, end))) return false;
  }
  return at == end;
}

bool decode_times(const Batch& batch, size_t first, SpanTable* spans) {
  uint64_t begin = 0;
  int64_t* const begins = spans->begin.data() + first;
  int64_t* const ends = spans->end.data() + first;
  if (!decode(batch, kBegin, [&](size_t i, uint64_t value) {
        begin += static_cast<uint64_t>(protozero::decode_zigzag64(value));
        begins[i] = ends[i] = static_cast<int64_t>(begin);
        return begins[i] >= 0 && begins[i] <= kMaxTime;
      })) {
    return false;
  }
  return decode(batch, kDuration, [&](size_t i, uint64_t duration) {
    if (duration > static_cast<uint64_t>(kMaxTime - begins[i])) return false;
    ends[i] = begins[i] + static_cast<int64_t>(duration);
    return true;
  });
}

bool decode_links(const Batch& batch, size_t first, SpanTable* spans) {
  uint32_t* const ids = spans->id.data() + first;
  uint32_t* const parents = spans->parent.data() + first;
  uint32_t id = 0;
  if (!decode(batch, kId, [&](size_t i, uint64_t value) {
        if (value > UINT32_MAX) return false;
        id += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(value)));
        ids[i] = id;
        return true;
      })) {
    return false;
  }
  return decode(batch, kParent, [&](size_t i, uint64_t distance) {
    if (distance > UINT32_MAX) return false;
    parents[i] = distance == 0 ? 0 : ids[i] - static_cast<uint32_t>(distance);
    return true;
  });
}

bool decode_levels(const Batch& batch, size_t first, SpanTable* spans) {
  return decode(batch, kLevelKind, [&](size_t i, uint64_t value) {
    const uint64_t level = value & 7;
    if (level == 0 || level >= kLevelCount || value >> 3 > UINT8_MAX) return false;
    spans->level[first + i] = static_cast<Level>(level);
    spans->kind[first + i] = static_cast<Kind>(value >> 3);
    return true;
  });
}

bool decode_strings(const Batch& batch, Field field, const ProcessStrings& strings, uint32_t* to, uint64_t* missing) {
  return decode(batch, field, [&](size_t i, uint64_t id) {
    if (id > UINT32_MAX) return false;
    to[i] = strings.find(static_cast<uint32_t>(id));
    if (to[i] == StringTable::kMissing) ++*missing;
    return true;
  });
}

/// Unless the batch says that its bytes are known, 0 means unknown.
bool decode_bytes(const Batch& batch, size_t first, SpanTable* spans) {
  uint64_t* const bytes = spans->bytes.data() + first;
  if (!batch.has_bytes) std::fill_n(bytes, batch.count, SpanTable::kUnknownBytes);
  return decode(batch, kBytes, [&](size_t i, uint64_t value) {
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
  if (!decode(batch, kStartThread, [&](size_t i, uint64_t thread) {
        threads[i] = static_cast<uint32_t>(thread);
        return thread <= UINT32_MAX;
      })) {
    return false;
  }
  return decode(batch, kStartRing, [&](size_t i, uint64_t ring) {
    if (ring > UINT32_MAX) return false;
    if (ring != 0) tracks[i] = track_of(threads.empty() ? batch.thread : threads[i], static_cast<uint32_t>(ring) - 1);
    return true;
  });
}

/// Few calls fail, so that the column grows only for batches that have it.
bool decode_failed(const Batch& batch, size_t first, SpanTable* spans) {
  if (!batch.has(kFailed)) return true;
  spans->failed.resize(first + batch.count);
  return decode(batch, kFailed, [&](size_t i, uint64_t value) {
    spans->failed[first + i] = static_cast<uint8_t>(value & 1);
    return value <= 1;
  });
}

bool append(const Batch& batch, const ProcessStrings& strings, const TrackOf& track_of, size_t first, SpanTable* spans,
            uint64_t* missing) {
  return decode_times(batch, first, spans) && decode_links(batch, first, spans) && decode_levels(batch, first, spans) &&
         decode_strings(batch, kName, strings, spans->name.data() + first, missing) &&
         decode_strings(batch, kType, strings, spans->type.data() + first, missing) &&
         decode_strings(batch, kShape, strings, spans->shape.data() + first, missing) &&
         decode_strings(batch, kInput, strings, spans->input.data() + first, missing) &&
         decode_strings(batch, kScope, strings, spans->scope.data() + first, missing) &&
         decode_bytes(batch, first, spans) && decode_tracks(batch, track_of, first, spans) &&
         decode_failed(batch, first, spans);
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
    if (batch.count > batch.columns[kBegin].size() || (batch.count != 0 && !batch.has(kLevelKind))) return false;
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
