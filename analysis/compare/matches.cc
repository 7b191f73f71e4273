#include "analysis/compare/matches.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/experiment/merged_runs.h"
#include "analysis/tables/kernel_names.h"
#include "analysis/tables/kernel_tables.h"

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

/// Models are told by name, input, point of the sweep and rank; instances and processes by their order, for their names
/// are other ones in another run. None takes the place of another: kinds are never equal.
std::vector<SequencePlace> model_places(const Study& study, uint64_t first_kind) {
  std::vector<SequencePlace> places;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const Process& process = study.trace.processes[group.process];
    const auto& run = study.trace.segments[process.segment].run;
    const std::string* rank = process.variable("RANK");
    const uint64_t key = hash_of({study.trace.text(group.model), study.trace.text(group.input),
                                  run ? point_label(*run) : std::string(), rank == nullptr ? "" : *rank});
    places.push_back({.key = key, .kind = first_kind + 2 * places.size()});
  }
  return places;
}

std::vector<SequencePlace> layer_places(const Study& study) {
  std::vector<SequencePlace> places;
  for (const JoinedLayer& layer : study.joined.layers) {
    const std::string_view type = study.trace.text(layer.type);
    const std::string_view shape = layer.shape_varies ? "" : study.trace.text(layer.shape);
    places.push_back({.key = hash_of({study.trace.text(layer.name), type}), .kind = hash_of({type, shape})});
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

std::map<LayerKey, KernelsOfLayer> kernels_by_layer(const Study& study) {
  std::map<LayerKey, KernelsOfLayer> layers;
  KernelNames names(study.trace);
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
    of.places.push_back({.key = hash_of({names.text(name)})});
  }
  return layers;
}

}  // namespace

Comparison compare(const Study& base, const Study& fresh) {
  Comparison comparison{base, fresh, align_sequences(model_places(base, 0), model_places(fresh, 1)),
                        align_sequences(layer_places(base), layer_places(fresh))};
  for (AlignedPlace& model : comparison.models) {
    if (model.how == Alignment::kMoved) model.how = Alignment::kSame;  // their order means nothing
  }
  return comparison;
}

std::vector<AlignedPlace> match_kernels(const Comparison& comparison) {
  const std::map<LayerKey, KernelsOfLayer> base = kernels_by_layer(comparison.base);
  const std::map<LayerKey, KernelsOfLayer> fresh = kernels_by_layer(comparison.fresh);
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

bool is_same_subject(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  if (!base.subject || !fresh.subject) return base.subject == fresh.subject;
  for (const AlignedPlace& model : comparison.models) {
    if (model.a == kNoPlace || model.b == kNoPlace) continue;
    if (base.groups[model.a] == *base.subject && fresh.groups[model.b] == *fresh.subject) return true;
  }
  return false;
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
