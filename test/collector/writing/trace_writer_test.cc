#include "collector/writing/trace_writer.h"

#include "test/catch.h"
#include "test/collector/memory_file.h"
#include "trace.pb.h"

namespace xsp::test {
namespace {

constexpr uint32_t kPackets = 40;

void write_packets(TraceWriter& writer) {
  for (uint32_t i = 0; i < kPackets; ++i) {
    SpanTally tally{};
    tally[kLevelLayer] = i;
    writer.write(
        1 + i % 3, Body::kNotice, 200, [&](WireWriter& body) { body.string(3, std::string(i * 3, 'x')); }, tally);
  }
  writer.flush();
}

TEST_CASE("packets are numbered per process and nested lengths take no padding") {
  MemoryFile file;
  TraceWriter writer(file, 100);
  write_packets(writer);
  writer.write(7, Body::kHello, 100, [](WireWriter& body) {
    auto entry = body.begin(9);
    body.string(1, "RANK");
    body.string(2, "1");
    body.end(entry);
  });
  writer.write(7, Body::kClock, 100, [](WireWriter& body) {
    body.uint64(5, 3);
    body.float64(6, 2.4);
    body.string(9, "behind");
  });
  writer.flush();
  Trace trace;
  REQUIRE(trace.ParseFromString(file.bytes));
  REQUIRE(trace.packet_size() == kPackets + 2);
  CHECK(trace.packet(kPackets + 1).clock().ticks_per_ns() == 2.4);
  for (uint32_t i = 0; i < kPackets; ++i) {
    const Packet& packet = trace.packet(static_cast<int>(i));
    CHECK(packet.process() == 1 + i % 3);
    CHECK(packet.sequence() == 1 + i / 3);
    CHECK(packet.notice().text().size() == i * 3);
  }
  CHECK(trace.packet(kPackets).hello().environment().at("RANK") == "1");
  CHECK(trace.ByteSizeLong() == file.bytes.size());
  CHECK(writer.bytes() == file.bytes.size());
}

TEST_CASE("a disk that is full after any byte leaves whole packets and the right counts") {
  MemoryFile whole;
  TraceWriter reference(whole, 300);
  write_packets(reference);
  for (size_t room = 0; room < whole.bytes.size(); ++room) {
    MemoryFile file(room);
    TraceWriter writer(file, 300);
    write_packets(writer);
    REQUIRE(writer.error() == ENOSPC);
    REQUIRE(writer.bytes() == file.bytes.size());
    REQUIRE(whole.bytes.substr(0, file.bytes.size()) == file.bytes);
    Trace trace;
    REQUIRE(trace.ParseFromString(file.bytes));
    const auto kept = static_cast<uint64_t>(trace.packet_size());
    REQUIRE(writer.lost_packets() == kPackets - kept);
    const uint64_t kept_spans = kept == 0 ? 0 : kept * (kept - 1) / 2;
    REQUIRE(writer.spans()[kLevelLayer] == kept_spans);
    REQUIRE(writer.lost_spans() == kPackets * (kPackets - 1) / 2 - kept_spans);
    // No packet that would have fitted was given up but the one that was cut.
    REQUIRE(room - file.bytes.size() < 200);
  }
}

TEST_CASE("a trace whose disk was full is closed when there is room") {
  MemoryFile file(500);
  TraceWriter writer(file, 300);
  write_packets(writer);
  REQUIRE(writer.failed());
  writer.reopen_for_closing();
  writer.write(0, Body::kTraceEnd, 20, [](WireWriter& body) { body.uint64(3, 3); });
  writer.flush();
  Trace trace;
  REQUIRE(trace.ParseFromString(file.bytes));
  CHECK((trace.packet(trace.packet_size() - 1).has_trace_end() || file.bytes.size() > 480));
}

TEST_CASE("a trace whose header is not on the disk is not closed") {
  MemoryFile file(1);
  TraceWriter writer(file);
  write_packets(writer);
  writer.flush();
  REQUIRE(writer.failed());
  REQUIRE(file.bytes.empty());
  writer.reopen_for_closing();
  writer.write(0, Body::kTraceEnd, 8, [](WireWriter& body) { body.uint64(3, 3); });
  writer.flush();
  CHECK(file.writes == 2);
  CHECK(file.bytes.empty());
}

/// A disk that fails once, at a chosen write.
class FailingOnce : public MemoryFile {
 public:
  explicit FailingOnce(int at) : at_(at) {}
  ssize_t write(const void* data, size_t size) override {
    return writes == at_ ? (++writes, -EIO) : MemoryFile::write(data, size);
  }

 private:
  int at_;
};

TEST_CASE("a fault at any write stops the trace at a packet's end") {
  for (int at = 0; at < 20; ++at) {
    FailingOnce file(at);
    TraceWriter writer(file, 300);
    write_packets(writer);
    Trace trace;
    REQUIRE(trace.ParseFromString(file.bytes));
    REQUIRE(writer.lost_packets() + static_cast<uint64_t>(trace.packet_size()) == kPackets);
    if (writer.failed()) REQUIRE(writer.error() == EIO);
  }
}

}  // namespace
}  // namespace xsp::test
