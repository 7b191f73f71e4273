#include "analysis/mining/suffix_tree_mining.h"

#include <cmath>
#include <utility>

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

Loops mined(const Symbols& symbols, std::vector<uint32_t> counts, std::vector<SuffixTreeMiningFacts>* facts = nullptr) {
  return mine_by_suffix_tree(symbols, {.counts = std::move(counts)}, facts);
}

const Symbols kStep = symbols_of("abcdebcdef");
const Symbols kTest = symbols_of("abcdeg");
const Symbols kStart = symbols_of("xyzzyxuuvxw");

TEST_CASE("suffix tree mining: equal iterations behind operations of the start") {
  std::vector<SuffixTreeMiningFacts> facts;
  const Loops loops = mine_by_suffix_tree(kStart + 7 * kStep, {.counts = {7}, .epsilon = 1}, &facts);
  REQUIRE(loops.loops.size() == 1);
  const Loop& loop = loops.loops[0];
  CHECK(loop.pattern == kStep);
  REQUIRE(loop.iterations.size() == 7);
  CHECK(loop.iterations[0].begin == 11);
  CHECK(loop.iterations[6].end == 81);
  CHECK(loop.iterations[3].deviations() == 0);
  CHECK(loop.level == 0);
  CHECK(loop.parent == kNoLoop);
  CHECK(loop.confidence == Approx(1 - std::exp2(-6.0)));
  CHECK(loop.coverage == Approx(70 / 81.0));
  CHECK_FALSE(loop.is_cut_at_begin);
  CHECK_FALSE(loop.is_cut_at_end);
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].epsilon == 1);
  CHECK(facts[0].repeats == 7);
}

TEST_CASE("suffix tree mining: iterations and nothing else are found whole") {
  const Loops loops = mined(10 * kStep, {10});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].pattern == kStep);
  CHECK(loops.loops[0].iterations.size() == 10);
  CHECK(loops.loops[0].coverage == 1);
}

TEST_CASE("suffix tree mining: iterations with more operations match approximately") {
  const Symbols with_statistics = symbols_of("abcdepbcdef");
  const Symbols with_more = symbols_of("abcdeppppbcdef");
  std::vector<SuffixTreeMiningFacts> facts;
  const Symbols symbols = kStart + 3 * (5 * kStep + with_statistics) + with_more;
  const Loops loops = mined(symbols, {19}, &facts);
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].pattern == kStep);
  CHECK(facts[0].epsilon == 5);
  CHECK(facts[0].repeats == 15);
  REQUIRE(loops.loops[0].iterations.size() == 18);
  CHECK(loops.loops[0].iterations[5].inserted == 1);
  CHECK(loops.loops[0].iterations[5].size() == 11);
  CHECK(loops.loops[0].iterations[6].inserted == 0);
  CHECK(loops.loops[0].confidence == Approx(18 / 19.0 * 180 / 183 * (1 - std::exp2(-17.0))));

  const Loops loose = mine_by_suffix_tree(symbols, {.counts = {19}, .most_unmatched = 4});
  REQUIRE(loose.loops.size() == 1);
  CHECK(loose.loops[0].iterations.size() == 19);
  CHECK(loose.loops[0].iterations[18].inserted == 4);
}

TEST_CASE("suffix tree mining: two loops in turn, in whatever order their counts are given") {
  const Symbols symbols = kStart + 3 * (8 * kStep + 4 * kTest);
  for (const std::vector<uint32_t>& counts : {std::vector<uint32_t>{24, 12}, {12, 24}}) {
    std::vector<SuffixTreeMiningFacts> facts;
    const Loops loops = mined(symbols, counts, &facts);
    REQUIRE(loops.loops.size() == 2);
    CHECK(loops.loops[0].pattern == kStep);
    CHECK(loops.loops[0].iterations.size() == 24);
    CHECK(loops.loops[0].coverage == Approx(240.0 / static_cast<double>(symbols.size())));
    CHECK(loops.loops[1].pattern == kTest);
    CHECK(loops.loops[1].iterations.size() == 12);
    CHECK(loops.loops[1].iterations[4].begin == 11 + 104 + 80);
    REQUIRE(facts.size() == 2);
    CHECK(facts[0].repeats == 24);
    CHECK(facts[1].repeats == 12);
  }
}

TEST_CASE("suffix tree mining: an iteration of one loop is not one of another") {
  const Loops loops = mined(kStart + 9 * kStep, {9, 9});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].iterations.size() == 9);
}

TEST_CASE("suffix tree mining: no iteration reaches over one of another loop") {
  // "gh" is parted by a step each time.
  const Symbols symbols = 6 * (symbols_of("g") + kStep + symbols_of("h"));
  const Loops loops = mine_by_suffix_tree(symbols, {.counts = {6, 6}, .most_unmatched = 20});
  for (const Loop& a : loops.loops) {
    for (const Loop& b : loops.loops) {
      if (&a == &b) continue;
      for (const LoopIteration& first : a.iterations) {
        for (const LoopIteration& second : b.iterations) {
          CHECK((first.end <= second.begin || second.end <= first.begin));
        }
      }
    }
  }
}

TEST_CASE("suffix tree mining: a trace that ends within an iteration") {
  const Loops loops = mined(kStart + 8 * kStep + symbols_of("abcd"), {8});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].pattern == kStep);
  CHECK(loops.loops[0].iterations.size() == 8);
  CHECK_FALSE(loops.loops[0].is_cut_at_begin);
  CHECK(loops.loops[0].is_cut_at_end);
}

