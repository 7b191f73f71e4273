#include "analysis/waves/occupancy.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

const MultiprocessorLimits& limits_of(uint32_t capability) {
  const MultiprocessorLimits* limits = find_limits(capability);
  REQUIRE(limits != nullptr);
  return *limits;
}

std::optional<LaunchShape> shape_of(const std::string& text) { return launch_shape(launch_configuration(text)); }

TEST_CASE("a launch is read from what was recorded") {
  const auto shape = shape_of("grid=[80,4,2] block=[32,8,1] registers=96 static_shared=1024 dynamic_shared=16384");
  REQUIRE(shape);
  CHECK(shape->blocks == 640);
  CHECK(shape->threads == 256);
  CHECK(shape->registers == 96);
  CHECK(shape->shared_bytes == 17408);
  CHECK_FALSE(shape->is_cluster);
  CHECK(shape_of("grid=[1] block=[64] registers=0 shared=48")->shared_bytes == 48);
}

TEST_CASE("a launch of clusters is told from one of clusters of a single block") {
  const std::string launch = "grid=[8,1,1] block=[64,1,1] registers=8 shared=0";
  CHECK_FALSE(shape_of(launch + " cluster=[1,1,1]")->is_cluster);
  CHECK_FALSE(shape_of(launch + " cluster=[0,0,0]")->is_cluster);
  CHECK(shape_of(launch + " cluster=[2,1,1]")->is_cluster);
  CHECK(shape_of(launch + " cluster=[1,1,4]")->is_cluster);
  CHECK(shape_of(launch + " cluster=[65536,65536,65536]")->is_cluster);
  CHECK(shape_of(launch + " cluster=[2,")->is_cluster);
}

TEST_CASE("a launch of which something is missing, or is no number, is not known") {
  const std::vector<std::string> broken = {
      "",
      "grid=[1,1,1] block=[1,1,1] registers=1",                                      // no shared memory
      "grid=[1,1,1] block=[1,1,1] shared=0",                                         // no registers
      "block=[1,1,1] registers=1 shared=0",                                          // no grid
      "grid=[1,1,1] registers=1 shared=0",                                           // no block
      "grid=[1,1,1] block=[1,1,1] registers=1 static_shared=0",                      // dynamic not told
      "grid=[1,1,1] block=[1,1,1] registers=1 dynamic_shared=0",                     // static not told
      "grid=[1,,1] block=[1,1,1] registers=1 shared=0",                              //
      "grid=[1,1,1 block=[1,1,1] registers=1 shared=0",                              //
      "grid=[] block=[1,1,1] registers=1 shared=0",                                  //
      "grid=[-1,1,1] block=[1,1,1] registers=1 shared=0",                            //
      "grid=[1,1,1] block=[1,1,1] registers=1x shared=0",                            //
      "grid=[1,1,1] block=[65536,65536,2] registers=1 shared=0",                     // beyond 32 bits
      "grid=[4294967295,4294967295,4294967295] block=[1,1,1] registers=1 shared=0",  // beyond 64 bits
      "grid=[1,1,1] block=[1,1,1] registers=99999999999 shared=0",                   //
      "grid=[1,1,1] block=[1,1,1] registers=1 static_shared=18446744073709551615 dynamic_shared=1",
  };
  for (const std::string& text : broken) {
    CAPTURE(text);
    CHECK_FALSE(shape_of(text));
  }
}

/// How many blocks fit, by adding one after another to the partitions of a multiprocessor until something is used up:
/// each warp takes its registers in the partition that has most left.
uint32_t blocks_placed_one_by_one(const LaunchShape& shape, const MultiprocessorLimits& limits) {
  const uint32_t warps = (shape.threads + 31) / 32;
  uint64_t shared = shape.shared_bytes + limits.reserved_shared_bytes;
  while (shared % limits.shared_unit_bytes != 0) ++shared;
  uint32_t of_warp = 32 * shape.registers;
  while (of_warp % 256 != 0) ++of_warp;
  std::vector<uint32_t> left(limits.partitions, limits.registers / limits.partitions);
  uint32_t blocks = 0;
  uint64_t shared_left = limits.shared_bytes;
  uint32_t warps_left = limits.warps;
  while (blocks < limits.blocks && warps <= warps_left && shared <= shared_left) {
    bool fits = true;
    for (uint32_t warp = 0; warp < warps && fits; ++warp) {
      uint32_t& most = *std::max_element(left.begin(), left.end());
      fits = most >= of_warp;
      if (fits) most -= of_warp;
    }
    if (!fits) break;
    ++blocks;
    shared_left -= shared;
    warps_left -= warps;
  }
  return blocks;
}

