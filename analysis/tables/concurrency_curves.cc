#include "analysis/tables/concurrency_curves.h"

#include <algorithm>
#include <utility>

#include "analysis/tables/thread_notes.h"
#include "proto/report_columns.h"

namespace xsp::analysis {
namespace {

/// With more rows between probes only what was measured is told.
constexpr uint64_t kMostInterpolated = 50'000;

/// The model where it is no layer.
struct NamedCurve {
  const ThreadCurve& curve;
  const LayerCurve* layer = nullptr;
  std::string name;
};

std::vector<NamedCurve> named_curves(const ModelCurves& curves) {
  std::vector<NamedCurve> named;
  if (!curves.model.empty()) named.push_back({curves.model, nullptr, curves.name});
  for (const LayerCurve& layer : curves.layers) {
    if (!layer.curve.empty()) named.push_back({layer.curve, &layer, layer.name});
  }
  return named;
}

Cell known_text(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

TableRow add_row(const NamedCurve& of, uint32_t threads, double latency_ns, Table* table) {
  TableRow row = table->add_row();
  if (of.layer != nullptr) {
    row.set(kE1.layer_index, count_cell(of.layer->index));
    row.set(kE1.type, known_text(of.layer->type));
    row.set(kE1.shape, known_text(of.layer->shape));
  }
  row.set(kE1.name, known_text(of.name));
  row.set(kE1.threads, count_cell(threads));
  row.set(kE1.latency_ms, ms_cell(std::optional(latency_ns)));
  if (of.curve.front().threads == 1 && latency_ns > 0) {
    row.set(kE1.speedup, cell(of.curve.front().latency_ns / latency_ns));
  }
  return row;
}

void add_measured(const NamedCurve& of, const Climb& climbed, size_t index, Table* table) {
  const CurvePoint& point = of.curve[index];
  const bool is_probe = std::binary_search(climbed.probes.begin(), climbed.probes.end(), index);
  TableRow row = add_row(of, point.threads, point.latency_ns, table);
  row.set(kE1.n, count_cell(point.n));
  row.set(kE1.spread, ms_cell(std::optional(point.spread_ns)));
  row.set(kE1.source, std::string("measured"));
  row.set(kE1.probe, is_probe);
  const auto predicted =
      is_probe ? leave_one_out(of.curve, climbed, index) : interpolated(of.curve, climbed.probes, point.threads);
  if (!predicted) return;
  row.set(kE1.predicted_ms, ms_cell(predicted));
  if (point.latency_ns > 0) row.set(kE1.error_pct, cell(100 * (*predicted / point.latency_ns - 1)));
}

void add_interpolated(const NamedCurve& of, const Climb& climbed, uint32_t threads, Table* table) {
  const auto latency = interpolated(of.curve, climbed.probes, threads);
  if (!latency) return;
  TableRow row = add_row(of, threads, *latency, table);
  row.set(kE1.source, std::string("interpolated"));
  row.set(kE1.probe, false);
}

/// Numbers between probes that were not measured.
uint64_t gaps_of(const ThreadCurve& curve, const Climb& climbed) {
  if (climbed.probes.empty()) return 0;
  const CurvePoint& last = curve[climbed.probes.back()];
  return last.threads - curve[climbed.probes.front()].threads - (climbed.probes.back() - climbed.probes.front());
}

void add_curve(const NamedCurve& of, const Climb& climbed, bool with_interpolated, Table* table) {
  for (size_t i = 0; i < of.curve.size(); ++i) {
    add_measured(of, climbed, i, table);
    if (!with_interpolated || i + 1 == of.curve.size() || climbed.probes.empty()) continue;
    const uint32_t last = std::min(of.curve[i + 1].threads, of.curve[climbed.probes.back()].threads);
    for (uint32_t threads = of.curve[i].threads + 1; threads < last; ++threads) {
      add_interpolated(of, climbed, threads, table);
    }
  }
}

void add_state(const SweptCurves& swept, const ClimbState& state, Table* table) {
  namespace names = report_columns::thread_curves;
  Extra climbed{"search"};
  climbed.fields.emplace_back("cores", swept.cores == 0 ? Cell() : count_cell(swept.cores));
  climbed.fields.emplace_back("interval", state.interval == 0 ? Cell() : count_cell(state.interval));
  climbed.fields.emplace_back("probes", count_cell(state.probes));
  climbed.fields.emplace_back("accuracy", cell(state.accuracy));
  climbed.fields.emplace_back(names::kEnded, state.is_ended);
  climbed.fields.emplace_back(names::kNext, state.next ? count_cell(*state.next) : Cell());
  table->extras.push_back(std::move(climbed));
}

}  // namespace

Table concurrency_curves(const SweptCurves& swept) {
  Table table = make_table(kE1);
  const std::vector<NamedCurve> curves = named_curves(swept.curves);
  std::vector<Climb> climbs;
  uint64_t gaps = 0;
  for (const NamedCurve& curve : curves) {
    climbs.push_back(climb(curve.curve, swept.climb));
    gaps += gaps_of(curve.curve, climbs.back());
  }
  for (size_t i = 0; i < curves.size(); ++i) add_curve(curves[i], climbs[i], gaps <= kMostInterpolated, &table);
  const ClimbState state = climb_state(swept);
  add_state(swept, state, &table);
  table.notes = curve_notes(swept, state);
  if (gaps > kMostInterpolated) {
    table.notes.emplace_back(
        "numbers of threads that were not measured are left out: there are too many between probes");
  }
  return table;
}

Table concurrency_curves(const Study& study) {
  const auto swept = swept_curves(study);
  if (!swept) return without_sweep(kE1, study);
  Table table = concurrency_curves(*swept);
  for (std::string& note : device_notes(study, *swept)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
