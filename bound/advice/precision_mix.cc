#include "bound/advice/precision_mix.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace xsp::bound {
namespace {

/// What a value is between layers. What nothing but weights was read for can be of either type.
enum class ValueFormat : uint8_t { kEither, kOwn, kTyped };

bool has_time(const TypedTime& time) { return time.role != PrecisionRole::kStays && time.time.bound_ms.has_value(); }

/// The quickest of several ways to write a problem.
const LayerTime& quickest(std::span<const LayerTime> times) {
  return *std::ranges::min_element(times, [](const LayerTime& a, const LayerTime& b) {
    if (a.bound_ms.has_value() != b.bound_ms.has_value()) return a.bound_ms.has_value();
    return a.bound_ms && *a.bound_ms < *b.bound_ms;
  });
}

/// Problems in a precision that are looked up together.
class TypedLookUp {
 public:
  explicit TypedLookUp(const std::string& precision) : precision_(precision) {}

  void add(const std::string& problem, std::optional<double> bytes) {
    PrecisionProblem made = in_precision(problem, precision_);
    spans_.push_back({made.role, asked_.size(), made.problems.size()});
    for (std::string& text : made.problems) {
      FusedGroup& asked = asked_.emplace_back();
      asked.problem = std::move(text);
      asked.bytes = bytes;
    }
  }

  std::vector<TypedTime> take(const Database& database, const LookUp& look_up) {
    const std::vector<LayerTime> found = look_up_group_times(asked_, database, look_up);
    std::vector<TypedTime> times;
    for (const Span& span : spans_) {
      TypedTime& time = times.emplace_back();
      time.role = span.role;
      if (span.count > 0) time.time = quickest(std::span(found).subspan(span.first, span.count));
    }
    return times;
  }

 private:
  struct Span {
    PrecisionRole role;
    size_t first, count;
  };
  const std::string& precision_;
  std::vector<FusedGroup> asked_;
  std::vector<Span> spans_;
};

/// Decides layer by layer, in their order.
class TypeAssignment {
 public:
  TypeAssignment(const LayeredModel& model, const std::vector<FloatValue>& values, bool follows_all)
      : model_(model), values_(values), follows_all_(follows_all), reads_(model.layers.size()) {
    for (size_t value = 0; value < values.size(); ++value) {
      for (const size_t reader : values[value].readers) reads_[reader].push_back(value);
    }
  }

  /// By layer, from what can be typed.
  std::vector<bool> assign(const std::vector<TypedTime>& times) const {
    std::vector<bool> is_typed(model_.layers.size(), false);
    std::vector<ValueFormat> formats(model_.layers.size(), ValueFormat::kEither);
    for (size_t layer = 0; layer < model_.layers.size(); ++layer) {
      const Reads reads = reads_of(layer, formats);
      is_typed[layer] = has_work(model_.layers[layer].layer_class) && has_time(times[layer]) &&
                        (times[layer].role == PrecisionRole::kComputes || follows(reads));
      formats[layer] = format_of(is_typed[layer], passes_on(layer, times[layer]), reads);
    }
    return is_typed;
  }

  /// By layer, what it writes once it is settled what computes how.
  std::vector<ValueFormat> formats_of(const std::vector<TypedTime>& times, const std::vector<bool>& is_typed,
                                      const std::vector<size_t>& unit_of) const {
    std::vector<ValueFormat> formats(model_.layers.size(), ValueFormat::kEither);
    for (size_t layer = 0; layer < model_.layers.size(); ++layer) {
      const bool passes = passes_on(layer, times[layer]) && unit_of[layer] == layer;
      formats[layer] = format_of(is_typed[layer], passes, reads_of(layer, formats));
    }
    return formats;
  }

  /// Layers without work, and moves that no library makes in the type: bytes are bytes.
  bool passes_on(size_t layer, const TypedTime& time) const {
    const LayerClass layer_class = model_.layers[layer].layer_class;
    if (layer_class == LayerClass::kZero) return true;
    return layer_class == LayerClass::kMovement && !has_time(time);
  }

 private:
  struct Reads {
    size_t typed = 0;
    size_t own = 0;
  };

  Reads reads_of(size_t layer, const std::vector<ValueFormat>& formats) const {
    Reads reads;
    for (const size_t value : reads_[layer]) {
      const size_t producer = values_[value].producer;
      const ValueFormat format = producer == kNoLayer ? ValueFormat::kOwn : formats[producer];
      reads.typed += format == ValueFormat::kTyped ? 1 : 0;
      reads.own += format == ValueFormat::kOwn ? 1 : 0;
    }
    return reads;
  }

  bool follows(const Reads& reads) const {
    return follows_all_ ? reads.typed > 0 && reads.own == 0 : reads.typed > 0 || reads.own == 0;
  }

  static ValueFormat format_of(bool is_typed, bool passes, const Reads& reads) {
    if (is_typed) return ValueFormat::kTyped;
    if (!passes || reads.own > 0) return ValueFormat::kOwn;
    return reads.typed > 0 ? ValueFormat::kTyped : ValueFormat::kEither;
  }

