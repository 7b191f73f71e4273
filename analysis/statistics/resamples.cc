#include "analysis/statistics/resamples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "analysis/statistics/correlation_time.h"

namespace xsp::analysis {
namespace {

/// PCG32 (O'Neill, pcg-random.org): the same numbers everywhere, unlike the distributions of the standard library.
class Random {
 public:
  /// Generators of different streams are independent.
  explicit Random(uint64_t stream) : increment_(stream << 1 | 1) {
    next();
    state_ += kSeed;
    next();
  }

  /// 0 to n - 1.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(uint64_t{next()} * n >> 32); }

 private:
  static constexpr uint64_t kSeed = 0x853c49e6748fea9b;

  uint32_t next() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005u + increment_;
    const auto shifted = static_cast<uint32_t>((old >> 18 ^ old) >> 27);
    const auto rotation = static_cast<uint32_t>(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
  }

  uint64_t state_ = 0;
  uint64_t increment_;
};

/// Draws per interval are limited, because tables have hundreds of intervals.
constexpr size_t kMostValues = 250;
constexpr size_t kMostDraws = 100'000;
constexpr size_t kMostResamples = 1000;

/// Fewer runs give too few different resamples.
constexpr size_t kFewRuns = 8;

/// The statistic of multisets of the same values. As these are sorted once, a multiset is given by how often each is in
/// it.
class Multisets {
 public:
  Multisets(const Statistic& statistic, const std::vector<double>& values)
      : statistic_(statistic), place_(values.size()), sorted_(values.size()), count_(values.size()) {
    std::vector<uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    for (uint32_t i = 0; i < order.size(); ++i) {
      sorted_[i] = values[order[i]];
      place_[order[i]] = i;
    }
  }

  void clear() {
    std::fill(count_.begin(), count_.end(), 0);
    size_ = 0;
    sum_ = 0;
  }

  /// Adds the value of an index.
  void add(size_t index) {
    const uint32_t place = place_[index];
    ++count_[place];
    ++size_;
    sum_ += sorted_[place];
  }

  /// As evaluate() of statistic.h.
  double evaluate() const {
    const auto n = static_cast<double>(size_);
    if (statistic_.kind == Statistic::Kind::kMean) return sum_ / n;
    if (statistic_.kind == Statistic::Kind::kTrimmedMean) {
      const size_t cut = size_ == 3 ? 1 : size_ / 5;
      return (sum_ - sum_of_least(cut) - sum_of_largest(cut)) / (n - 2 * static_cast<double>(cut));
    }
    const double percentile = statistic_.kind == Statistic::Kind::kMedian ? 50 : statistic_.percentile;
    const double rank = percentile / 100 * (n - 1);
    const auto below = static_cast<size_t>(rank);
    return between(below, rank - static_cast<double>(below));
  }

 private:
  double sum_of_least(size_t n) const {
    double sum = 0;
    for (size_t i = 0; n != 0; ++i) {
      const size_t some = std::min<size_t>(count_[i], n);
      sum += static_cast<double>(some) * sorted_[i];
      n -= some;
    }
    return sum;
  }

  double sum_of_largest(size_t n) const {
    double sum = 0;
    for (size_t i = sorted_.size() - 1; n != 0; --i) {
      const size_t some = std::min<size_t>(count_[i], n);
      sum += static_cast<double>(some) * sorted_[i];
      n -= some;
    }
    return sum;
  }

  /// Between the value of a rank and the next.
  double between(size_t rank, double fraction) const {
    size_t i = 0;
    size_t end = count_[0];
    while (end <= rank) end += count_[++i];
    const double low = sorted_[i];
    if (fraction == 0 || end > rank + 1) return low;
    while (count_[++i] == 0) {
    }
    return low + fraction * (sorted_[i] - low);
  }

