#include <fmt/format.h>

#include <array>

#include "analysis/compare/compared_rows.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/samples.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"

namespace xsp::analysis {
namespace {

struct LayerComparison : ComparisonTable {
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition base_index{this, columns::kBaseIndex};
  ColumnDefinition new_index{this, columns::kNewIndex};
  ColumnDefinition base_name{this, {"base_name", "", "Name of the layer in BASE", "", "L", kSource}};
  ColumnDefinition new_name{this, {"new_name", "", "Name of the layer in NEW", "", "L", kSource}};
  ColumnDefinition ratio{this, {"ratio", "", "Its time in NEW over that in BASE", "new / base", "L", kSource}};
};
constexpr LayerComparison kLayers;

struct LayerTypeComparison : ComparisonTable {
  ColumnDefinition base_count{this, columns::kBaseCount};
  ColumnDefinition new_count{this, columns::kNewCount};
};
constexpr LayerTypeComparison kLayerTypes;

std::string_view name_of_layer(const Study& study, uint32_t layer) {
  return study.trace.text(study.joined.layers[layer].name);
}

Cell index_cell(uint32_t layer) { return layer == kNoPlace ? Cell() : count_cell(layer); }

/// What changed, by name: also if only the largest differences are shown.
void append_changes(const Comparison& comparison, Table* table) {
  constexpr size_t kListed = 8;
  constexpr std::array kChanges = {Alignment::kRemoved, Alignment::kAdded, Alignment::kRenamed, Alignment::kMoved};
  for (const Alignment change : kChanges) {
    size_t count = 0;
    std::string list;
    for (const AlignedPlace& layer : comparison.layers) {
      if (layer.how != change || count++ >= kListed) continue;
      if (!list.empty()) list += ", ";
      if (layer.a != kNoPlace) list += name_of_layer(comparison.base, layer.a);
      if (change == Alignment::kMoved) {
        list += fmt::format(" (index {}, was {})", layer.b, layer.a);
      } else if (change == Alignment::kRenamed) {
        list += fmt::format(" → {} (index {})", name_of_layer(comparison.fresh, layer.b), layer.b);
      } else if (change == Alignment::kAdded) {
        list += fmt::format("{} (index {})", name_of_layer(comparison.fresh, layer.b), layer.b);
      } else {
        list += fmt::format(" (was index {})", layer.a);
      }
    }
    if (count == 0) continue;
    table->notes.push_back(fmt::format("{} layer{} {}: {}{}", count, count == 1 ? "" : "s", name_of(change), list,
                                       count > kListed ? ", …" : ""));
  }
}

}  // namespace

Table compare_layers(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  const std::vector<RunValues> base_samples = layer_samples(base);
  const std::vector<RunValues> fresh_samples = layer_samples(fresh);
  std::vector<ComparedRow> rows;
  for (const AlignedPlace& layer : comparison.layers) {
    ComparedRow& row = rows.emplace_back();
    row.how = layer.how;
    std::string_view before;
    std::string_view after;
    uint32_t type = 0;
    const Study* typed = &fresh;
    if (layer.a != kNoPlace) {
      before = name_of_layer(base, layer.a);
      row.base_ns = base.joined.layers[layer.a].latency_ns;
      if (layer.a < base_samples.size()) row.base = base_samples[layer.a];
      type = base.joined.layers[layer.a].type;
      typed = &base;
    }
    if (layer.b != kNoPlace) {
      after = name_of_layer(fresh, layer.b);
      row.fresh_ns = fresh.joined.layers[layer.b].latency_ns;
      if (layer.b < fresh_samples.size()) row.fresh = fresh_samples[layer.b];
      type = fresh.joined.layers[layer.b].type;
      typed = &fresh;
    }
    row.what = layer.a == kNoPlace   ? std::string(after)
               : layer.b == kNoPlace ? std::string(before)
                                     : renamed_text(before, after);
    row.set(kLayers.type, text_cell(typed->trace.text(type)));
    row.set(kLayers.base_index, index_cell(layer.a));
    row.set(kLayers.new_index, index_cell(layer.b));
    row.set(kLayers.base_name, text_cell(before));
    row.set(kLayers.new_name, text_cell(after));
    row.set(kLayers.ratio, cell(row.fresh_ns / row.base_ns));
  }
  Table table = comparison_table(comparison, kLayers, std::move(rows));
  std::vector<std::string> notes = std::move(table.notes);
  table.notes.clear();
  append_changes(comparison, &table);
  for (std::string& note : notes_of_both(subject_notes(base), subject_notes(fresh))) table.notes.push_back(note);
  table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  return table;
}

Table compare_layer_types(const Comparison& comparison) {
  struct Side {
    std::vector<LayerType> types;
    std::vector<RunValues> samples;  // by place in types

    explicit Side(const Study& study) : types(layer_types(study)) {
      const std::vector<RunValues> layers = layer_samples(study);
      for (const LayerType& type : types) {
        std::vector<uint32_t> which;
        for (uint32_t i = 0; i < study.joined.layers.size(); ++i) {
          const std::string_view text = study.trace.text(study.joined.layers[i].type);
          if ((text.empty() ? "(none)" : text) == type.type) which.push_back(i);
        }
        samples.push_back(sum_of(layers, which));
      }
    }
    size_t find(const std::string& type) const {
      for (size_t i = 0; i < types.size(); ++i) {
        if (types[i].type == type) return i;
      }
      return SIZE_MAX;
    }
  };
  const Side base(comparison.base);
  const Side fresh(comparison.fresh);
  std::vector<ComparedRow> rows;
  const auto append = [&](const std::string& type) {
    const size_t a = base.find(type);
    const size_t b = fresh.find(type);
    ComparedRow& row = rows.emplace_back();
    row.what = type;
    row.how = a == SIZE_MAX ? Alignment::kAdded : b == SIZE_MAX ? Alignment::kRemoved : Alignment::kSame;
    if (a != SIZE_MAX) {
      row.base_ns = base.types[a].latency_ns;
      row.base = base.samples[a];
      row.set(kLayerTypes.base_count, count_cell(base.types[a].count));
    }
    if (b != SIZE_MAX) {
      row.fresh_ns = fresh.types[b].latency_ns;
      row.fresh = fresh.samples[b];
      row.set(kLayerTypes.new_count, count_cell(fresh.types[b].count));
    }
  };
  for (const LayerType& type : base.types) append(type.type);
  for (const LayerType& type : fresh.types) {
    if (base.find(type.type) == SIZE_MAX) append(type.type);
  }
  Table table = comparison_table(comparison, kLayerTypes, std::move(rows));
  std::vector<std::string> notes = notes_of_both(subject_notes(comparison.base), subject_notes(comparison.fresh));
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  return table;
}

}  // namespace xsp::analysis