  const LayeredModel& model_;
  const std::vector<FloatValue>& values_;
  bool follows_all_;
  std::vector<std::vector<size_t>> reads_;  // by layer, values
};

/// Groups that the model's own bound needs, as a layer of them has no time by itself, stay as they are unless they were
/// measured in the precision: one by one less of the model would have a time, and that would look like a profit.
void keep_needed_groups(const Bounds& bounds, const TypedTimes& times, std::vector<bool>* is_typed) {
  for (const size_t taken : bounds.fused().groups) {
    if (has_time(times.groups[taken])) continue;
    const std::vector<size_t>& layers = bounds.groups[taken].layers;
    const bool is_needed = std::ranges::any_of(layers, [&](size_t layer) {
      return bounds.times[layer].counts && !bounds.times[layer].bound_ms && !(*is_typed)[layer];
    });
    if (!is_needed) continue;
    for (const size_t layer : layers) (*is_typed)[layer] = false;
  }
}

/// The time that a group has where its layers are typed like that; nothing of one that is not to be computed at once.
LayerTime group_time(const FusedGroup& group, const LayerTime& own, const TypedTime& typed,
                     const std::vector<bool>& is_typed, bool* computes_typed) {
  const bool has_typed_layer = std::ranges::any_of(group.layers, [&](size_t layer) { return is_typed[layer]; });
  *computes_typed = has_time(typed) && (typed.role == PrecisionRole::kComputes || has_typed_layer);
  if (*computes_typed) return typed.time;
  // A product that computes in the precision by itself does so, even where its group, in f32, is faster: what the
  // precision costs has to show. What only follows may stay together in f32.
  return typed.role == PrecisionRole::kComputes && has_typed_layer ? typed.time : own;
}

std::vector<LayerTime> mixed_times(const Bounds& bounds, const TypedTimes& times, const std::vector<bool>& is_typed) {
  std::vector<LayerTime> mixed = bounds.times;
  for (size_t layer = 0; layer < mixed.size(); ++layer) {
    if (!is_typed[layer]) continue;
    const bool counts = mixed[layer].counts;
    mixed[layer] = times.layers[layer].time;
    mixed[layer].counts = counts;
  }
  return mixed;
}

/// Finds where values change their type.
std::vector<TypeBorder> borders_of(const std::vector<FloatValue>& values, const TypeAssignment& assignment,
                                   const std::vector<TypedTime>& times, const PrecisionMix& mix) {
  const std::vector<ValueFormat> formats = assignment.formats_of(times, mix.is_typed, mix.unit_of);
  std::vector<TypeBorder> borders;
  for (size_t index = 0; index < values.size(); ++index) {
    const FloatValue& value = values[index];
    const ValueFormat format = value.producer == kNoLayer ? ValueFormat::kOwn : formats[value.producer];
    if (format == ValueFormat::kEither) continue;
    const ValueFormat other = format == ValueFormat::kOwn ? ValueFormat::kTyped : ValueFormat::kOwn;
    TypeBorder border{.value = index, .is_into = other == ValueFormat::kTyped, .waiting = {}};
    for (const size_t reader : value.readers) {
      const bool is_within = value.producer != kNoLayer && mix.unit_of[reader] == mix.unit_of[value.producer];
      if (!is_within && formats[reader] == other) border.waiting.push_back(reader);
    }
    border.is_output_late = value.is_output && format == ValueFormat::kTyped;
    if (border.is_output_late || !border.waiting.empty()) borders.push_back(std::move(border));
  }
  return borders;
}

}  // namespace

TypedTimes look_up_typed_times(const Bounds& bounds, const std::string& precision, const Database& database,
                               const LookUp& look_up) {
  TypedLookUp layers(precision), groups(precision);
  for (const Layer& layer : bounds.model->layers) {
    layers.add(has_work(layer.layer_class) ? layer.problem : "", layer.bytes);
  }
  for (const FusedGroup& group : bounds.groups) groups.add(group.problem, group.bytes);
  return {layers.take(database, look_up), groups.take(database, look_up)};
}

PrecisionMix mix_precision(const Bounds& bounds, const std::vector<FloatValue>& values, const std::string& precision,
                           const TypedTimes& times) {
  PrecisionMix mix;
  const TypeAssignment assignment(*bounds.model, values, follows_all(precision));
  mix.is_typed = assignment.assign(times.layers);
  keep_needed_groups(bounds, times, &mix.is_typed);
  BoundExtras extras{.groups = bounds.groups};
  std::vector<bool> group_is_typed;
  for (size_t group = 0; group < bounds.groups.size(); ++group) {
    bool computes_typed = false;
    extras.group_times.push_back(group_time(bounds.groups[group], bounds.group_times[group], times.groups[group],
                                            mix.is_typed, &computes_typed));
    group_is_typed.push_back(computes_typed);
  }
  mix.bounds = make_bounds(*bounds.model, mixed_times(bounds, times, mix.is_typed), std::move(extras));

  for (size_t layer = 0; layer < bounds.model->layers.size(); ++layer) mix.unit_of.push_back(layer);
  for (const size_t group : mix.bounds.fused().groups) {
    for (const size_t layer : bounds.groups[group].layers) {
      mix.unit_of[layer] = bounds.groups[group].layers.back();
      mix.is_typed[layer] = group_is_typed[group];
    }
  }
  if (changes_values(precision)) mix.borders = borders_of(values, assignment, times.layers, mix);
  return mix;
}

}  // namespace xsp::bound
