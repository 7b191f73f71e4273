#include "collector/messages/span_columns_reader.h"

#include <array>

#include "collector/messages/column_reader.h"
#include "collector/messages/peer_limits.h"
#include "collector/writing/trace_fields.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr uint32_t kFirstColumn = 7;
constexpr uint32_t kLastColumn = 26;

int32_t unzigzag(uint32_t value) { return static_cast<int32_t>(value >> 1) ^ -static_cast<int32_t>(value & 1); }

}  // namespace

Status read_span_columns(protozero::data_view bytes, SpanColumns* columns) {
  std::array<protozero::data_view, kLastColumn + 1> column{};
  BatchHead& head = columns->head;
  std::vector<SpanRow>& rows = columns->rows;
  head = {};
  rows.clear();
  uint32_t count = 0;
  bool has_bytes = false;

  for (protozero::pbf_reader batch(bytes); batch.next();) {
    const uint32_t field = batch.tag();
    switch (field) {
      case 1:
        head.thread = batch.get_uint32();
        break;
      case 2:
        head.ring = batch.get_uint32();
        break;
      case 3:
        head.first_record = batch.get_uint64();
        break;
      case 4:
        head.record_count = batch.get_uint32();
        break;
      case 5:
        count = batch.get_uint32();
        break;
      case 6:
        head.clock = batch.get_uint32();
        break;
      case 17:
        has_bytes = batch.get_bool();
        break;
      default:
        if (field < kFirstColumn || field > kLastColumn) {
          batch.skip();
        } else if (column[field].size() != 0) {
          return Status{"a span column came twice"};
        } else {
          column[field] = batch.get_view();
        }
    }
  }
  if (count > kMaxBatchSpans || head.record_count > kMaxBatchSpans) return Status{"a batch of too many spans"};
  if (count > head.record_count) return Status{"a batch of more spans than records"};
  if (head.clock > static_cast<uint32_t>(TraceClock::kTsc)) return Status{"a batch in an unknown clock"};
  // A byte holds one value at most, so the column that must be there bounds what is allocated.
  if (count > column[7].size()) return Status{"a span column of wrong length"};

  rows.resize(count);
  uint64_t begin = 0;
  uint32_t id = 0;
  bool ok = read_column(column[7], rows, [&](SpanRow& row, uint64_t value) {
    begin += static_cast<uint64_t>(protozero::decode_zigzag64(value));
    row.begin = row.end = begin;
    row.has_bytes = has_bytes;
  });
  bool overflow = false;
  ok = ok && read_column(column[8], rows, [&](SpanRow& row, uint64_t value) {
         row.end = row.begin + value;
         overflow |= row.end < row.begin;
       });
  ok = ok && read_column(column[9], rows, [&](SpanRow& row, uint64_t value) {
         id += static_cast<uint32_t>(unzigzag(static_cast<uint32_t>(value)));
         row.id = id;
       });
  ok = ok && read_column(column[10], rows, [](SpanRow& row, uint64_t value) {
         row.parent = value == 0 ? 0 : row.id - static_cast<uint32_t>(value);
       });
  ok = ok && read_column(column[11], rows, [](SpanRow& row, uint64_t value) {
         const auto level = static_cast<uint8_t>(value & 7);
         row.level = level < kLevels ? level : 0;
         row.kind = static_cast<uint8_t>(value >> 3);
       });
  const auto read_id = [&](uint32_t field, uint32_t SpanRow::*member) {
    ok = ok && read_column(column[field], rows,
                           [&](SpanRow& row, uint64_t value) { row.*member = static_cast<uint32_t>(value); });
  };
  read_id(12, &SpanRow::name);
  read_id(13, &SpanRow::type);
  read_id(14, &SpanRow::shape);
  read_id(15, &SpanRow::input);
  ok = ok && read_column(column[16], rows, [](SpanRow& row, uint64_t value) { row.bytes = value; });
  read_id(18, &SpanRow::scope);
  read_id(19, &SpanRow::start_thread);
  read_id(20, &SpanRow::start_ring);
  ok = ok && read_column(column[21], rows, [](SpanRow& row, uint64_t value) { row.failed = value != 0; });
  DistanceColumn correlations;
  ok = ok && read_column(column[22], rows, [&](SpanRow& row, uint64_t value) {
         row.correlation = static_cast<uint32_t>(correlations.decode(value));
       });
  read_id(23, &SpanRow::forward_ring);
  DistanceColumn forwards;
  ok = ok && read_column(column[24], rows, [&](SpanRow& row, uint64_t value) {
         row.forward = static_cast<uint32_t>(forwards.decode(value));
       });
  ok = ok && read_column(column[25], rows, [](SpanRow& row, uint64_t value) { row.has_bytes |= value != 0; });
  ok = ok && read_column(column[26], rows, [](SpanRow& row, uint64_t value) { row.shallow = value != 0; });
  if (!ok) return Status{"a span column of wrong length"};
  if (overflow) return Status{"a span that ends before it begins"};
  return Status();
}

}  // namespace xsp
