#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/evidence.h"
#include "analysis/findings/families.h"
#include "analysis/tables/kernel_waves.h"
#include "test/analysis/support/finding_tables.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::FindingTables;
using test::word;

/// Kernels of R1 in the 11 ms calls of FindingTables, on a GPU of 80 multiprocessors that hold 8 blocks each.
struct Launched {
  std::string name;
  double latency_ms;
  double waves;

  double tail_ms() const { return latency_ms * (1 - waves / std::ceil(waves)); }
};

void add_waves(const std::vector<Launched>& kernels, FindingTables* tables, double known_pct = 100) {
  std::vector<std::vector<Cell>> rows;
  double all = 0;
  double below = 0;
  double idle = 0;
  for (const Launched& kernel : kernels) {
    rows.push_back({word(kernel.name), kernel.latency_ms, count_cell(static_cast<uint64_t>(640 * kernel.waves)),
                    count_cell(8), kernel.waves, kernel.tail_ms(), count_cell(80)});
    all += kernel.latency_ms;
    below += kernel.waves < 1 ? kernel.latency_ms : 0;
    idle += kernel.tail_ms();
  }
  Table& table = tables->add(
      "R1", {"kernel_name", "latency_ms", "grid_blocks", "blocks_per_sm", "waves", "tail_ms", "sms"}, std::move(rows));
  table.extras.push_back({std::string(wave_extras::kSums),
                          {{std::string(wave_extras::kKernelMs), all},
                           {std::string(wave_extras::kKnownPct), known_pct},
                           {std::string(wave_extras::kBelowOnePct), 100 * below / all},
                           {std::string(wave_extras::kIdleSlotsPct), 100 * idle / all}}});
}

bool is_told(const std::string& id, const std::vector<Launched>& kernels, double known_pct = 100) {
  FindingTables tables;
  add_waves(kernels, &tables, known_pct);
  return tables.find(id) != nullptr;
}

TEST_CASE("kernels that do not fill the GPU once are told, with their share and the worst") {
  FindingTables tables;
  add_waves({{"large", 6, 8}, {"norm", 1, 0.2}, {"norm", 1, 0.25}, {"add", 1, 0.9}, {"fill", 1, 0.001}}, &tables);
  const Finding* finding = tables.find("small-kernels");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "40 % of kernel time (4.00 ms of 10.0 ms) runs in less than one wave: there are too few blocks to fill the "
        "GPU, and 66 % of the slots stay empty meanwhile; most in norm (2.00 ms, 0.20 to 0.25 waves) and fill (1.00 "
        "ms, less than 0.01 waves)");
  CHECK(finding->advice ==
        "batch more, fuse small kernels, or run kernels side by side (streams, branches of a CUDA graph)");
  CHECK(finding->value == Approx(40));
  CHECK(finding->row == 1);
  // Slots that stay empty are no forecast of what would be won.
  CHECK_FALSE(finding->gain_ms);
  REQUIRE(finding->share_pct);
  CHECK(*finding->share_pct == Approx(100.0 * 4 / 11));
  CHECK(finding->share_of == "call");
}

TEST_CASE("small kernels are told only where their empty slots are worth it") {
  CHECK(is_told("small-kernels", {{"large", 9, 8}, {"small", 1, 0.4}}));
  CHECK_FALSE(is_told("small-kernels", {{"large", 9, 8}, {"small", 1, 0.6}}));      // 4 % of kernel time
  CHECK_FALSE(is_told("small-kernels", {{"large", 9, 8}, {"nearly", 1, 0.99}}));    // full, but for a few blocks
  CHECK_FALSE(is_told("small-kernels", {{"large", 0.2, 8}, {"small", 0.3, 0.1}}));  // 3 % of the call
  CHECK_FALSE(is_told("small-kernels", {{"large", 10, 8}}));
}

TEST_CASE("where the waves of much of the time are not known, nothing is told of them") {
  const std::vector<Launched> kernels = {{"large", 5, 8}, {"small", 5, 0.4}};
  CHECK(is_told("small-kernels", kernels, 81));
  CHECK_FALSE(is_told("small-kernels", kernels, 79));
  CHECK_FALSE(FindingTables().find("small-kernels") != nullptr);
}

TEST_CASE("a last wave that is nearly empty is told, with the blocks that would fill it") {
  FindingTables tables;
  add_waves({{"large", 8, 8}, {"tailed", 2, 1.125}}, &tables);
  const Finding* finding = tables.find("wave-tail");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "The last wave of tailed is 12 % full: its 720 blocks are 1.12 waves of 640, and 875 µs of the 2.00 ms that it "
        "takes are slots that stay empty (8.8 % of kernel time)");
  CHECK(finding->row == 1);
  CHECK_FALSE(finding->gain_ms);
}

TEST_CASE("a last wave is told only where it matters") {
  CHECK(is_told("wave-tail", {{"large", 8, 8}, {"tailed", 2, 1.125}}));
  CHECK_FALSE(is_told("wave-tail", {{"large", 8, 8}, {"full", 2, 2}}));
  CHECK_FALSE(is_told("wave-tail", {{"large", 8, 8}, {"nearly", 2, 1.85}}));
  CHECK_FALSE(is_told("wave-tail", {{"large", 8, 8}, {"many", 2, 8.125}}));
  CHECK_FALSE(is_told("wave-tail", {{"large", 9.5, 8}, {"tailed", 0.5, 1.5}}));         // 1.25 % of kernel time
  CHECK_FALSE(is_told("wave-tail", std::vector<Launched>(500, {"short", 0.01, 1.1})));  // 10 µs each
  CHECK_FALSE(is_told("wave-tail", {{"large", 8, 8}, {"small", 2, 0.5}}));              // that is small-kernels
}

}  // namespace
}  // namespace xsp::analysis
