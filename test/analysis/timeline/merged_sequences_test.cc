#include "analysis/timeline/merged_sequences.h"

#include <algorithm>
#include <string>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

/// Keys by character; capital letters may take the place of each other, and small ones too.
CountedSequence counted(size_t count, const std::string& letters) {
  CountedSequence sequence{{}, count};
  for (const char letter : letters) {
    sequence.places.push_back({.key = static_cast<uint64_t>(letter), .kind = letter >= 'a' ? 1u : 0u});
  }
  return sequence;
}

/// The rows, and behind a bar what is none of them, each by the letter that the first sequence has there and its n.
std::string merged_text(const std::vector<CountedSequence>& sequences, Renamed renamed) {
  const MergedSequences merged = merge_sequences(sequences, renamed);
  std::string text;
  for (uint32_t slot = 0; slot < merged.n.size(); ++slot) {
    const uint32_t sequence = merged.first[slot];
    const auto& slots = merged.slots[sequence];
    const auto place = static_cast<size_t>(std::find(slots.begin(), slots.end(), slot) - slots.begin());
    if (slot == merged.rows) text += "| ";
    text += static_cast<char>(sequences[sequence].places.at(place).key);
    text += std::to_string(merged.n[slot]) + " ";
  }
  return text;
}

TEST_CASE("equal sequences are merged as they are") {
  const MergedSequences merged = merge_sequences({counted(7, "ABC")}, Renamed::kSame);
  CHECK(merged.rows == 3);
  CHECK(merged.slots == std::vector<std::vector<uint32_t>>{{0, 1, 2}});
  CHECK(merged.n == std::vector<size_t>{7, 7, 7});
  CHECK(merge_sequences({}, Renamed::kSame).rows == 0);
}

TEST_CASE("what at least half have is a row, whatever else differs") {
  // One operator more in each of five.
  const std::vector<CountedSequence> sequences = {counted(1, "AaBCD"), counted(1, "ABbCD"), counted(1, "ABCcD"),
                                                  counted(1, "ABCDd"), counted(1, "ABCDe")};
  CHECK(merged_text(sequences, Renamed::kAlternative) == "A5 B5 C5 D5 | a1 b1 c1 d1 e1 ");
  CHECK(merged_text({counted(2, "ABC"), counted(2, "ABxC")}, Renamed::kSame) == "A4 B4 x2 C4 ");
  CHECK(merged_text({counted(3, "ABC"), counted(2, "ABxC")}, Renamed::kSame) == "A5 B5 C5 | x2 ");
  CHECK(merged_text({counted(2, "ABC"), counted(3, "ABxC")}, Renamed::kSame) == "A5 B5 x3 C5 ");
}

TEST_CASE("the same addition at the same place is one slot") {
  CHECK(merged_text({counted(2, "ABC"), counted(1, "AxBC"), counted(1, "AxBCy")}, Renamed::kSame) ==
        "A4 x2 B4 C4 | y1 ");
  CHECK(merged_text({counted(3, "ABC"), counted(2, "AxxBC"), counted(2, "AxBC")}, Renamed::kSame) ==
        "A7 x4 B7 C7 | x2 ");
}

TEST_CASE("what takes the place of another is the same under another name, or an alternative") {
  const std::vector<CountedSequence> sequences = {counted(2, "ABcD"), counted(2, "AXcD")};
  CHECK(merged_text(sequences, Renamed::kSame) == "A4 B4 c4 D4 ");
  CHECK(merged_text(sequences, Renamed::kAlternative) == "A4 X2 B2 c4 D4 ");
  CHECK(merged_text({counted(2, "ABCD"), counted(2, "WXYZ")}, Renamed::kSame) == "A4 B4 C4 D4 ");
}

TEST_CASE("the most frequent sequence is the reference, of several that of the median length") {
  CHECK(merge_sequences({counted(1, "A"), counted(2, "AB")}, Renamed::kSame).reference == 1);
  CHECK(merge_sequences({counted(1, "A"), counted(1, "ABCDE"), counted(1, "ABC")}, Renamed::kSame).reference == 2);
  CHECK(merge_sequences({counted(1, "ABC"), counted(1, "ABD")}, Renamed::kSame).reference == 0);
  const MergedSequences merged = merge_sequences({counted(3, ""), counted(1, "A")}, Renamed::kAlternative);
  CHECK(merged.reference == 1);
  CHECK(merged.left_out == std::vector<uint8_t>{1, 0});
}

TEST_CASE("a sequence with less than half in common is left out and has no say") {
  const MergedSequences merged =
      merge_sequences({counted(2, "ABCD"), counted(5, "ABxyzuvw"), counted(4, "ABCx")}, Renamed::kAlternative);
  CHECK(merged.reference == 1);
  CHECK(merged.left_out == std::vector<uint8_t>{1, 0, 1});
  CHECK(merged.n == std::vector<size_t>(8, 5));
  CHECK(merged.slots[0] == std::vector<uint32_t>{0, 1, kNoPlace, kNoPlace});
}

TEST_CASE("what counts nothing is placed, and changes nothing") {
  const MergedSequences merged = merge_sequences({counted(3, "ABC"), counted(0, "AxBC")}, Renamed::kSame);
  CHECK(merged.rows == 3);
  CHECK(merged.n == std::vector<size_t>{3, 3, 3});
  CHECK(merged.slots[1] == std::vector<uint32_t>{0, kNoPlace, 1, 2});
}

TEST_CASE("sequences that share nothing in order are bounded in time") {
  std::vector<CountedSequence> sequences;
  constexpr size_t kLength = 20000;
  for (size_t i = 0; i < 60; ++i) {
    CountedSequence sequence{{}, 1};
    for (size_t k = 0; k < kLength; ++k) {
      const uint64_t key = (k * (2 * i + 1) * 7919) % kLength;
      sequence.places.push_back({key, 0});
    }
    sequences.push_back(std::move(sequence));
  }
  const MergedSequences merged = merge_sequences(sequences, Renamed::kAlternative);
  CHECK(merged.not_aligned != 0);
  CHECK(merged.not_aligned < 60);
}

}  // namespace
}  // namespace xsp::analysis
