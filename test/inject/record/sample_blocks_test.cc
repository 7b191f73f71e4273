#include "inject/record/sample_blocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::SampleBlocks;

/// Place of the chosen call in each of the first blocks, counted from 0. Every block must have exactly one.
std::vector<uint32_t> chosen_places(uint32_t every, size_t blocks, uint64_t seed) {
  SampleBlocks sample{};
  sample.start(every, seed);
  std::vector<uint32_t> places;
  uint64_t number = 0;
  for (size_t block = 0; block < blocks; ++block) {
    size_t chosen = 0;
    for (uint32_t place = 0; place < every; ++place) {
      if (!sample.is_chosen(++number)) continue;
      places.push_back(place);
      ++chosen;
    }
    REQUIRE(chosen == 1);
  }
  return places;
}

/// Pearson's statistic of counts that are all expected to be the same.
double chi_square(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += count;
  const double expected = sum / static_cast<double>(counts.size());
  double statistic = 0;
  for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
  return statistic;
}

TEST_CASE("each block has exactly one chosen call, whatever its length") {
  for (const uint32_t every : {1u, 2u, 3u, 7u, 64u, 100u, 4097u}) {
    CAPTURE(every);
    CHECK(chosen_places(every, 50, 1).size() == 50);
  }
}

TEST_CASE("each place in a block is as likely as any other") {
  // The 99.9th percentiles of chi-square, for places - 1 degrees of freedom.
  const std::map<uint32_t, double> most = {{2, 10.83}, {3, 13.82}, {10, 27.88}, {100, 148.2}};
  for (const uint64_t seed : {0ull, 1ull, 2ull, 0x0123'4567'89ab'cdefull, ~0ull}) {
    for (const auto& [every, limit] : most) {
      CAPTURE(seed, every);
      std::vector<double> counts(every);
      for (const uint32_t place : chosen_places(every, 40'000, seed)) ++counts[place];
      CHECK(chi_square(counts) < limit);
    }
  }
}

TEST_CASE("the places in neighbouring blocks, and in those of two seeds, do not depend on one another") {
  constexpr uint32_t kEvery = 10;
  constexpr double kLimit = 148.2;  // 99 degrees of freedom
  const std::vector<uint32_t> places = chosen_places(kEvery, 40'000, 12'345);
  const std::vector<uint32_t> others = chosen_places(kEvery, 40'000, 12'346);
  for (const size_t apart : {1u, 2u, 3u, 10u}) {
    CAPTURE(apart);
    std::vector<double> pairs(kEvery * kEvery);
    for (size_t i = apart; i < places.size(); ++i) ++pairs[places[i - apart] * kEvery + places[i]];
    CHECK(chi_square(pairs) < kLimit);
  }
  std::vector<double> pairs(kEvery * kEvery);
  for (size_t i = 0; i < places.size(); ++i) ++pairs[places[i] * kEvery + others[i]];
  CHECK(chi_square(pairs) < kLimit);
}

TEST_CASE("work with a period that divides the block is estimated without bias") {
  // Every fifth call takes 10 ms, the others 1 ms: 2.8 ms on average. Every tenth call would always be a long one.
  constexpr size_t kBlocks = 20'000;
  const auto milliseconds = [](size_t number) { return number % 5 == 0 ? 10.0 : 1.0; };
  const std::vector<uint32_t> places = chosen_places(10, kBlocks, 99);
  double sum = 0;
  double sum_of_each_tenth = 0;
  for (size_t block = 0; block < kBlocks; ++block) {
    sum += milliseconds(10 * block + 1 + places[block]);
    sum_of_each_tenth += milliseconds(10 * block + 10);
  }
  const double standard_error = std::sqrt(0.2 * 0.8) * 9 / std::sqrt(kBlocks);
  CHECK(std::abs(sum / kBlocks - 2.8) < 4 * standard_error);
  CHECK(sum_of_each_tenth / kBlocks == Approx(10));
}

TEST_CASE("a rate that changes begins a new block behind the calls so far") {
  SampleBlocks sample{};
  sample.start(8, 5);
  for (uint64_t number = 1; number <= 100; ++number) sample.is_chosen(number);
  uint64_t number = 100;
  for (const uint32_t every : {16u, 4u, 1u, 1000u}) {
    sample.change(every, number);
    CHECK(sample.every() == every);
    for (int block = 0; block < 3; ++block) {
      size_t chosen = 0;
      for (uint32_t i = 0; i < every; ++i) chosen += sample.is_chosen(++number) ? 1 : 0;
      CAPTURE(every, block);
      CHECK(chosen == 1);
    }
    // The next change cuts a block.
    for (int i = 0; i < 3; ++i) sample.is_chosen(++number);
  }
}

TEST_CASE("what was drawn for a block that a new rate cuts does not count for the new one") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SampleBlocks used{};
    used.start(8, seed);
    for (uint64_t number = 1; number <= 100; ++number) used.is_chosen(number);
    SampleBlocks fresh{};
    fresh.start(8, seed);
    used.change(16, 100);
    fresh.change(16, 100);
    bool is_same = true;
    for (uint64_t number = 101; number <= 132; ++number) is_same &= used.is_chosen(number) == fresh.is_chosen(number);
    CAPTURE(seed);
    CHECK(is_same);
  }
}

TEST_CASE("each block has exactly one chosen call where threads come out of order") {
  constexpr size_t kThreads = 4;
  for (const uint32_t every : {2u, 7u, 100u}) {
    const uint64_t calls = uint64_t{every} * 20'000 / (every > 10 ? 10 : 1);
    SampleBlocks sample{};
    sample.start(every, 77);
    std::atomic<uint64_t> seen{0};
    std::vector<uint64_t> chosen;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        std::vector<uint64_t> mine;
        for (;;) {
          const uint64_t number = seen.fetch_add(1) + 1;
          if (number > calls) break;
          if (number % 1000 == i) std::this_thread::yield();  // others overtake
          if (sample.is_chosen(number)) mine.push_back(number);
        }
        const std::lock_guard<std::mutex> guard(mutex);
        chosen.insert(chosen.end(), mine.begin(), mine.end());
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::sort(chosen.begin(), chosen.end());
    CAPTURE(every);
    REQUIRE(chosen.size() == calls / every);
    bool has_one_each = true;
    for (size_t block = 0; block < chosen.size(); ++block) has_one_each &= (chosen[block] - 1) / every == block;
    CHECK(has_one_each);
  }
}

}  // namespace
