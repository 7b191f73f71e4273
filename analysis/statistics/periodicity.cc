#include "analysis/statistics/periodicity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "analysis/statistics/binomial.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kLeastHits = 3;
/// Share of the marks, and of the places: one in five may be elsewhere, or hidden in noise.
constexpr double kMostly = 0.8;

/// P(at least `hits` of `marks` random places of `n` are among `places`).
double hypergeometric_tail(uint32_t n, uint32_t places, uint32_t marks, uint32_t hits) {
  double sum = 0;
  const uint32_t most = std::min(places, marks);
  for (uint32_t h = hits; h <= most; ++h) {
    if (marks - h > n - places) continue;
    sum += std::exp(log_choose(places, h) + log_choose(n - places, marks - h) - log_choose(n, marks));
  }
  return std::min(sum, 1.0);
}

uint32_t places_of(uint32_t n, uint32_t period, uint32_t phase) { return (n - phase + period - 1) / period; }

/// How many pairs of period and phase have `places` places.
double alternatives(uint32_t n, uint32_t places) {
  double count = 0;
  for (uint32_t period = 2; period <= n / 2; ++period) {
    const uint32_t whole = n / period;
    if (whole + 1 < places) break;
    if (whole == places) count += period - n % period;
    if (whole + 1 == places) count += n % period;
  }
  return count;
}

/// The best phase of a period; hits is 0 if it does not explain most of the marks. `phases` is scratch space: cost
/// depends on the marks, not on the period.
Periodicity best_phase(std::span<const uint32_t> marked, uint32_t n, uint32_t period, std::vector<uint32_t>* phases) {
  phases->clear();
  for (const uint32_t mark : marked) phases->push_back(mark % period);
  std::sort(phases->begin(), phases->end());
  Periodicity best{.period = period};
  for (size_t begin = 0; begin < phases->size();) {
    const uint32_t phase = (*phases)[begin];
    size_t end = begin;
    while (end < phases->size() && (*phases)[end] == phase) ++end;
    if (end - begin > best.hits) {
      best.hits = static_cast<uint32_t>(end - begin);
      best.phase = phase;
    }
    begin = end;
  }
  best.places = places_of(n, period, best.phase);
  if (best.hits < kLeastHits || best.hits < kMostly * static_cast<double>(marked.size()) ||
      best.hits < kMostly * best.places) {
    best.hits = 0;
  }
  return best;
}

}  // namespace

std::optional<Periodicity> periodicity_of(std::span<const uint32_t> marked, uint32_t n, double alpha) {
  constexpr size_t kMostCandidates = 8;
  if (marked.size() < kLeastHits) return {};
  std::map<uint32_t, uint32_t> distances;
  for (size_t i = 1; i < marked.size(); ++i) {
    ++distances[marked[i] - marked[i - 1]];
    if (i > 1) ++distances[marked[i] - marked[i - 2]];
  }
  std::vector<std::pair<uint32_t, uint32_t>> candidates;  // times, distance
  for (const auto& [distance, times] : distances) candidates.emplace_back(times, distance);
  std::sort(candidates.rbegin(), candidates.rend());
  if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
  std::optional<Periodicity> found;
  std::vector<uint32_t> phases;
  for (const auto& [times, distance] : candidates) {
    if (distance < 2 || distance > n / 2) continue;
    Periodicity best = best_phase(marked, n, distance, &phases);
    if (best.hits == 0) continue;
    best.p_value = alternatives(n, best.places) *
                   hypergeometric_tail(n, best.places, static_cast<uint32_t>(marked.size()), best.hits);
    if (best.p_value < alpha && (!found || best.p_value < found->p_value)) found = best;
  }
  return found;
}

std::optional<Periodicity> periodic_peaks(std::span<const double> values, double alpha) {
  const auto n = static_cast<uint32_t>(values.size());
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] > values[b]; });
  std::optional<Periodicity> found;
  std::vector<uint32_t> phases;
  double sizes = 0;  // different numbers of marks that were tried
  uint32_t last = 0;
  for (uint32_t period = 2; period <= n / kLeastHits; ++period) {
    const uint32_t marks = n / period;
    sizes += marks != last;
    last = marks;
    // Values no larger than the next are no peaks.
    if (marks < n && !(values[order[marks - 1]] > values[order[std::min(n - 1, marks + 1)]])) continue;
    Periodicity best = best_phase(std::span(order).first(marks), n, period, &phases);
    if (best.hits == 0) continue;
    best.p_value = alternatives(n, best.places) * hypergeometric_tail(n, best.places, marks, best.hits);
    if (!found || best.p_value < found->p_value) found = best;
  }
  if (!found) return {};
  found->p_value = std::min(1.0, found->p_value * std::max(sizes, 1.0));
  if (!(found->p_value < alpha)) return {};
  return found;
}

}  // namespace xsp::analysis
