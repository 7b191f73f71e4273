#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/statistic.h"
#include "analysis/study/analysed_trace.h"
#include "analysis/timeline/intervals.h"
#include "base/units.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

using analysis::Row;

// A gap is told from this share of a call of the model on, if it is that much longer than gaps are otherwise.
constexpr double kLeastGapShare = 0.03;
constexpr double kTimesTheUsual = 10;
constexpr double kLeastNs = 50'000;

/// What ran in an evaluation besides its model's span: layers, calls, and work of the device.
analysis::TimeIntervals recorded_in(const analysis::Study& study, uint32_t evaluation) {
  const analysis::SpanTable& spans = study.trace.spans;
  const Row root = study.evaluations.root[evaluation];
  const uint32_t process = study.trace.process_of(root);
  analysis::TimeIntervals recorded;
  for (Row row = 0; row < spans.size(); ++row) {
    if (row == root || spans.end[row] <= spans.begin[root] || spans.begin[row] >= spans.end[root]) continue;
    if (spans.level[row] == analysis::Level::kModel || spans.level[row] == analysis::Level::kApplication) continue;
    if (study.trace.process_of(row) != process) continue;
    recorded.push_back({spans.begin[row], spans.end[row]});
  }
  return recorded;
}

}  // namespace

void find_host_gaps(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  const JoinedTrace& joined = *work.trace;
  const analysis::Study& study = *joined.trace->study;
  const analysis::JoinedLayers& layers = study.joined;
  // Without layers nothing tells what the host does between calls.
  if (layers.joined.empty() || layers.layers.size() < 3 || !work.has_layers()) return;
  const size_t places = layers.layers.size();
  std::vector<std::vector<double>> gaps(places);  // by place of the layer behind the gap
  const analysis::SpanTable& spans = study.trace.spans;
  constexpr size_t kMostEvaluations = 16;
  const size_t step = (layers.joined.size() + kMostEvaluations - 1) / kMostEvaluations;
  for (size_t number = 0; number < layers.joined.size(); number += step) {
    const uint32_t evaluation = layers.joined[number];
    const analysis::TimeIntervals recorded = analysis::united(recorded_in(study, evaluation));
    for (size_t ordinal = 1; ordinal < study.evaluations.layer_count(evaluation); ++ordinal) {
      const uint32_t place = layers.places.of(evaluation, ordinal);
      if (place >= places) continue;
      const int64_t begin = spans.begin[study.evaluations.layer(evaluation, ordinal)];
      // The stretch of nothing that ends where the layer begins.
      const auto next = std::lower_bound(recorded.begin(), recorded.end(), begin,
                                         [](const auto& interval, int64_t time) { return interval.begin < time; });
      const bool is_quiet = next != recorded.begin() && next != recorded.end() && next->begin == begin;
      gaps[place].push_back(is_quiet ? static_cast<double>(begin - std::prev(next)->end) : 0);
    }
  }
  std::vector<double> typical(places, 0), known;
  for (size_t place = 0; place < places; ++place) {
    if (gaps[place].empty()) continue;
    typical[place] = analysis::evaluate(study.options.statistic, gaps[place]);
    known.push_back(typical[place]);
  }
  if (known.empty()) return;
  std::nth_element(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2), known.end());
  const double usual = known[known.size() / 2];
  const double least = std::max({kLeastNs, kTimesTheUsual * usual, kLeastGapShare * joined.measured_ms * kNsPerMs});
  for (size_t i = 0; i < joined.layers.size(); ++i) {
    const size_t place = joined.layers[i].index;
    if (place >= places || !(typical[place] >= least)) continue;
    Inefficiency& one = found->emplace_back();
    one.kind = InefficiencyKind::kHostGap;
    one.trace_layer = i;
    one.layer = joined.layers[i].name;
    one.expected = fmt::format("about {:.3g} µs between layers, as elsewhere in this model", usual / 1e3);
    one.seen = "neither a recorded call nor the device at work before it";
    one.time_ms = typical[place] / kNsPerMs;
    one.evidence = fmt::format("gap before layer {} of A2", joined.layers[i].index);
  }
}

}  // namespace xsp::bound
