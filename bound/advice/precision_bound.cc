#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/quantity_text.h"
#include "bound/advice/emulation.h"
#include "bound/advice/precision_mix.h"
#include "bound/advice/unmeasured.h"
#include "bound/advice/what_if.h"

namespace xsp::bound {
namespace {

/// What the borders cost.
struct BorderTimes {
  std::vector<std::optional<double>> ms;  // by border
  double sum_ms = 0;
  size_t missing = 0;
};

BorderTimes look_up_borders(const std::vector<TypeBorder>& borders, const std::vector<FloatValue>& values,
                            const std::string& precision, const Database& database, const LookUp& look_up) {
  BorderTimes times;
  std::vector<FusedGroup> asked;
  std::vector<size_t> border_of;
  for (size_t border = 0; border < borders.size(); ++border) {
    const int64_t elements = values[borders[border].value].elements;
    for (std::string& problem :
         borders[border].is_into ? casts_into(precision, elements) : casts_out_of(precision, elements)) {
      FusedGroup& cast = asked.emplace_back();
      cast.problem = std::move(problem);
      border_of.push_back(border);
    }
  }
  const std::vector<LayerTime> found = look_up_group_times(asked, database, look_up);
  times.ms.resize(borders.size());
  for (size_t i = 0; i < found.size(); ++i) {
    std::optional<double>& ms = times.ms[border_of[i]];
    if (found[i].bound_ms && (!ms || *found[i].bound_ms < *ms)) ms = found[i].bound_ms;
  }
  for (const std::optional<double>& ms : times.ms) {
    times.sum_ms += ms.value_or(0);
    times.missing += ms ? 0 : 1;
  }
  return times;
}

/// The longest path with groups at once; a value is late for those that read it in its other type.
double longest_with_borders(const LayeredModel& model, const std::vector<FloatValue>& values, const PrecisionMix& mix,
                            const BorderTimes& border_times) {
  std::vector<std::vector<size_t>> awaited(model.layers.size());  // by layer, borders
  for (size_t border = 0; border < mix.borders.size(); ++border) {
    for (const size_t reader : mix.borders[border].waiting) awaited[reader].push_back(border);
  }
  const std::vector<double>& weights = mix.bounds.fused().weights_ms;
  // By layer; of a group at its last one, which is behind all that the group reads.
  std::vector<double> begins(model.layers.size(), 0), ends(model.layers.size(), 0);
  const auto converted_at = [&](size_t border) {
    const size_t producer = values[mix.borders[border].value].producer;
    return (producer == kNoLayer ? 0 : ends[mix.unit_of[producer]]) + border_times.ms[border].value_or(0);
  };
  double longest = 0;
  for (size_t layer = 0; layer < model.layers.size(); ++layer) {
    const size_t unit = mix.unit_of[layer];
    for (const size_t producer : model.layers[layer].producers) {
      if (mix.unit_of[producer] != unit) begins[unit] = std::max(begins[unit], ends[mix.unit_of[producer]]);
    }
    for (const size_t border : awaited[layer]) begins[unit] = std::max(begins[unit], converted_at(border));
    if (unit != layer) continue;
    ends[layer] = begins[layer] + weights[layer];
    longest = std::max(longest, ends[layer]);
  }
  for (size_t border = 0; border < mix.borders.size(); ++border) {
    if (mix.borders[border].is_output_late) longest = std::max(longest, converted_at(border));
  }
  return longest;
}

/// "2 casts, 0.009295 ms, included"
std::string casts_text(const std::string& precision, const PrecisionBound& bound, const BorderTimes& borders) {
  if (bound.casts == 0) return "";
  std::string text = fmt::format("{}, {} ms, included", plural(bound.casts, "cast"), four_digits(bound.casts_ms));
  if (borders.missing == bound.casts) {
    text = fmt::format("{} not included, as no time is known", plural(bound.casts, "cast"));
  } else if (borders.missing > 0) {
    text += fmt::format(", {} of them without a time", borders.missing);
  }
  if (precision == "int8") text += " (no scales or zero points)";
  return text;
}

std::string accuracy_text(const std::string& precision) {
  if (precision == "f64") return "";
  if (precision == "int8") return "quantize the model and check its accuracy";
  return "check the accuracy";
}

/// Parts that are there, joined.
std::string sentence_of(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

/// Why nothing computes in the precision: the reason of the dearest layer that could.
std::string why_nothing(const Bounds& bounds, const std::string& precision, const TypedTimes& times) {
  const LayerTime* dearest = nullptr;
  double most = -1;
  for (size_t layer = 0; layer < times.layers.size(); ++layer) {
    if (times.layers[layer].role != PrecisionRole::kComputes) continue;
    const double ms = bounds.times[layer].bound_ms.value_or(0);
    if (ms > most) dearest = &times.layers[layer].time;
    most = std::max(most, ms);
  }
  if (dearest != nullptr && is_unmeasured(*dearest)) return fmt::format("{} was {}", precision, kNotMeasuredText);
  return fmt::format(
      "nothing computes in {}: {}", precision,
      dearest == nullptr || dearest->reason.empty() ? "the model has no layer that could" : dearest->reason);
}

}  // namespace

PrecisionBound precision_bound(const Bounds& bounds, const std::string& precision, const Database& database,
                               const LookUp& look_up, const std::string& isa) {
  const std::vector<FloatValue> values = float_values(*bounds.model);
  const TypedTimes times = look_up_typed_times(bounds, precision, database, look_up);
  const PrecisionMix mix = mix_precision(bounds, values, precision, times);
  const BorderTimes borders = look_up_borders(mix.borders, values, precision, database, look_up);

  PrecisionBound bound;
  bound.precision = precision;
  bound.casts = mix.borders.size();
  bound.casts_ms = borders.sum_ms;
  const SequentialBound& sequential = mix.bounds.fused().sequential;
  bound.bound_ms = sequential.bound_ms + borders.sum_ms;
  bound.coverage_pct = sequential.coverage_layers_pct;
  for (size_t layer = 0; layer < bounds.model->layers.size(); ++layer) {
    if (!bounds.times[layer].counts) continue;
    (mix.is_typed[layer] ? bound.layers : bound.kept) += 1;
  }
  if (bound.layers == 0) {
    bound.parallel_ms = bounds.fused().parallel.bound_ms;
    bound.caveat = why_nothing(bounds, precision, times);
    return bound;
  }
  bound.parallel_ms = longest_with_borders(*bounds.model, values, mix, borders);
  const std::string missing = missing_instructions_text(precision, isa);
  bound.is_emulated = !missing.empty() && is_emulated_without_instructions(precision);
  bound.has_instructions = instructions_for(precision, isa) == Instructions::kThere;
  bound.caveat = sentence_of({missing, accuracy_text(precision), casts_text(precision, bound, borders)});
  return bound;
}

}  // namespace xsp::bound
