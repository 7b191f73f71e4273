#include "inject/send/counter_packets.h"

#include <vector>

#include "test/catch.h"
#include "trace.pb.h"

namespace {

using namespace xsp::guest;

TEST_CASE("counts are written as CounterBatch describes them") {
  const uint32_t metrics[] = {7, 9};
  const uint32_t names[] = {3, 0, 5};
  const uint64_t ordinals[] = {510, 511, 600};
  const double values[] = {1.5, 2, 0, -1, 1e300, 4};
  std::vector<uint8_t> buffer(kCounterPacketBytes);
  xsp::WireWriter writer(buffer.data(), buffer.size());
  write_counters(writer, {.device = 1,
                          .metrics = metrics,
                          .metric_count = 2,
                          .count = 3,
                          .names = names,
                          .ordinals = ordinals,
                          .values = values,
                          .passes = 2,
                          .detail = "kernel replay"});
  REQUIRE_FALSE(writer.failed());
  xsp::Trace trace;
  REQUIRE(trace.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  const xsp::CounterBatch& batch = trace.packet(0).counters();
  CHECK(batch.device() == 1);
  CHECK(batch.passes() == 2);
  CHECK(batch.detail() == "kernel replay");
  CHECK(std::vector<uint32_t>(batch.metric().begin(), batch.metric().end()) == std::vector<uint32_t>{7, 9});
  CHECK(std::vector<uint32_t>(batch.name().begin(), batch.name().end()) == std::vector<uint32_t>{3, 0, 5});
  CHECK(std::vector<uint64_t>(batch.ordinal().begin(), batch.ordinal().end()) == std::vector<uint64_t>{510, 1, 89});
  CHECK(std::vector<double>(batch.value().begin(), batch.value().end()) ==
        std::vector<double>{1.5, 2, 0, -1, 1e300, 4});
}

TEST_CASE("as many kernels as a packet is said to hold fit into it") {
  for (const size_t metric_count : {size_t{1}, size_t{17}, size_t{96}}) {
    const uint32_t count = counted_kernels_of_a_packet(metric_count);
    const std::vector<uint32_t> metrics(metric_count, (1u << 20) - 1);
    const std::vector<uint32_t> names(count, (1u << 20) - 1);
    std::vector<uint64_t> ordinals;
    for (uint64_t i = 0; i < count; ++i) ordinals.push_back((i + 1) << 40);
    const std::vector<double> values(count * metric_count, 1e9);
    std::vector<uint8_t> buffer(kCounterPacketBytes);
    xsp::WireWriter writer(buffer.data(), buffer.size());
    write_counters(writer, {.device = 15,
                            .metrics = metrics.data(),
                            .metric_count = metric_count,
                            .count = count,
                            .names = names.data(),
                            .ordinals = ordinals.data(),
                            .values = values.data(),
                            .passes = 14,
                            .detail = "kernel replay"});
    CHECK_FALSE(writer.failed());
  }
}

}  // namespace
