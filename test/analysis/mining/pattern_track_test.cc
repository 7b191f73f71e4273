#include "analysis/mining/pattern_track.h"

#include <random>
#include <vector>

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace {

using namespace xsp::analysis;
using xsp::test::operator+;
using xsp::test::operator*;
using xsp::test::Symbols;

constexpr Symbol kForeign = 1000;

PatternTrack follow(const Symbols& pattern, const Symbols& symbols, TrackOptions options = {}) {
  options.are_edges_aligned = true;
  return track_pattern(CyclicPattern(pattern), symbols, {0, static_cast<uint32_t>(symbols.size())}, options);
}

Symbols part(const Symbols& symbols, size_t begin, size_t end) {
  return {symbols.begin() + static_cast<ptrdiff_t>(begin), symbols.begin() + static_cast<ptrdiff_t>(end)};
}

const Symbols kPattern = xsp::test::increasing_symbols(50);
const Symbols kPrologue(20, kForeign);

TEST_CASE("A first iteration that lacks few operations behind foreign ones is whole") {
  for (const uint32_t lacking : {1u, 3u, 5u}) {
    const PatternTrack track = follow(kPattern, kPrologue + part(kPattern, lacking, 50) + 9 * kPattern);
    REQUIRE(track.iterations.size() == 10);
    CHECK(track.iterations[0].begin == 20);
    CHECK(track.iterations[0].missing == lacking);
    CHECK(track.iterations[0].inserted == 0);
    CHECK(track.deviations == lacking);
  }
}

TEST_CASE("A last iteration that lacks few operations before foreign ones is whole") {
  for (const uint32_t lacking : {1u, 3u, 5u}) {
    const PatternTrack track = follow(kPattern, 9 * kPattern + part(kPattern, 0, 50 - lacking) + kPrologue);
    REQUIRE(track.iterations.size() == 10);
    CHECK(track.iterations[9].end == 500 - lacking);
    CHECK(track.iterations[9].missing == lacking);
    CHECK(track.iterations[9].inserted == 0);
  }
}

TEST_CASE("An iteration at an edge that lacks more than a tenth is a part") {
  CHECK(follow(kPattern, kPrologue + part(kPattern, 9, 50) + 9 * kPattern).iterations.size() == 9);
  CHECK(follow(kPattern, 9 * kPattern + part(kPattern, 0, 41) + kPrologue).iterations.size() == 9);
}

TEST_CASE("The begin and the end of the sequence cut an iteration, whatever it lacks") {
  for (const uint32_t lacking : {1u, 3u}) {
    const PatternTrack begin = follow(kPattern, part(kPattern, lacking, 50) + 9 * kPattern);
    CHECK(begin.iterations.size() == 9);
    CHECK(begin.stretches[0].begin_phase == lacking);
    const PatternTrack end = follow(kPattern, 9 * kPattern + part(kPattern, 0, 50 - lacking));
    CHECK(end.iterations.size() == 9);
    CHECK(end.stretches[0].end_phase == 50 - lacking);
  }
}

TEST_CASE("Where noise takes operations away it may at the sequence's begin and end") {
  TrackOptions options;
  options.tail_tolerance = 1;
  CHECK(follow(kPattern, part(kPattern, 1, 50) + 9 * kPattern, options).iterations.size() == 10);
  CHECK(follow(kPattern, 9 * kPattern + part(kPattern, 0, 49), options).iterations.size() == 10);
  CHECK(follow(kPattern, 9 * kPattern + part(kPattern, 0, 48), options).iterations.size() == 9);
}

TEST_CASE("A last operation with another name at the sequence's end is a deviation") {
  const PatternTrack track = follow(kPattern, 9 * kPattern + part(kPattern, 0, 49) + Symbols{kForeign});
  REQUIRE(track.iterations.size() == 10);
  CHECK(track.iterations[9].missing == 1);
}

TEST_CASE("With a fifth of the operations others four of five counts are exact") {
  std::mt19937 random(3);
  uint32_t exact = 0;
  constexpr uint32_t kRounds = 200, kCount = 60;
  for (uint32_t round = 0; round < kRounds; ++round) {
    Symbols symbols = kCount * kPattern;
    for (Symbol& symbol : symbols) {
      if (random() % 5 == 0) symbol = kForeign + random() % 4;
    }
    const PatternTrack track = follow(kPattern, symbols);
    if (track.iterations.size() == kCount) ++exact;
    uint32_t end = 0;
    for (const LoopIteration& iteration : track.iterations) {
      CHECK(iteration.begin >= end);
      CHECK(iteration.end > iteration.begin);
      end = iteration.end;
    }
  }
  INFO(exact << " of " << kRounds);
  CHECK(exact * 100 >= kRounds * 80);
}

}  // namespace
