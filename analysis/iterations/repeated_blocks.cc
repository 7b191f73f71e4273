#include "analysis/iterations/repeated_blocks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace xsp::analysis {
namespace {

/// How much is looked at: enough to see that numbers count up, in a recording of any length.
constexpr size_t kMostIterations = 200;
constexpr size_t kMostOperations = 64;
constexpr int kMostDepth = 32;
constexpr size_t kLongestName = 1024;
/// Of the pairs of neighbours.
constexpr double kNearlyAll = 0.8;
constexpr size_t kLeastPairs = 3;

struct Numbered {
  std::string path;  // "encoder.block"
  uint32_t number = 0;
};

bool is_of_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Each ".14" in a path of a name, with what stands before it.
std::vector<Numbered> numbered_in(std::string_view name) {
  std::vector<Numbered> found;
  name = name.substr(0, kLongestName);
  size_t begin = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    if (!is_of_path(name[at])) begin = at + 1;
    const bool is_number = name[at] == '.' && at > begin && at + 1 < name.size() && is_digit(name[at + 1]);
    if (!is_number) continue;
    Numbered one{.path = std::string(name.substr(begin, at - begin))};
    const auto [rest, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), one.number);
    const bool ends = rest == name.data() + name.size() || *rest == '.' || !is_of_path(*rest);
    // "1.5" is no path.
    const bool has_name =
        std::any_of(one.path.begin(), one.path.end(), [](char c) { return !is_digit(c) && c != '.'; });
    if (error == std::errc() && ends && has_name) found.push_back(std::move(one));
  }
  return found;
}

class BlockSearch {
 public:
  BlockSearch(const Trace& trace, const Parents& parents, const Operations& operations)
      : trace_(trace), parents_(parents), operations_(operations) {}

  std::string find(const Loop& loop) {
    const size_t iterations = std::min(loop.iterations.size(), kMostIterations);
    for (size_t i = 0; i < iterations; ++i) look_at(i, loop.iterations[i]);
    std::string best;
    size_t most = 0;
    for (const auto& [path, by_iteration] : votes_) {
      const Pairs pairs = pairs_of(by_iteration);
      const bool rises = pairs.rising >= kLeastPairs &&
                         static_cast<double>(pairs.rising) >= kNearlyAll * static_cast<double>(pairs.known);
      if (!rises || pairs.rising <= most) continue;
      most = pairs.rising;
      best = path;
    }
    return best;
  }

 private:
  using Votes = std::map<uint32_t, size_t>;  // by number
  using ByIteration = std::map<size_t, Votes>;

  void look_at(size_t number, const LoopIteration& iteration) {
    const bool is_device = operations_.source == OperationSource::kDevice;
    const size_t end = std::min<size_t>(iteration.end, iteration.begin + kMostOperations);
    for (size_t i = iteration.begin; i < end; ++i) {
      Row row = operations_.row(i);
      if (is_device) row = parents_.of[row];
      for (int depth = 0; row != kNoRow && depth < kMostDepth; ++depth, row = parents_.of[row]) {
        for (const Numbered& one : numbered(trace_.spans.name[row])) ++votes_[one.path][number][one.number];
      }
    }
  }

  const std::vector<Numbered>& numbered(uint32_t name) {
    const auto [found, added] = by_name_.try_emplace(name);
    if (added) found->second = numbered_in(trace_.text(name));
    return found->second;
  }

  /// Neighbours that both have a number. What was launched before the recording began has none.
  struct Pairs {
    size_t known = 0;
    size_t rising = 0;  // the second has the next number, or a smaller one
  };

  static Pairs pairs_of(const ByIteration& iterations) {
    Pairs pairs;
    std::optional<std::pair<size_t, uint32_t>> before;
    for (const auto& [iteration, votes] : iterations) {
      // An iteration may begin in the block before.
      const auto most = std::max_element(votes.begin(), votes.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      const uint32_t number = most->first;
      if (before && before->first + 1 == iteration) {
        ++pairs.known;
        pairs.rising += number == before->second + 1 || number < before->second ? 1 : 0;
      }
      before = {iteration, number};
    }
    return pairs;
  }

  const Trace& trace_;
  const Parents& parents_;
  const Operations& operations_;
  std::unordered_map<uint32_t, std::vector<Numbered>> by_name_;
  std::map<std::string, ByIteration> votes_;  // by path
};

}  // namespace

std::string repeated_block(const Trace& trace, const Parents& parents, const Operations& operations, const Loop& loop) {
  return BlockSearch(trace, parents, operations).find(loop);
}

}  // namespace xsp::analysis
