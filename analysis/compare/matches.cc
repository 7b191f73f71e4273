#include "analysis/compare/matches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/compare/kernel_family.h"
#include "analysis/compare/model_match.h"
#include "analysis/study/process_labels.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/kernel_names.h"

namespace xsp::analysis {
namespace {

uint64_t hash_of(std::initializer_list<std::string_view> texts) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const std::string_view text : texts) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    hash = (hash ^ 0x100) * 1099511628211u;  // ends a text
  }
  return hash;
}

/// What may replace a layer under another name: the same type with the same shapes. A layer without a type is known by
/// its name only; and two methods of an optimizer are two things.
uint64_t kind_of(std::string_view name, std::string_view type, std::string_view shape) {
  if (type.empty()) return 0;
  const size_t method = type == "Optimizer" ? name.find_last_of('.') : std::string_view::npos;
  return hash_of({type, shape, method == std::string_view::npos ? "" : name.substr(method)});
}

/// Labels tell the shapes of a batch, which may differ between recordings of one model.
uint32_t own_name(const Trace& trace, const JoinedLayer& layer) {
  return trace.layer_labels.of(layer.row) == 0 ? layer.name : trace.spans.name[layer.row];
}

std::vector<SequencePlace> layer_places(const Study& study) {
  std::vector<SequencePlace> places;
  for (const JoinedLayer& layer : study.joined.layers) {
    const std::string_view type = study.trace.text(layer.type);
    const std::string_view shape = layer.shape_varies ? "" : study.trace.text(layer.shape);
    const std::string_view name = study.trace.text(own_name(study.trace, layer));
    places.push_back({.key = hash_of({name, type}), .kind = kind_of(name, type, shape)});
  }
  return places;
}

/// Kernels of one layer, in order of launch.
struct KernelsOfLayer {
  std::vector<uint32_t> kernels;
  std::vector<SequencePlace> places;
};

/// Layers of A2 by row, behind them the others by index and name, what is in none at the end.
using LayerKey = std::tuple<uint32_t, uint32_t, std::string_view>;

std::map<LayerKey, KernelsOfLayer> kernels_of_layers(const Study& study) {
  std::map<LayerKey, KernelsOfLayer> layers;
  KernelNames names(study.trace);
  std::unordered_map<uint32_t, SequencePlace> places;  // by name
  const KernelLayers find(study);
  const auto& kernels = study.kernels.kernels;
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    const KernelLayer layer = find.of(kernels[i]);
    const auto& joined = study.joined.layers;
    const bool in_table = layer.attached && layer.index < joined.size() && joined[layer.index].name == layer.name;
    const LayerKey key = in_table         ? LayerKey(0, layer.index, "")
                         : layer.attached ? LayerKey(1, std::min(layer.index, layer.own), study.trace.text(layer.name))
                                          : LayerKey(2, 0, "");
    const uint32_t name = study.trace.spans.name[study.trace.executions.row[kernels[i].execution]];
    KernelsOfLayer& of = layers[key];
    of.kernels.push_back(i);
    const auto [place, added] = places.try_emplace(name);
    if (added) place->second = {hash_of({names.text(name)}), hash_of({kernel_family(names.text(name))})};
    of.places.push_back(place->second);
  }
  return layers;
}

}  // namespace

Comparison compare(const Study& base, const Study& fresh) {
  return {base, fresh, match_models(base, fresh), align_sequences(layer_places(base), layer_places(fresh))};
}

std::vector<AlignedPlace> match_kernels(const Comparison& comparison) {
  const std::map<LayerKey, KernelsOfLayer> base = kernels_of_layers(comparison.base);
  const std::map<LayerKey, KernelsOfLayer> fresh = kernels_of_layers(comparison.fresh);
  std::vector<AlignedPlace> matches;
  static const KernelsOfLayer kNothing;
  const auto match = [&](const KernelsOfLayer* a, const KernelsOfLayer* b) {
    if (a == nullptr) a = &kNothing;
    if (b == nullptr) b = &kNothing;
    for (AlignedPlace place : align_sequences(a->places, b->places)) {
      if (place.a != kNoPlace) place.a = a->kernels[place.a];
      if (place.b != kNoPlace) place.b = b->kernels[place.b];
      matches.push_back(place);
    }
  };
  const auto find = [](const auto& layers, const LayerKey& key) -> const KernelsOfLayer* {
    const auto found = layers.find(key);
    return found == layers.end() ? nullptr : &found->second;
  };
  for (const AlignedPlace& layer : comparison.layers) {
    match(layer.a == kNoPlace ? nullptr : find(base, {0, layer.a, ""}),
          layer.b == kNoPlace ? nullptr : find(fresh, {0, layer.b, ""}));
  }
  for (const auto& [key, kernels] : base) {
    if (std::get<0>(key) != 0) match(&kernels, find(fresh, key));
  }
  for (const auto& [key, kernels] : fresh) {
    if (std::get<0>(key) != 0 && find(base, key) == nullptr) match(nullptr, &kernels);
  }
  return matches;
}

