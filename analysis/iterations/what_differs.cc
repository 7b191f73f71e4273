#include "analysis/iterations/what_differs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostOdd = 8;
constexpr size_t kMostOthers = 32;

/// At most `most` of them, evenly spaced.
std::vector<uint32_t> some_of(const std::vector<uint32_t>& all, size_t most) {
  std::vector<uint32_t> some;
  const size_t count = std::min(all.size(), most);
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

struct MeanIteration {
  double host = 0;
  double gaps = 0;
  std::vector<double> count;     // by symbol
  std::vector<double> duration;  // likewise, ns
};

MeanIteration mean_of(const DiagnosedLoop& loop, const std::vector<uint32_t>& iterations) {
  const Operations& operations = loop.found.operations;
  MeanIteration mean;
  mean.count.resize(operations.alphabet.size());
  mean.duration.resize(operations.alphabet.size());
  const auto n = static_cast<double>(iterations.size());
  if (iterations.empty()) return mean;
  for (const uint32_t iteration : iterations) {
    const double host = loop.series.host[iteration];
    mean.host += (std::isnan(host) ? loop.series.median_host : host) / n;
    mean.gaps += static_cast<double>(loop.metrics[iteration].operation_gaps) / n;
    const auto [begin, end] = operations_with_rest(loop, iteration);
    for (uint32_t i = begin; i < end; ++i) {
      const Symbol symbol = operations.symbols[i];
      mean.count[symbol] += 1 / n;
      mean.duration[symbol] += static_cast<double>(loop.trace.spans.duration(operations.row(i))) / n;
    }
  }
  return mean;
}

}  // namespace

std::pair<uint32_t, uint32_t> operations_with_rest(const DiagnosedLoop& loop, size_t iteration) {
  const std::vector<LoopIteration>& iterations = loop.mined().iterations;
  const LoopIteration& of = iterations[iteration];
  const bool is_followed = iteration + 1 < iterations.size() && loop.metrics[iteration + 1].has_interval;
  return {of.begin, is_followed ? iterations[iteration + 1].begin : of.end};
}

std::string operation_name(const DiagnosedLoop& loop, Symbol symbol) {
  constexpr size_t kWidth = 60;
  constexpr size_t kMostBytes = 4096;
  const std::string name = symbol_text(loop.trace, loop.found.operations.alphabet[symbol]);
  return shorten(printable(std::string_view(name).substr(0, kMostBytes)), kWidth);
}

Difference difference_of(const DiagnosedLoop& loop, const std::vector<uint32_t>& odd,
                         const std::vector<uint32_t>& others) {
  constexpr double kAnother = 0.5;
  const MeanIteration a = mean_of(loop, some_of(others, kMostOthers));
  const MeanIteration b = mean_of(loop, some_of(odd, kMostOdd));
  Difference difference{.host = b.host - a.host, .gaps = b.gaps - a.gaps};
  for (Symbol symbol = 0; symbol < a.count.size(); ++symbol) {
    const double more = b.count[symbol] - a.count[symbol];
    const double longer = b.duration[symbol] - a.duration[symbol];
    if (more < kAnother && longer <= 0) continue;
    difference.operations.push_back({symbol, more < kAnother ? 0 : more, longer, a.duration[symbol]});
  }
  std::stable_sort(difference.operations.begin(), difference.operations.end(),
                   [](const auto& x, const auto& y) { return x.longer > y.longer; });
  return difference;
}

std::string difference_text(const DiagnosedLoop& loop, const Difference& difference) {
  constexpr double kPart = 0.2;
  constexpr size_t kNamed = 3;
  double total = std::max(difference.host, 0.0) + std::max(difference.gaps, 0.0);
  for (const auto& operation : difference.operations) total += std::max(operation.longer, 0.0);
  std::vector<std::string> parts;
  std::vector<std::string> more;
  double more_ns = 0;
  size_t slower = 0;
  for (const auto& operation : difference.operations) {
    if (operation.more > 0) {
      more.push_back(operation_name(loop, operation.symbol));
      more_ns += std::max(operation.longer, 0.0);
    } else if (operation.longer >= kPart * total && slower++ < kNamed) {
      parts.push_back(fmt::format("{} takes {} instead of {}", operation_name(loop, operation.symbol),
                                  duration_text(operation.other + operation.longer), duration_text(operation.other)));
    }
  }
  if (!more.empty()) {
    const size_t count = more.size();
    if (more.size() > kNamed) more.resize(kNamed);
    std::string text = fmt::format("more operations: {}", fmt::join(more, ", "));
    if (count > kNamed) text += fmt::format(" and {} others", count - kNamed);
    parts.insert(parts.begin(), text + fmt::format(" ({})", duration_text(more_ns)));
  }
  if (difference.host > 0 && difference.host >= kPart * total) {
    parts.push_back(fmt::format("the interval before is {} longer", duration_text(difference.host)));
  }
  if (difference.gaps > 0 && difference.gaps >= kPart * total) {
    parts.push_back(fmt::format("the gaps inside are {} longer", duration_text(difference.gaps)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace xsp::analysis
