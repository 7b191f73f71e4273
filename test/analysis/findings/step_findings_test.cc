#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::add_step;
using test::contains;
using test::count;
using test::FindingTables;
using test::word;

TEST_CASE("waiting for input is told by what the device loses, not by how long the host waits") {
  FindingTables starved;
  add_step({{"step_ms", 10}, {"input_wait_ms", 4}, {"idle_input_ms", 3}, {"gpu_busy_ms", 7}}, &starved);
  const Finding* finding = starved.find("input-wait");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Each 10.0 ms call waits 4.00 ms (40 %) for its input; the GPU is idle for 3.00 ms of that");
  CHECK(finding->gain_ms == 3);
  CHECK(*finding->share_pct == Approx(40));
  FindingTables hidden;
  add_step({{"step_ms", 10}, {"input_wait_ms", 4}, {"idle_input_ms", 0.4}, {"gpu_busy_ms", 9.6}}, &hidden);
  CHECK(hidden.find("input-wait") == nullptr);
}

TEST_CASE("a host that blocks is told once, by what it waits for") {
  FindingTables blocked;
  add_step({{"step_ms", 10}, {"idle_sync_ms", 2}, {"idle_sync_copy_ms", 0.5}}, &blocked);
  blocked.add("A2", {"index", "name", "type", "latency_ms", "wait_ms"},
              {{count(0), word("loss.item"), word("aten::item"), 3.0, 2.0}});
  REQUIRE(blocked.find("sync-wait") != nullptr);
  CHECK(contains(blocked.find("sync-wait")->text, "2.00 ms of every 10.0 ms call (20 %), in loss.item"));
  CHECK(blocked.find("copies") == nullptr);
  FindingTables copies;
  add_step({{"step_ms", 10}, {"idle_sync_ms", 2}, {"idle_sync_copy_ms", 1.5}, {"idle_copy_ms", 1}}, &copies);
  copies.add("C2", {"library", "function", "kernel_ms"}, {{word("device memory"), word("memcpy DtoD"), 2.5}});
  REQUIRE(copies.find("copies") != nullptr);
  CHECK(contains(copies.find("copies")->text, "3.00 ms of every 10.0 ms call (30 %), mostly memcpy DtoD"));
  CHECK(contains(copies.find("copies")->advice, "within the GPU"));
  CHECK(copies.find("sync-wait") == nullptr);
}

TEST_CASE("copies of pinned memory are not told to use pinned memory") {
  for (const char* memory : {"Pageable", "Pinned"}) {
    FindingTables copies;
    add_step({{"step_ms", 10}, {"idle_copy_ms", 3}}, &copies);
    const std::string function = std::string("memcpy HtoD (") + memory + " -> Device)";
    copies.add("C2", {"library", "function", "kernel_ms"}, {{word("device memory"), word(function), 2.5}});
    REQUIRE(copies.find("copies") != nullptr);
    CHECK(contains(copies.find("copies")->text, function));
    CHECK(contains(copies.find("copies")->advice, "copy less"));
    CHECK(contains(copies.find("copies")->advice, "pinned") == (function.find("Pinned") == std::string::npos));
  }
}

TEST_CASE("a device that waits for the host is launch-bound where kernels are short and gaps too") {
  FindingTables bound;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"step_kernels", 100}, {"step_kernel_ms", 1}}, &bound);
  const Finding* finding = bound.find("launch-bound");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text,
                 "8.00 ms of every 10.0 ms call (80 %); before each of 100 kernels (10.0 µs long) it waits"));
  FindingTables pause;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"long_gap_ms", 5}, {"step_kernels", 100}, {"step_kernel_ms", 1}},
           &pause);
  CHECK(pause.find("launch-bound") == nullptr);
  REQUIRE(pause.find("gpu-idle") != nullptr);
  FindingTables long_kernels;
  add_step({{"step_ms", 10}, {"idle_host_ms", 4}, {"step_kernels", 10}, {"step_kernel_ms", 6}}, &long_kernels);
  CHECK(long_kernels.find("launch-bound") == nullptr);
  CHECK(long_kernels.find("gpu-idle") != nullptr);
  FindingTables busy;
  add_step({{"step_ms", 10}, {"idle_host_ms", 1.4}, {"step_kernels", 100}, {"step_kernel_ms", 1}}, &busy);
  CHECK(busy.find("launch-bound") == nullptr);
}

