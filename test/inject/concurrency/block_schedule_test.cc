#include "inject/concurrency/block_schedule.h"

#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::BlockSchedule;

constexpr double kMs = 1e6;

/// Finishes the block that is open: calls of 20 ms, and so much more where it is advised.
void finish_block(BlockSchedule& blocks, double advised_ms) {
  const uint32_t block = blocks.block();
  const bool is_advised = blocks.is_advised();
  for (int i = 0; blocks.block() == block && !blocks.is_harmful() && i < 1000; ++i) {
    blocks.finish_call((20 + 0.1 * (i % 3) + (is_advised ? advised_ms : 0)) * kMs, true);
  }
}

TEST_CASE("blocks take turns, the program's own first, and last five calls and 50 ms") {
  BlockSchedule blocks{};
  CHECK_FALSE(blocks.is_advised());
  for (int i = 0; i < 4; ++i) blocks.finish_call(20 * kMs, true);
  CHECK(blocks.block() == 1);
  blocks.finish_call(20 * kMs, true);
  CHECK(blocks.block() == 2);
  CHECK(blocks.is_advised());
  for (int i = 0; i < 49; ++i) blocks.finish_call(kMs, true);
  CHECK(blocks.block() == 2);
  blocks.finish_call(1.1 * kMs, true);
  CHECK(blocks.block() == 3);
  CHECK_FALSE(blocks.is_advised());
}

TEST_CASE("advice that slows calls is switched off after four pairs of blocks") {
  BlockSchedule blocks{};
  for (int i = 0; i < 7; ++i) finish_block(blocks, 5 + 0.3 * i);
  CHECK_FALSE(blocks.is_harmful());
  finish_block(blocks, 5);
  CHECK(blocks.is_harmful());
  CHECK_FALSE(blocks.is_advised());
}

TEST_CASE("advice that helps, or changes nothing, stays") {
  BlockSchedule helps{};
  BlockSchedule nothing{};
  for (int i = 0; i < 100; ++i) {
    finish_block(helps, -5);
    finish_block(nothing, i % 4 == 1 ? 2 : -2);
  }
  CHECK_FALSE(helps.is_harmful());
  CHECK_FALSE(nothing.is_harmful());
}

TEST_CASE("the first call of a block, and calls that failed, are not compared") {
  BlockSchedule blocks{};
  for (int pair = 0; pair < 10; ++pair) {
    finish_block(blocks, 0);
    blocks.finish_call(900 * kMs, true);
    blocks.finish_call(900 * kMs, false);
    finish_block(blocks, 0);
  }
  CHECK(blocks.block() == 21);
  CHECK_FALSE(blocks.is_harmful());
}

}  // namespace
