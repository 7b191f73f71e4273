#include "analysis/timeline/sequence_alignment.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

using Places = std::vector<SequencePlace>;

/// Keys by character; the kind of a letter is its case: 'A' may take the place of 'B', and 'a' of 'b'.
Places places(const std::string& letters) {
  Places result;
  for (const char letter : letters) {
    result.push_back({.key = static_cast<uint64_t>(letter), .kind = letter >= 'a' ? 1u : 2u});
  }
  return result;
}

/// "=A" same, "~A/B" renamed, ">A" moved, "-A" removed, "+A" added.
std::string aligned(const std::string& a, const std::string& b) {
  std::string result;
  for (const AlignedPlace& place : align_sequences(places(a), places(b))) {
    if (!result.empty()) result += ' ';
    const std::string before = place.a == kNoPlace ? "" : a.substr(place.a, 1);
    const std::string after = place.b == kNoPlace ? "" : b.substr(place.b, 1);
    switch (place.how) {
      case Alignment::kSame:
        result += "=" + before;
        CHECK(before == after);
        break;
      case Alignment::kRenamed:
        result += "~" + before + "/" + after;
        break;
      case Alignment::kMoved:
        result += ">" + before;
        CHECK(before == after);
        break;
      case Alignment::kRemoved:
        result += "-" + before;
        CHECK(after.empty());
        break;
      case Alignment::kAdded:
        result += "+" + after;
        CHECK(before.empty());
        break;
    }
  }
  return result;
}

size_t longest_by_table(const Places& a, const Places& b) {
  std::vector<std::vector<size_t>> longest(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      longest[i + 1][j + 1] = a[i].key == b[j].key ? longest[i][j] + 1 : std::max(longest[i][j + 1], longest[i + 1][j]);
    }
  }
  return longest[a.size()][b.size()];
}

/// Checks what holds of every alignment; returns how many places are the same.
size_t checked(const Places& a, const Places& b) {
  std::vector<int> seen_a(a.size());
  std::vector<int> seen_b(b.size());
  size_t same = 0;
  uint32_t last_same = 0;
  uint32_t next_b = 0;
  std::map<uint64_t, int> unmatched;  // by key: removed, less added
  for (const AlignedPlace& place : align_sequences(a, b)) {
    if (place.a != kNoPlace) ++seen_a[place.a];
    if (place.b != kNoPlace) {
      ++seen_b[place.b];
      REQUIRE(place.b == next_b++);
    }
    switch (place.how) {
      case Alignment::kSame:
        REQUIRE(a[place.a].key == b[place.b].key);
        REQUIRE((same == 0 || place.a > last_same));
        last_same = place.a;
        ++same;
        break;
      case Alignment::kMoved:
        REQUIRE(a[place.a].key == b[place.b].key);
        break;
      case Alignment::kRenamed:
        REQUIRE(a[place.a].kind == b[place.b].kind);
        REQUIRE(a[place.a].key != b[place.b].key);
        break;
      case Alignment::kRemoved:
        REQUIRE(place.b == kNoPlace);
        break;
      case Alignment::kAdded:
        REQUIRE(place.a == kNoPlace);
        break;
    }
  }
  REQUIRE(std::all_of(seen_a.begin(), seen_a.end(), [](int n) { return n == 1; }));
  REQUIRE(std::all_of(seen_b.begin(), seen_b.end(), [](int n) { return n == 1; }));
  return same;
}

TEST_CASE("alignment names what was removed, and nothing else") {
  CHECK(aligned("AbCdE", "AbdE") == "=A =b -C =d =E");
  CHECK(aligned("AbC", "bC") == "-A =b =C");
  CHECK(aligned("AbC", "Ab") == "=A =b -C");
  CHECK(aligned("AbCd", "") == "-A -b -C -d");
}

TEST_CASE("alignment names what was added, and nothing else") {
  CHECK(aligned("AbdE", "AbCdE") == "=A =b +C =d =E");
  CHECK(aligned("bC", "AbC") == "+A =b =C");
  CHECK(aligned("", "Ab") == "+A +b");
}

TEST_CASE("places that change places are moved, not removed and added") {
  CHECK(aligned("PXYQ", "PYXQ") == "=P =Y >X =Q");
  CHECK(aligned("PXqrsYQ", "PYqrsXQ") == "=P >Y =q =r =s >X =Q");
  CHECK(aligned("ABCdefg", "defgABC") == "=d =e =f =g >A >B >C");
}

TEST_CASE("a place of another name between the same neighbours is renamed where its kind is the same") {
  CHECK(aligned("PXQ", "PYQ") == "=P ~X/Y =Q");
  CHECK(aligned("PXQ", "PyQ") == "=P -X +y =Q");
  CHECK(aligned("ABC", "XYZ") == "~A/X ~B/Y ~C/Z");
  CHECK(aligned("PAbCQ", "PXyZQ") == "=P ~A/X ~b/y ~C/Z =Q");
}