TEST_CASE("communication is told with what is exposed, which is what could be won") {
  FindingTables exposed;
  add_step({{"step_ms", 10}, {"communication_ms", 3}, {"exposed_communication_ms", 2}, {"gpu_busy_ms", 9}}, &exposed);
  REQUIRE(exposed.find("communication") != nullptr);
  CHECK(exposed.find("communication")->gain_ms == 2);
  FindingTables hidden;
  add_step({{"step_ms", 10}, {"communication_ms", 3}, {"gpu_busy_ms", 9}}, &hidden);
  REQUIRE(hidden.find("communication") != nullptr);
  CHECK(hidden.find("communication")->gain_ms == 0);
  FindingTables little;
  add_step({{"step_ms", 10}, {"communication_ms", 1}, {"gpu_busy_ms", 9}}, &little);
  CHECK(little.find("communication") == nullptr);
}

TEST_CASE("findings stand by what could be won, and one cause is told once") {
  FindingTables mixed;
  add_step({{"step_ms", 10},
            {"idle_input_ms", 1},
            {"input_wait_ms", 6},
            {"idle_host_ms", 3},
            {"step_kernels", 9},
            {"step_kernel_ms", 1},
            {"gpu_busy_ms", 6}},
           &mixed);
  mixed.add("D4", {"diagnosis", "found", "value", "unit", "evidence", "advice"},
            {{word("host_bound"), true, 30.0, word("%"), word("x"), word("y")},
             {word("drift"), true, 20.0, word("%"), word("x"), word("y")}});
  const auto found = mixed.found();
  std::vector<std::string> ids;
  for (const Finding& finding : found) ids.push_back(finding.id);
  CHECK(std::find(ids.begin(), ids.end(), "host-bound") == ids.end());
  CHECK(std::find(ids.begin(), ids.end(), "iteration-drift") != ids.end());
  const auto at = [&](const std::string& id) { return std::find(ids.begin(), ids.end(), id) - ids.begin(); };
  CHECK(at("gpu-idle") < at("input-wait"));
}

TEST_CASE("copies that take longer than all kernels are not told to hide behind them") {
  const std::vector<std::string> columns = {"library", "function", "kernel_ms", "count", "bytes"};
  FindingTables many;
  add_step({{"step_ms", 30}, {"idle_copy_ms", 28}, {"gpu_busy_ms", 0.7}}, &many);
  many.add("C2", columns,
           {{word("device memory"), word("memcpy HtoD (Pinned -> Device)"), 28.0, count(10), count(776'000'000)}});
  REQUIRE(many.find("copies") != nullptr);
  CHECK(contains(many.find("copies")->text, "mostly memcpy HtoD (Pinned -> Device) at 27.7 GB/s"));
  CHECK(many.find("copies")->advice ==
        "copy less: keep data that does not change on the GPU; at most 700 µs of it could overlap with kernels");
  FindingTables few;
  add_step({{"step_ms", 30}, {"idle_copy_ms", 10}, {"gpu_busy_ms", 20}}, &few);
  few.add("C2", columns, {{word("device memory"), word("memcpy HtoD"), 10.0, count(1000), count(776'000'000)}});
  REQUIRE(few.find("copies") != nullptr);
  CHECK(
      few.find("copies")->advice ==
      "copy less: keep data that does not change on the GPU, or copy from pinned memory while kernels run, on a stream "
      "of its own");
  // Small copies take their time whatever the bandwidth.
  CHECK_FALSE(contains(few.find("copies")->text, "GB/s"));
}

TEST_CASE("the time of launches is what a device idles in them, not how long they take") {
  FindingTables bound;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"step_kernels", 100}, {"step_kernel_ms", 1}, {"launch_gap_ms", 5}},
           &bound);
  REQUIRE(bound.find("launch-bound") != nullptr);
  CHECK(contains(bound.find("launch-bound")->text, "it waits 80.0 µs on average, 50.0 µs of it in the launch call"));
  CHECK(contains(bound.find("launch-bound")->advice, "cheaper launches: "));
  FindingTables host;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"step_kernels", 100}, {"step_kernel_ms", 1}, {"launch_gap_ms", 1}},
           &host);
  CHECK(contains(host.find("launch-bound")->advice, "less CPU work per kernel: "));
}

TEST_CASE("a layer stands out where the next one is far behind") {
  const std::vector<std::string> columns = {"index", "name", "type", "latency_ms"};
  const auto layers = [&](double first, FindingTables* out) {
    out->add("A2", columns,
             {{count(0), word("a"), word("Conv"), first},
              {count(1), word("b"), word("Pool"), 3.0},
              {count(2), word("c"), word("ReLU"), 1.0},
              {count(3), word("d"), word("ReLU"), 1.0}});
  };
  FindingTables level;
  layers(4.4, &level);
  CHECK(level.find("bottleneck-layer") == nullptr);
  FindingTables alone;
  layers(4.6, &alone);
  CHECK(alone.find("bottleneck-layer") != nullptr);
}

}  // namespace
}  // namespace xsp::analysis