TEST_CASE("suffix tree mining: a trace that begins within an iteration") {
  // Its first iteration is found from "ef" on, as all others are then.
  const Loops loops = mined(symbols_of("qcdqef") + 8 * kStep, {8});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].pattern == symbols_of("efabcdebcd"));
  CHECK(loops.loops[0].iterations.size() == 8);
  CHECK(loops.loops[0].is_cut_at_begin);
  CHECK(loops.loops[0].is_cut_at_end);
}

TEST_CASE("suffix tree mining: a program's last operations are no iteration cut off") {
  const Loops loops = mined(kStart + 8 * kStep + symbols_of("awvx"), {8});
  REQUIRE(loops.loops.size() == 1);
  CHECK_FALSE(loops.loops[0].is_cut_at_end);
}

TEST_CASE("suffix tree mining: a pattern does not reach into the next iteration") {
  // Criterion 3 allows 14 operations, and "abcdebcdefabcd" is there seven times, each over the next.
  const Loops loops = mine_by_suffix_tree(kStart + kStart + 8 * kStep, {.counts = {7}, .epsilon = 1});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].pattern == kStep);
  CHECK(loops.loops[0].iterations.size() == 8);
}

TEST_CASE("suffix tree mining: no loop where there is none, with the reason") {
  const auto why = [](const Symbols& symbols, std::vector<uint32_t> counts) {
    std::vector<SuffixTreeMiningFacts> facts(3);
    const Loops loops = mined(symbols, std::move(counts), &facts);
    CHECK(loops.loops.empty());
    CHECK(facts.empty());
    return loops.why_none;
  };
  const std::string nothing = "no sequence of operations repeats as often and is short enough";
  const std::string wrong_count =
      "the longest sequence of operations that could be an iteration is there 7 instead of 40 times";
  CHECK(why(kStart + 7 * kStep + increasing_symbols(300), {40}) == wrong_count);
  const std::string fewer = "there are fewer operations than iterations";
  CHECK(why({}, {2}) == fewer);
  CHECK(why(symbols_of("a"), {2}) == fewer);
  CHECK(why(symbols_of("ab"), {2}) == nothing);
  CHECK(why(symbols_of("ab"), {UINT32_MAX}) == fewer);
  CHECK(why(increasing_symbols(1000), {10}) == nothing);
  CHECK(why(Symbols(1000, 0), {10}) == nothing);
  CHECK(why(kStart + 7 * kStep, {1}) == "one iteration repeats nothing");
  CHECK(why(kStart + 7 * kStep, {0}) == "one iteration repeats nothing");
  CHECK(why(kStart + 7 * kStep, {}) == "the number of iterations is not known");
}

TEST_CASE("suffix tree mining: a few operations that happen to repeat as often are no loop") {
  std::mt19937 random(4);
  Symbols symbols = random_symbols(2000, 500, random);
  for (size_t i = 100; i < symbols.size(); i += 150) symbols[i] = symbols[i + 1] = 1000;
  const Loops loops = mined(symbols, {13});
  CHECK(loops.loops.empty());
  CHECK(loops.why_none ==
        "the longest sequence of operations that could be an iteration is there 13 times and has 1 % of the operations "
        "from its first to its last");
}

TEST_CASE("suffix tree mining: a loop is found between larger iterations of another") {
  // Three fifths of the operations are of the second loop.
  const Loops loops =
      mined(5 * (4 * kStep + symbols_of("ghijklmnopqrstu") + kTest + 4 * symbols_of("vwxyzghgiz")), {20, 5});
  REQUIRE(loops.loops.size() == 2);
  CHECK(loops.loops[0].iterations.size() == 5);
  CHECK(loops.loops[1].iterations.size() == 20);
  CHECK(loops.loops[1].pattern == kStep);
  CHECK(loops.loops[1].confidence == Approx(1 - std::exp2(-19.0)));
}

TEST_CASE("suffix tree mining: iterations of one operation") {
  CHECK(mined(symbols_of("aa"), {2}).loops.at(0).iterations.size() == 2);
  CHECK(mined(Symbols(1000, 0), {1000}).loops.at(0).iterations.size() == 1000);
}

TEST_CASE("suffix tree mining: whatever comes, loops are in order, apart and of their pattern") {
  std::mt19937 random(3);
  for_each_sequence(120, 4000, [&](const Symbols& symbols) {
    const std::vector<uint32_t> counts = {static_cast<uint32_t>(random() % 20), static_cast<uint32_t>(random() % 8)};
    const Loops loops = mined(symbols, counts);
    CHECK(loops.why_none.empty() == !loops.loops.empty());
    std::vector<bool> taken(symbols.size());
    for (const Loop& loop : loops.loops) {
      CHECK(loop.iterations.size() >= 2);
      CHECK(loop.confidence > 0);
      CHECK(loop.confidence <= 1);
      size_t end = 0;
      for (const LoopIteration& iteration : loop.iterations) {
        REQUIRE(iteration.begin >= end);
        REQUIRE(iteration.end <= symbols.size());
        end = iteration.end;
        CHECK(iteration.size() == loop.pattern.size() + iteration.inserted);
        CHECK(symbols[iteration.begin] == loop.pattern.front());
        CHECK(symbols[iteration.end - 1] == loop.pattern.back());
        for (uint32_t i = iteration.begin; i < iteration.end; ++i) {
          CHECK_FALSE(taken[i]);
          taken[i] = true;
        }
      }
    }
  });
}

}  // namespace
}  // namespace xsp::analysis
