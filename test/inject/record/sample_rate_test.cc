#include "inject/record/sample_rate.h"

#include "test/catch.h"

namespace {

using xsp::guest::SampleRate;

SampleRate::Interval second_with(double sampled, double unsampled, uint64_t calls, uint64_t recorded) {
  return {.length = 1,
          .sampled = sampled,
          .unsampled = unsampled,
          .calls = calls,
          .recorded = recorded,
          .busiest_calls = calls};
}

TEST_CASE("the rate settles where the cost fits the budget, and follows it down again") {
  SampleRate rate(0.01);
  // 20 % when all is recorded.
  for (int i = 0; i < 20; ++i) rate.add(second_with(0.2 / rate.every(), 0, 1000, 1000 / rate.every()));
  const uint32_t settled = rate.every();
  CHECK(settled == 32);
  CHECK(rate.shallow_every() == 1);
  for (int i = 0; i < 20; ++i) rate.add(second_with(0.002 / rate.every(), 0, 1000, 1000 / rate.every()));
  CHECK(rate.every() == SampleRate::kLeast);
}

TEST_CASE("what a sampled call takes longer counts, where hooks see less of it") {
  SampleRate rate(0.01);
  for (int i = 0; i < 20; ++i) {
    rate.add({.length = 1,
              .sampled = 0.001 / rate.every(),
              .unsampled = 0,
              .calls = 1000,
              .recorded = 1000 / rate.every(),
              .ratio = 0.05});
  }
  CHECK(rate.every() == 8);
}

TEST_CASE("long calls are judged by whole cycles") {
  SampleRate rate(0.01);
  rate.add(second_with(0.01, 0, 8, 1));
  CHECK(rate.every() == 8);
  // A sampled call of four seconds, at 4 % while it runs.
  for (int i = 0; i < 4; ++i) rate.add(second_with(0.04, 0, 0, 0));
  CHECK(rate.every() == 8);
}

TEST_CASE("sampled calls that come twice in a cycle, or not at all, by chance do not move the rate") {
  SampleRate rate(0.01);
  rate.add(second_with(2 * 0.008, 0, 8, 2));
  CHECK(rate.every() == 8);
  rate.add(second_with(0, 0, 12, 0));
  CHECK(rate.every() == 8);
  // Together with what follows: two blocks and a half in two seconds, one call of them sampled.
  rate.add(second_with(0.008, 0, 8, 1));
  CHECK(rate.every() == 8);
}

TEST_CASE("where the spans of calls alone cost too much they are thinned, and sampled calls keep a part") {
  SampleRate rate(0.01);
  for (int i = 0; i < 30; ++i) rate.add(second_with(0.5 / rate.every(), 0.05, 500'000, 500'000 / rate.every()));
  // 0.1 s for spans in each second.
  CHECK(rate.shallow_every() == 16);
  // A quarter of the budget, where other hooks have used up the whole.
  CHECK(rate.every() == 256);
}

TEST_CASE("the spans of calls alone are judged by the thread that makes most of them") {
  SampleRate rate(0.01);
  for (int i = 0; i < 30; ++i) {
    rate.add({.length = 1,
              .sampled = 0.001,
              .unsampled = 0,
              .calls = 320'000,
              .recorded = 320'000 / rate.every(),
              .busiest_calls = 5'000});
  }
  CHECK(rate.shallow_every() == 1);
}

TEST_CASE("a program without model calls is paused until its cost is within the budget") {
  SampleRate rate(0.01);
  rate.add(second_with(0.05, 0, 0, 0));
  CHECK(rate.is_overdrawn());
  for (int i = 0; i < 3; ++i) rate.add(second_with(0, 0, 0, 0));
  CHECK(rate.is_overdrawn());
  for (int i = 0; i < 2; ++i) rate.add(second_with(0, 0, 0, 0));
  CHECK_FALSE(rate.is_overdrawn());
}

}  // namespace
