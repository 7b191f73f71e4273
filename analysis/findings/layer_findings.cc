#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/findings/families.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/model_information.h"

namespace xsp::analysis {
namespace {

/// Below a quarter no type is worth starting with: removing it would not make the model a third faster.
constexpr double kTypeBottleneckPct = 25;
/// A layer is reported if it takes this many times as long as the next one.
constexpr double kStandsOut = 1.5;
/// With few layers one is always large.
constexpr size_t kManyLayers = 4;
/// More time than this outside of layers matters more than a bottleneck in them.
constexpr double kUnlayeredPct = 40;
/// Types that nobody speeds up by speeding up the layer: they wait, or have findings of their own.
constexpr std::array<std::string_view, 3> kNoWork = {"DataLoader", "bookkeeping", "communication"};

/// What the rows of A2 or A6 take of a step without waiting: with kernels the time on the device, else the latency and,
/// in training, the backward work.
class LayerTimes {
 public:
  LayerTimes(const Evidence& evidence, const TableDefinition& table)
      : rows_(evidence.table(table)),
        on_device_(evidence.has_evaluations() && evidence.study.latencies.has_kernels &&
                   evidence.table(kA2).sum(kA2.gpu_ms).value_or(0) > 0),
        trains_(!on_device_ && rows_.sum(kA2.backward_ms).has_value()) {
    if (on_device_ && &table == &kA6) find_types(evidence.table(kA2));
    for (size_t row = 0; row < rows_.rows(); ++row) {
      const double ms = of(row);
      total_ += ms;
      const bool works = std::find(kNoWork.begin(), kNoWork.end(), rows_.text(row, kA2.type)) == kNoWork.end();
      if (works && ms > 0 && (!largest_ || ms > of(*largest_))) largest_ = row;
    }
  }

  double of(size_t row) const {
    if (on_device_) {
      const auto type = on_device_by_type_.find(rows_.text(row, kA2.type));
      return type != on_device_by_type_.end() ? type->second : rows_.number(row, kA2.gpu_ms).value_or(0);
    }
    const double ms = rows_.number(row, kA2.latency_ms).value_or(0) - rows_.number(row, kA2.wait_ms).value_or(0);
    return trains_ ? ms + rows_.number(row, kA2.backward_ms).value_or(0) : ms;
  }
  std::optional<size_t> largest() const { return largest_; }
  bool on_device() const { return on_device_; }
  double total() const { return total_; }
  double pct(size_t row) const { return total_ > 0 ? 100 * of(row) / total_ : 0; }
  /// As sentences call it: "of GPU time in", "forward and backward, of".
  std::string_view what(size_t row) const {
    if (on_device_) return " of GPU time in";
    return trains_ && rows_.number(row, kA2.backward_ms).value_or(0) > 0 ? ", forward and backward, of" : " of";
  }

 private:
  void find_types(const TableCells& layers) {
    for (size_t row = 0; row < layers.rows(); ++row) {
      on_device_by_type_[layers.text(row, kA2.type)] += layers.number(row, kA2.gpu_ms).value_or(0);
    }
  }