TEST_CASE("among renamed places the one that is gone is the one of its kind") {
  CHECK(aligned("PAbCQ", "PXZQ") == "=P ~A/X -b ~C/Z =Q");
  CHECK(aligned("PACQ", "PXyZQ") == "=P ~A/X +y ~C/Z =Q");
}

TEST_CASE("of kinds of which one sequence has more, none is known to be another under a new name") {
  CHECK(aligned("PACEQ", "PXZQ") == "=P -A -C -E +X +Z =Q");
  CHECK(aligned("PAbCdQ", "PXyQ") == "=P -A -b -C -d +X +y =Q");
  CHECK(aligned("PAbQRCS", "PXYyQRZS") == "=P -A +X +Y ~b/y =Q =R ~C/Z =S");
}

TEST_CASE("what has no kind is never renamed") {
  const Places a = {{.key = 1, .kind = 7}, {.key = 2}, {.key = 3, .kind = 7}};
  const Places b = {{.key = 1, .kind = 7}, {.key = 4}, {.key = 3, .kind = 7}};
  const std::vector<AlignedPlace> expected = {{0, 0, Alignment::kSame},
                                              {.a = 1, .how = Alignment::kRemoved},
                                              {.b = 1, .how = Alignment::kAdded},
                                              {2, 2, Alignment::kSame}};
  CHECK(align_sequences(a, b) == expected);
}

TEST_CASE("two changes at once are two") {
  CHECK(aligned("AbCdEfG", "AbdXfG") == "=A =b -C =d ~E/X =f =G");
  CHECK(aligned("ABCDEFGH", "ACBDEFXGH") == "=A =C >B =D =E =F +X =G =H");
}

TEST_CASE("of several equal keys the one that is gone is told by its neighbours") {
  CHECK(aligned("ArBrCrD", "ArBCrD") == "=A =r =B -r =C =r =D");
  CHECK(aligned("ArBrCrD", "ArBrrCrD") == "=A =r =B =r +r =C =r =D");
  CHECK(aligned("rrrr", "rrr") == "=r =r =r -r");
  CHECK(aligned("AAzBB", "BBzAA") == "=B =B >z >A >A");
}

TEST_CASE("equal sequences are the same in every place, and empty ones give nothing") {
  CHECK(aligned("AbCd", "AbCd") == "=A =b =C =d");
  CHECK(aligned("", "").empty());
}

TEST_CASE("the common subsequence is as long as dynamic programming finds it") {
  std::mt19937 random(20260131);
  for (int round = 0; round < 20000; ++round) {
    const uint32_t alphabet = 1 + random() % 6;
    const auto sequence = [&] {
      Places result(random() % 14);
      for (SequencePlace& place : result) {
        const uint64_t key = random() % alphabet;
        place = {.key = key, .kind = key % 2};
      }
      return result;
    };
    const Places a = sequence();
    const Places b = sequence();
    REQUIRE(checked(a, b) == longest_by_table(a, b));
  }
}

TEST_CASE("long sequences with a few differences are aligned exactly") {
  std::mt19937 random(7);
  Places a(3000);
  for (SequencePlace& place : a) place = {.key = random() % 40, .kind = 0};
  Places b = a;
  for (int i = 0; i < 300; ++i) {
    const auto at = static_cast<ptrdiff_t>(random() % b.size());
    if (i % 3 == 0) b.erase(b.begin() + at);
    if (i % 3 == 1) b.insert(b.begin() + at, {.key = random() % 40, .kind = 0});
    if (i % 3 == 2) b[static_cast<size_t>(at)].key = random() % 50;
  }
  CHECK(checked(a, b) == longest_by_table(a, b));
}

TEST_CASE("a hundred thousand places are aligned in seconds, whatever they have in common") {
  std::mt19937 random(11);
  constexpr size_t kPlaces = 100000;
  Places a(kPlaces);
  Places b(kPlaces);
  const auto began = std::chrono::steady_clock::now();
  SECTION("nothing") {
    for (size_t i = 0; i < kPlaces; ++i) {
      a[i].key = i;
      b[i].key = kPlaces + i;
    }
    CHECK(checked(a, b) == 0);
  }
  SECTION("the order of a few keys by chance") {
    for (size_t i = 0; i < kPlaces; ++i) {
      a[i].key = random() % 50;
      b[i].key = random() % 50;
    }
    CHECK(checked(a, b) > kPlaces / 5);
  }
  SECTION("the keys, in another order") {
    for (size_t i = 0; i < kPlaces; ++i) a[i].key = i;
    b = a;
    std::shuffle(b.begin(), b.end(), random);
    CHECK(checked(a, b) > 100);
  }
  SECTION("all but one") {
    for (size_t i = 0; i < kPlaces; ++i) a[i].key = random() % 50;
    b = a;
    b.erase(b.begin() + 5000);
    CHECK(checked(a, b) == kPlaces - 1);
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(60));
}

}  // namespace
}  // namespace xsp::analysis
