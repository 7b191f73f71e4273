#include "analysis/trace/argument_batch.h"

#include "proto/pbf.h"

namespace xsp::analysis {
namespace {

/// Field numbers of ArgumentBatch in trace.proto.
enum Field : uint32_t { kRing = 2, kSpan = 3, kLayout = 4, kLength = 5, kValues = 6 };

struct Batch {
  uint32_t ring = 0;
  protozero::data_view spans;
  protozero::data_view layouts;
  protozero::data_view lengths;
  protozero::data_view values;
};

Batch read_fields(std::string_view encoded) {
  Batch batch;
  protozero::pbf_reader reader(encoded.data(), encoded.size());
  while (reader.next()) {
    const bool delimited = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
    const bool varint = reader.wire_type() == protozero::pbf_wire_type::varint;
    if (varint && reader.tag() == kRing) {
      batch.ring = reader.get_uint32();
    } else if (delimited && reader.tag() == kSpan) {
      batch.spans = reader.get_view();
    } else if (delimited && reader.tag() == kLayout) {
      batch.layouts = reader.get_view();
    } else if (delimited && reader.tag() == kLength) {
      batch.lengths = reader.get_view();
    } else if (delimited && reader.tag() == kValues) {
      batch.values = reader.get_view();
    } else {
      reader.skip();
    }
  }
  return batch;
}

/// A packed column, value by value.
class Column {
 public:
  explicit Column(const protozero::data_view& view) : at_(view.data()), end_(at_ + view.size()) {}
  bool at_end() const { return at_ == end_; }
  uint64_t next() { return protozero::decode_varint(&at_, end_); }

 private:
  const char* at_;
  const char* end_;
};

uint64_t key_of(uint32_t ring, uint32_t span) { return uint64_t{ring} << 32 | span; }

}  // namespace

bool append_argument_batch(std::string_view encoded, const StringTable& texts, const ProcessStrings& strings,
                           PendingArguments* pending, ArgumentTable* table, uint64_t* missing_strings) {
  const Batch batch = read_fields(encoded);
  Column spans(batch.spans);
  Column layouts(batch.layouts);
  Column lengths(batch.lengths);
  std::string_view values(batch.values.data(), batch.values.size());
  uint32_t span = 0;
  while (!spans.at_end() && !layouts.at_end() && !lengths.at_end()) {
    const uint64_t difference = spans.next();
    const uint64_t layout = layouts.next();
    const uint64_t length = lengths.next();
    if (difference > UINT32_MAX || layout > UINT32_MAX || length > values.size()) return false;
    span += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(difference)));
    const uint32_t text = strings.find(static_cast<uint32_t>(layout));
    if (text == 0 || text == StringTable::kMissing) {
      ++*missing_strings;
    } else if (table->size() < SpanTable::kNoArguments - 1 && !pending->contains(key_of(batch.ring, span))) {
      pending->emplace(key_of(batch.ring, span),
                       table->add(text, values.substr(0, length), texts, strings, missing_strings));
    }
    values.remove_prefix(length);
  }
  return spans.at_end() && layouts.at_end() && lengths.at_end() && values.empty();
}

void attach_arguments(size_t first, const std::vector<Track>& tracks, PendingArguments* pending, SpanTable* spans) {
  for (size_t row = first; row < spans->size() && !pending->empty(); ++row) {
    if (spans->id[row] == 0) continue;
    const auto found = pending->find(key_of(tracks[spans->track[row]].ring, spans->id[row]));
    if (found == pending->end()) continue;
    spans->arguments.resize(row + 1);
    spans->arguments[row] = found->second + 1;
    pending->erase(found);
  }
}

}  // namespace xsp::analysis