  TableCells rows_;
  bool on_device_;
  bool trains_;
  std::map<std::string, double> on_device_by_type_;
  double total_ = 0;
  std::optional<size_t> largest_;
};

/// Layers that run at the same time add up to more than the step: the sum over a type is no share of it.
bool layers_overlap(const Evidence& evidence, const LayerTimes& times) {
  const auto step = evidence.step_ms();
  return step && !times.on_device() && times.total() > kLayersOverlap * *step;
}

/// "63.0 ms of GPU time in every 177 ms step (36 %)", of totals "of layer time" only.
std::string time_sentence(const Evidence& evidence, const LayerTimes& times, size_t row) {
  const double ms = times.of(row);
  const auto step = evidence.step_ms();
  if (!evidence.has_evaluations() || !step) {
    return fmt::format("{} ({} of the time in layers)", short_time(ms), share_text(times.pct(row)));
  }
  if (layers_overlap(evidence, times)) {
    return fmt::format("{}{} the {} that layers take in {} {} {}, some at the same time", short_time(ms),
                       times.what(row), short_time(times.total()), evidence.each_step(), short_time(*step),
                       evidence.step_word());
  }
  return fmt::format("{}{} {} {} {} ({})", short_time(ms), times.what(row), evidence.each_step(), short_time(*step),
                     evidence.step_word(), share_text(100 * ms / *step));
}

void tell_value_and_share(const Evidence& evidence, const LayerTimes& times, double ms, Finding* finding) {
  const auto step = evidence.step_ms();
  if (!evidence.has_evaluations() || !step || layers_overlap(evidence, times)) return;
  finding->share_pct = finding->value = 100 * ms / *step;
  finding->share_of = std::string(evidence.step_word());
}

/// The type with most of the layer time, where that is worth telling.
std::optional<size_t> bottleneck_type(const Evidence& evidence) {
  const LayerTimes times(evidence, kA6);
  const auto top = times.largest();
  if (!top || evidence.table(kA6).rows() < 2 || times.pct(*top) < kTypeBottleneckPct) return {};
  return top;
}

void add_bottleneck_type(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells types = evidence.table(kA6);
  const auto top = bottleneck_type(evidence);
  if (!top) return;
  const auto layers = types.sum(kA6.count);
  const LayerTimes times(evidence, kA6);
  const double ms = times.of(*top);
  const std::string type = types.text(*top, kA6.type);
  findings->push_back(
      {.id = "bottleneck-layer-type",
       .text = fmt::format("{}: {}, in {:.0f} of {}", name_in_sentence(type), time_sentence(evidence, times, *top),
                           types.number(*top, kA6.count).value_or(0), count_text(layers.value_or(0), "layer")),
       .advice = {},
       .value = times.pct(*top),
       .unit = "%",
       .table = std::string(kA6.id),
       .column = std::string(kA6.type.name),
       .key = type,
       .weight = evidence.has_evaluations() ? evidence.share_of_step(ms) : times.pct(*top) / 100});
  tell_value_and_share(evidence, times, ms, &findings->back());
}

/// One layer alone; if it is the only one of its type, the findings above may have reported it.
void add_dominant_layer(const Evidence& evidence, std::vector<Finding>* findings) {
  if (!evidence.has_evaluations()) return;  // rows are then sums over layers of one name
  const TableCells layers = evidence.table(kA2);
  const LayerTimes times(evidence, kA2);
  const auto top = times.largest();
  if (!top || layers.rows() < kManyLayers) return;
  const std::string type = layers.text(*top, kA2.type);
  const std::string name = layers.text(*top, kA2.name);
  size_t of_type = 0;
  for (size_t row = 0; row < layers.rows(); ++row) of_type += layers.text(row, kA2.type) == type ? 1 : 0;
  double next = 0;
  for (size_t row = 0; row < layers.rows(); ++row) next = row == *top ? next : std::max(next, times.of(row));
  if (!(times.pct(*top) >= kTypeBottleneckPct) || times.of(*top) < kStandsOut * next) return;
  // Of two layers that are alike, neither is larger if both vary by as much as they differ.
  if (!times.on_device() && times.of(*top) - next < layers.number(*top, kA2.spread).value_or(0)) return;
  const auto told = bottleneck_type(evidence);
  const bool is_told = told && evidence.table(kA6).text(*told, kA6.type) == type;
  if (of_type == 1 && is_told) return;
  const double index = layers.number(*top, kA2.index).value_or(0);
  const std::string called = type.empty() || type == name ? name : type + " " + name;
  findings->push_back({.id = "bottleneck-layer",
                       .text = fmt::format("One layer, {} (index {:.0f}): {}", name_in_sentence(called), index,
                                           time_sentence(evidence, times, *top)),
                       .advice = {},
                       .value = times.pct(*top),
                       .unit = "%",
                       .table = std::string(kA2.id),
                       .column = std::string(kA2.index.name),
                       .key = fmt::format("{:.0f}", index),
                       .weight = evidence.share_of_step(times.of(*top))});
  tell_value_and_share(evidence, times, times.of(*top), &findings->back());
}

/// Of the evaluations whose layers A2 has.
void add_unlayered_time(const Evidence& evidence, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  // With a device, A15 says where the rest of the time goes, and steps overlap.
  if (!evidence.has_evaluations() || study.levels.leveled || study.latencies.has_kernels) return;
  const double outside = 100 - study.coverage_pct();
  if (!(outside >= kUnlayeredPct)) return;
  const double model = study.joined_latency_ns / kNsPerMs;
  const double layers = model * study.coverage_pct() / 100;
  findings->push_back({.id = "time-outside-layers",
                       .text = fmt::format("{} of the latency is outside all layers: layers take {} of {}",
                                           share_text(outside), short_time(layers), short_time(model)),
                       .advice = "the notes of A2 say what it may be",
                       .value = outside,
                       .unit = "%",
                       .table = std::string(kA2.id),
                       .column = {},
                       .key = {},
                       .weight = outside / 100});
}

}  // namespace

void add_layer_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_bottleneck_type(evidence, findings);
  add_dominant_layer(evidence, findings);
  add_unlayered_time(evidence, findings);
}

}  // namespace xsp::analysis