size_t subject_place(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  if (!base.subject || !fresh.subject) return SIZE_MAX;
  for (size_t i = 0; i < comparison.models.size(); ++i) {
    const AlignedPlace& model = comparison.models[i];
    if (model.a == kNoPlace || model.b == kNoPlace) continue;
    if (base.groups[model.a] == *base.subject && fresh.groups[model.b] == *fresh.subject) return i;
  }
  return SIZE_MAX;
}

bool is_same_subject(const Comparison& comparison) {
  if (!comparison.base.subject && !comparison.fresh.subject) return true;
  return subject_place(comparison) != SIZE_MAX;
}

std::string difference_within(const Comparison& comparison, const AlignedPlace& model) {
  if (model.a == kNoPlace || model.b == kNoPlace) return {};
  const ModelIdentity base = identity_of(comparison.base, comparison.base.groups[model.a]);
  const ModelIdentity fresh = identity_of(comparison.fresh, comparison.fresh.groups[model.b]);
  std::string text;
  const auto rank = [](const ModelIdentity& of) { return of.rank.empty() ? "no rank" : "rank " + of.rank; };
  if (base.rank != fresh.rank) text = rank(base) + " of BASE compared with " + rank(fresh) + " of NEW";
  if (base.input != fresh.input) {
    const bool of_base = fresh.input.empty();
    text += fmt::format("{}input shapes {} of {}, not recorded in {}", text.empty() ? "" : ", ",
                        of_base ? base.input : fresh.input, of_base ? "BASE" : "NEW", of_base ? "NEW" : "BASE");
  }
  return text;
}

std::string subject_difference(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  if (!base.subject || !fresh.subject) return {};
  const ModelIdentity a = identity_of(base, *base.subject);
  const ModelIdentity b = identity_of(fresh, *fresh.subject);
  std::string text;
  const auto compare = [&](std::string_view what, const std::string& before, const std::string& after) {
    if (before == after) return;
    const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
    text += fmt::format("{}{} (BASE {}; NEW {})", text.empty() ? "" : ", ", what, shown(before), shown(after));
  };
  compare("model", a.name, b.name);
  compare("input shapes", a.input, b.input);
  compare("sweep point", a.point, b.point);
  compare("rank", a.rank, b.rank);
  if (!text.empty()) return text;
  return fmt::format("process (BASE {}; NEW {})", process_label(base.trace, base.evaluations.groups[*base.subject]),
                     process_label(fresh.trace, fresh.evaluations.groups[*fresh.subject]));
}

double share_in_common(const Comparison& comparison) {
  const std::vector<AlignedPlace> kernels =
      comparison.layers.empty() ? match_kernels(comparison) : std::vector<AlignedPlace>();
  size_t of_base = 0;
  size_t of_fresh = 0;
  size_t both = 0;
  for (const AlignedPlace& place : comparison.layers.empty() ? kernels : comparison.layers) {
    of_base += place.a == kNoPlace ? 0 : 1;
    of_fresh += place.b == kNoPlace ? 0 : 1;
    both += place.a != kNoPlace && place.b != kNoPlace ? 1 : 0;
  }
  const size_t most = std::max(of_base, of_fresh);
  return most == 0 ? 1 : static_cast<double>(both) / static_cast<double>(most);
}

std::string_view name_of(Alignment alignment) {
  switch (alignment) {
    case Alignment::kSame:
      return "same";
    case Alignment::kRenamed:
      return "renamed";
    case Alignment::kMoved:
      return "moved";
    case Alignment::kRemoved:
      return "removed";
    case Alignment::kAdded:
      break;
  }
  return "added";
}

}  // namespace xsp::analysis
