#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// Below a quarter no single type is worth beginning with: removing it would not make the model a third faster.
constexpr double kBottleneckPct = 25;
/// Of few layers one is always large.
constexpr size_t kManyLayers = 4;
/// More than this outside of layers is more than a bottleneck in them.
constexpr double kUnlayeredPct = 40;
/// A data loader that runs ahead costs next to nothing.
constexpr double kInputPct = 10;
/// The type of the step's wait for its next batch.
constexpr std::string_view kInputType = "DataLoader";

/// What the rows of A2 or A6 take of a step: their latency and, in training, their backward work.
class LayerTimes {
 public:
  LayerTimes(const Evidence& evidence, std::string_view table)
      : rows_(evidence.table(table)),
        trains_(rows_.sum("backward_ms").has_value()),
        // With kernels the latency has the backward work already.
        adds_backward_(trains_ && !evidence.study.latencies.has_kernels) {
    for (size_t row = 0; row < rows_.rows(); ++row) {
      const auto ms = of(row);
      if (!ms) continue;
      total_ += *ms;
      if (!largest_ || *ms > *of(*largest_)) largest_ = row;
    }
  }

  /// Nothing where the latency is not known.
  std::optional<double> of(size_t row) const {
    auto ms = rows_.number(row, "latency_ms");
    if (ms && adds_backward_) *ms += rows_.number(row, "backward_ms").value_or(0);
    return ms;
  }
  std::optional<size_t> largest() const { return largest_; }
  double total() const { return total_; }
  double pct(size_t row) const {
    const auto pct = adds_backward_ ? std::nullopt : rows_.number(row, "latency_pct");
    return pct.value_or(total_ > 0 ? 100 * of(row).value_or(0) / total_ : 0);
  }
  /// As sentences call it.
  std::string_view name() const { return trains_ ? "layer time, forward and backward" : "layer time"; }

 private:
  EvidenceTable rows_;
  bool trains_;
  bool adds_backward_;
  double total_ = 0;
  std::optional<size_t> largest_;
};

/// The type with most of the layer time, where that is worth telling.
std::optional<size_t> bottleneck_type(const Evidence& evidence) {
  const LayerTimes times(evidence, "A6");
  const auto top = times.largest();
  if (!top || evidence.table("A6").rows() < 2 || times.pct(*top) < kBottleneckPct) return {};
  return top;
}

/// Nothing of the model runs meanwhile: no layer can be made faster for it.
void add_input_wait(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable types = evidence.table("A6");
  for (size_t row = 0; row < types.rows(); ++row) {
    if (types.text(row, "type") != kInputType) continue;
    const auto pct = types.number(row, "latency_pct");
    const auto latency = types.number(row, "latency_ms");
    if (!pct || !latency || !(*pct >= kInputPct)) return;
    findings->push_back({.id = "input-wait",
                         .text = fmt::format("waiting for input takes {} % of layer time ({} in the {})",
                                             percent_text(*pct), time_text(*latency), kInputType),
                         .advice = "load in more worker processes (num_workers), and do less for each input",
                         .value = *pct,
                         .unit = "%",
                         .table = "A6",
                         .column = "type",
                         .key = std::string(kInputType),
                         .weight = evidence.has_evaluations() ? evidence.share_of_model(*latency) : *pct / 100});
    return;
  }
}

void add_bottleneck_type(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable types = evidence.table("A6");
  const auto top = bottleneck_type(evidence);
  if (!top) return;
  const auto layers = types.sum("count");
  const LayerTimes times(evidence, "A6");
  const double pct = times.pct(*top);
  const double latency = *times.of(*top);
  const std::string type = types.text(*top, "type");
  if (type == kInputType) return;  // a finding of its own
  findings->push_back({.id = "bottleneck-layer-type",
                       .text = fmt::format("{} layers take {} % of {} ({:.0f} of {})", name_in_sentence(type),
                                           percent_text(pct), times.name(), types.number(*top, "count").value_or(0),
                                           count_text(layers.value_or(0), "layer")),
                       .advice = "begin with this type; A2 has its layers",
                       .value = pct,
                       .unit = "%",
                       .table = "A6",
                       .column = "type",
                       .key = type,
                       .weight = evidence.has_evaluations() ? evidence.share_of_model(latency) : pct / 100});
}

/// One layer alone; where it is the only one of its type, the findings above may have said it.
void add_dominant_layer(const Evidence& evidence, std::vector<Finding>* findings) {
  if (!evidence.has_evaluations()) return;  // rows are then sums over layers of one name
  const EvidenceTable layers = evidence.table("A2");
  const LayerTimes times(evidence, "A2");
  const auto top = times.largest();
  if (!top || layers.rows() < kManyLayers) return;
  const double latency = *times.of(*top);
  const double pct = times.pct(*top);
  const std::string type = layers.text(*top, "type");
  const std::string name = layers.text(*top, "name");
  size_t of_type = 0;
  for (size_t row = 0; row < layers.rows(); ++row) of_type += layers.text(row, "type") == type ? 1 : 0;
  if (!(pct >= kBottleneckPct)) return;
  const auto told = bottleneck_type(evidence);
  const bool is_told = type == kInputType || (told && evidence.table("A6").text(*told, "type") == type);
  if (of_type == 1 && is_told) return;
  const double index = layers.number(*top, "index").value_or(0);
  findings->push_back({.id = "bottleneck-layer",
                       .text = fmt::format("one layer, {:.0f} ({}), takes {} % of {}: {} of {}", index,
                                           name_in_sentence(type.empty() ? name : type + " " + name), percent_text(pct),
                                           times.name(), time_text(latency), time_text(times.total())),
                       .advice = {},
                       .value = pct,
                       .unit = "%",
                       .table = "A2",
                       .column = "index",
                       .key = fmt::format("{:.0f}", index),
                       .weight = evidence.share_of_model(latency)});
}

/// Only where A1 and A2 are of the same evaluations, so that the cells may be compared.
void add_unlayered_time(const Evidence& evidence, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  if (!evidence.has_evaluations() || study.levels.leveled) return;
  const EvidenceTable models = evidence.table("A1");
  const auto layers = evidence.table("A2").sum("latency_ms");
  if (!layers || models.rows() != 1) return;
  const auto model = models.number(0, "latency_ms");
  if (!model || !(*model > 0)) return;
  const double outside = 100 - 100 * *layers / *model;
  constexpr double kSamePct = 0.5;
  if (!(outside >= kUnlayeredPct) || !(std::fabs(outside - (100 - study.coverage_pct())) < kSamePct)) return;
  findings->push_back({.id = "time-outside-layers",
                       .text = fmt::format("{} % of model latency is in no layer: layers have {} of {}",
                                           percent_text(outside), time_text(*layers), time_text(*model)),
                       .advice = "the notes of A2 say what it may be",
                       .value = outside,
                       .unit = "%",
                       .table = "A2",
                       .column = {},
                       .key = {},
                       .weight = outside / 100});
}

}  // namespace

void add_layer_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_input_wait(evidence, findings);
  add_bottleneck_type(evidence, findings);
  add_dominant_layer(evidence, findings);
  add_unlayered_time(evidence, findings);
}

}  // namespace xsp::analysis
