#include "proto/wire_writer.h"

#include <limits>
#include <string>

#include "test/catch.h"
#include "trace.pb.h"

namespace {

TEST_CASE("a packet written by hand reads back through libprotobuf") {
  char buffer[512];
  xsp::WireWriter writer(buffer, sizeof buffer);
  auto packet = writer.begin(1);
  writer.uint64(1, 7);
  writer.uint64(2, std::numeric_limits<uint64_t>::max());
  auto header = writer.begin(3);
  writer.uint64(1, 1);
  writer.string(2, "a producer");
  writer.sint64(4, -123456789012345);
  writer.element(10, "python", 6);
  writer.element(10, "", 0);
  writer.end(header);
  writer.end(packet);
  REQUIRE_FALSE(writer.failed());

  xsp::Trace trace;
  REQUIRE(trace.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  REQUIRE(trace.packet_size() == 1);
  CHECK(trace.packet(0).process() == 7);
  CHECK(trace.packet(0).sequence() == std::numeric_limits<uint64_t>::max());
  CHECK(trace.packet(0).header().producer() == "a producer");
  CHECK(trace.packet(0).header().realtime_offset_ns() == -123456789012345);
  REQUIRE(trace.packet(0).header().command_size() == 2);
  CHECK(trace.packet(0).header().command(1).empty());
}

TEST_CASE("doubles and booleans survive") {
  char buffer[64];
  xsp::WireWriter writer(buffer, sizeof buffer);
  auto packet = writer.begin(1);
  auto clock = writer.begin(9);
  writer.float64(6, 2.5);
  writer.end(clock);
  writer.end(packet);
  xsp::Trace trace;
  REQUIRE(trace.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  CHECK(trace.packet(0).clock().ticks_per_ns() == 2.5);
}

TEST_CASE("a buffer that is too small for the 53 bytes fails and is never overrun, at every size") {
  for (size_t capacity = 0; capacity < 53; ++capacity) {
    std::string buffer(64, '\x55');
    xsp::WireWriter writer(buffer.data(), capacity);
    auto packet = writer.begin(1);
    writer.uint64(2, 1u << 30);
    writer.string(3, "0123456789012345678901234567890123456789");
    writer.end(packet);
    CHECK(writer.failed());
    CHECK(buffer.substr(capacity) == std::string(64 - capacity, '\x55'));
  }
}

}  // namespace