TEST_CASE("as many blocks are resident as can be placed one by one") {
  std::mt19937 random(5);
  const auto below = [&](uint64_t end) { return static_cast<uint32_t>(random() % end); };
  for (const MultiprocessorLimits& limits : multiprocessor_limits()) {
    for (int i = 0; i < 300; ++i) {
      LaunchShape shape{.blocks = 1, .threads = 1 + below(1024), .registers = below(256)};
      if (i % 3 != 0) shape.shared_bytes = below(i % 2 == 0 ? 4096 : limits.shared_bytes);
      CAPTURE(limits.capability, shape.threads, shape.registers, shape.shared_bytes);
      CHECK(occupancy_of(shape, limits).blocks_per_sm == blocks_placed_one_by_one(shape, limits));
    }
  }
}

TEST_CASE("what limits residency is named, warps where the multiprocessor is full") {
  const auto limit = [](LaunchShape shape, uint32_t capability) {
    const Occupancy occupancy = occupancy_of(shape, limits_of(capability));
    return std::string(name_of(occupancy.limited_by)) + " " + std::to_string(occupancy.blocks_per_sm);
  };
  CHECK(limit({.threads = 256, .registers = 32}, 70) == "warps 8");
  CHECK(limit({.threads = 64, .registers = 16}, 70) == "warps 32");
  CHECK(limit({.threads = 32, .registers = 16}, 70) == "blocks 32");
  CHECK(limit({.threads = 32, .registers = 16}, 89) == "blocks 24");
  CHECK(limit({.threads = 256, .registers = 128}, 70) == "registers 2");
  CHECK(limit({.threads = 128, .registers = 32, .shared_bytes = 32768}, 70) == "shared memory 3");
  // The reserved KiB of each block: 164 KiB hold 4 of 40 KiB on an A100, but not of 41.
  CHECK(limit({.threads = 128, .registers = 32, .shared_bytes = 40 * 1024}, 80) == "shared memory 4");
  CHECK(limit({.threads = 128, .registers = 32, .shared_bytes = 40 * 1024 + 1}, 80) == "shared memory 3");
}

TEST_CASE("registers are given to warps in each partition alone") {
  // 168 registers: 5376 of a warp, 3 in a partition of 16384, 12 in all; of an undivided 65536 there were 12.19 as
  // well.
  CHECK(occupancy_of({.threads = 32, .registers = 168}, limits_of(70)).blocks_per_sm == 12);
  // 160 registers: 5120 of a warp, 3 in a partition; in two partitions of 32768 (6.0) 6, and none is lost.
  CHECK(occupancy_of({.threads = 32, .registers = 136}, limits_of(70)).blocks_per_sm == 12);
  CHECK(occupancy_of({.threads = 32, .registers = 136}, limits_of(60)).blocks_per_sm == 14);
}

TEST_CASE("a block that no multiprocessor holds has no waves") {
  for (const LaunchShape& shape :
       {LaunchShape{.blocks = 1, .threads = 0}, LaunchShape{.blocks = 1, .threads = 1025},
        LaunchShape{.blocks = 1, .threads = 32, .registers = 257},
        LaunchShape{.blocks = 1, .threads = 1024, .registers = 72},
        LaunchShape{.blocks = 1, .threads = 32, .registers = 8, .shared_bytes = 97 * 1024},
        LaunchShape{.blocks = 1, .threads = 32, .registers = 8, .shared_bytes = UINT64_MAX}}) {
    const Occupancy occupancy = occupancy_of(shape, limits_of(70));
    CAPTURE(shape.threads, shape.registers, shape.shared_bytes);
    CHECK(occupancy.blocks_per_sm == 0);
    CHECK_FALSE(waves_of(shape, occupancy, limits_of(70), 80));
  }
}

TEST_CASE("waves, slots used and occupancy follow from the grid") {
  const MultiprocessorLimits& limits = limits_of(70);
  LaunchShape shape{.blocks = 640, .threads = 256, .registers = 32};
  const Occupancy occupancy = occupancy_of(shape, limits);
  REQUIRE(occupancy.blocks_per_sm == 8);
  CHECK(occupancy.limit_pct == Approx(100));
  const auto of_grid = [&](uint64_t blocks) {
    shape.blocks = blocks;
    const auto waves = waves_of(shape, occupancy, limits, 80);
    REQUIRE(waves);
    return *waves;
  };
  CHECK(of_grid(640).waves == 1);
  CHECK(of_grid(640).used_pct == Approx(100));
  CHECK(of_grid(641).used_pct == Approx(100.0 * 641 / 1280));
  CHECK(of_grid(80).waves == Approx(0.125));
  CHECK(of_grid(80).used_pct == Approx(12.5));
  CHECK(of_grid(80).occupancy_pct == Approx(12.5));
  CHECK(of_grid(6400).occupancy_pct == Approx(100));
  CHECK(of_grid(1).occupancy_pct == Approx(100.0 * 8 / 64 / 80));
  CHECK(of_grid(UINT64_MAX).used_pct == Approx(100));
  shape.blocks = 0;
  CHECK_FALSE(waves_of(shape, occupancy, limits, 80));
  shape.blocks = 1;
  CHECK_FALSE(waves_of(shape, occupancy, limits, 0));
}

}  // namespace
}  // namespace xsp::analysis
