#pragma once

/// Made-up packets of a guest whose program evaluates layers, and a file that discards a trace.

#include <cstdint>
#include <vector>

#include "collector/clocks/tsc_rate.h"
#include "collector/server/peer.h"
#include "proto/span_columns.h"

namespace xsp {

/// Accepts everything and keeps nothing.
class NullFile : public OutputFile {
 public:
  ssize_t write(const void*, size_t size) override { return static_cast<ssize_t>(size); }
  int truncate(uint64_t) override { return 0; }
  Status publish() override { return Status(); }
};

template <typename Fill>
void add_packet(std::vector<uint8_t>& stream, uint32_t body, Fill&& fill) {
  std::vector<uint8_t> buffer(kMaxPacketBytes);
  WireWriter writer(buffer.data(), buffer.size());
  auto packet = writer.begin(1);
  auto mark = writer.begin(body);
  fill(writer);
  writer.end(mark);
  writer.end(packet);
  stream.insert(stream.end(), writer.data(), writer.data() + writer.size());
}

/// Batches of layers as a guest sends them, `batch` spans each, in TSC ticks.
inline std::vector<std::vector<uint8_t>> make_batches(size_t batch, size_t batches) {
  std::vector<std::vector<uint8_t>> all;
  uint64_t now = 10'000'000'000;
  uint32_t id = 0;
  uint64_t record = 0;
  for (size_t b = 0; b < batches; ++b) {
    std::vector<SpanRow> rows(batch);
    for (auto& row : rows) {
      row = {.begin = now, .end = now + 150'000, .bytes = 401'408, .id = ++id, .parent = 1, .name = 1 + id % 150};
      row.type = 151 + id % 7;
      row.shape = 160 + id % 40;
      row.level = 3;
      row.kind = 2;
      row.has_bytes = true;
      now += 160'000;
    }
    const BatchHead head{.thread = 1, .ring = 0, .first_record = record, .record_count = uint32_t(batch), .clock = 1};
    record += batch;
    std::vector<uint8_t> bytes;
    add_packet(bytes, 6, [&](WireWriter& writer) {
      write_span_columns(writer, head, batch, [&](size_t i) -> const SpanRow& { return rows[i]; });
    });
    all.push_back(std::move(bytes));
  }
  return all;
}

/// What precedes the batches: who it is, its strings, readings of its clock for a minute.
inline std::vector<uint8_t> make_start() {
  std::vector<uint8_t> start;
  add_packet(start, 4, [](WireWriter& body) {
    body.uint64(1, 1);
    body.uint64(7, 1);
  });
  add_packet(start, 5, [](WireWriter& body) {
    body.uint64(1, 1);
    for (int i = 0; i < 200; ++i) body.element(2, "layer", 5);
  });
  for (uint64_t reading = 0; reading < 60; ++reading) {
    add_packet(start, 9, [&](WireWriter& body) {
      body.uint64(1, 1);
      body.uint64(2, 10'000'000'000 + reading * 2'400'000'000);
      body.uint64(3, 5'000'000'000 + reading * 1'000'000'000);
    });
  }
  return start;
}

}  // namespace xsp