  Statistic statistic_;
  std::vector<uint32_t> place_;
  std::vector<double> sorted_;
  std::vector<uint32_t> count_;
  size_t size_ = 0;
  double sum_ = 0;
};

/// Draws `draw(multisets)` again and again; deviations are from the estimate of the values themselves.
template <typename Draw>
void draw_all(const Statistic& statistic, const std::vector<double>& values, double stretch, Draw&& draw,
              Resamples* resamples) {
  Multisets multisets(statistic, values);
  for (size_t i = 0; i < values.size(); ++i) multisets.add(i);
  const double centre = multisets.evaluate();
  const size_t count = std::min(kMostDraws / values.size(), kMostResamples);
  resamples->deviations.resize(count);
  double squares = 0;
  for (double& deviation : resamples->deviations) {
    multisets.clear();
    draw(multisets);
    deviation = stretch * (multisets.evaluate() - centre);
    squares += deviation * deviation;
  }
  resamples->variance = squares / static_cast<double>(count);
}

/// One of each of kMostValues stretches of time.
std::vector<double> thinned(const std::vector<double>& run, Random* random) {
  std::vector<double> values(kMostValues);
  for (size_t i = 0; i < kMostValues; ++i) {
    const size_t begin = i * run.size() / kMostValues;
    const size_t end = (i + 1) * run.size() / kMostValues;
    values[i] = run[begin + random->below(static_cast<uint32_t>(end - begin))];
  }
  return values;
}

/// An interval from a part of the values is too wide by the root of their ratio, which is corrected.
void resample_values(const Statistic& statistic, const std::vector<double>& run, Random* random, Resamples* resamples) {
  const double time = correlation_time(statistic, run);
  const auto n = static_cast<double>(run.size());
  resamples->degrees = n / time - 1;
  const std::vector<double> values = run.size() > kMostValues ? thinned(run, random) : run;
  const auto m = static_cast<double>(values.size());
  const double stretch = std::sqrt(time * m / n * m / (m - 1));
  const auto draw = [&](Multisets& multisets) {
    for (size_t i = 0; i < values.size(); ++i) multisets.add(random->below(static_cast<uint32_t>(values.size())));
  };
  draw_all(statistic, values, stretch, draw, resamples);
}

/// Draws whole runs: drawing within them too would count twice what varies within them.
void resample_runs(const Statistic& statistic, const RunValues& runs, Random* random, Resamples* resamples) {
  std::vector<double> values;
  std::vector<size_t> first = {0};
  for (const std::vector<double>& run : runs) {
    values.insert(values.end(), run.begin(), run.end());
    first.push_back(values.size());
  }
  const auto n = static_cast<double>(runs.size());
  resamples->degrees = n - 1;
  resamples->few_runs = runs.size() < kFewRuns;
  const auto draw = [&](Multisets& multisets) {
    for (size_t i = 0; i < runs.size(); ++i) {
      const uint32_t run = random->below(static_cast<uint32_t>(runs.size()));
      for (size_t value = first[run]; value < first[run + 1]; ++value) multisets.add(value);
    }
  };
  draw_all(statistic, values, std::sqrt(n / (n - 1)), draw, resamples);
}

}  // namespace

Resamples resample(const Statistic& statistic, const RunValues& values, uint64_t stream,
                   std::optional<double> estimate) {
  RunValues runs;
  std::vector<double> all;
  for (const std::vector<double>& run : values) {
    if (run.empty()) continue;
    runs.push_back(run);
    all.insert(all.end(), run.begin(), run.end());
  }
  Resamples resamples;
  Random random(stream);
  const size_t n = all.size();
  resamples.estimate = estimate ? *estimate : evaluate(statistic, all);
  if (runs.size() == 1) {
    resample_values(statistic, runs.front(), &random, &resamples);
  } else if (n <= kMostValues) {
    resample_runs(statistic, runs, &random, &resamples);
  } else {
    // Each run by its own statistic.
    for (std::vector<double>& run : runs) run = {evaluate(statistic, run)};
    resample_runs({Statistic::Kind::kMean, 0}, runs, &random, &resamples);
  }
  return resamples;
}

}  // namespace xsp::analysis
