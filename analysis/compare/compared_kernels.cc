#include <fmt/format.h>

#include <map>

#include "analysis/compare/compared_rows.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/samples.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/study_notes.h"
#include "analysis/timeline/kernel_names.h"

namespace xsp::analysis {
namespace {

constexpr size_t kKernelNameWidth = columns::kKernelName.text_width;

struct KernelComparison : ComparisonTable {
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition base_kernel{
      this, ColumnFacts{"base_kernel", "", "Name of the kernel in BASE", "", "G", kSource}.cut_to(kKernelNameWidth)};
  ColumnDefinition new_kernel{
      this, ColumnFacts{"new_kernel", "", "Name of the kernel in NEW", "", "G", kSource}.cut_to(kKernelNameWidth)};
  ColumnDefinition base_position{this, {"base_position", "", "Row of A8 of BASE, from 0", "", "G", kSource}};
  ColumnDefinition new_position{this, {"new_position", "", "Row of A8 of NEW, from 0", "", "G", kSource}};
};
constexpr KernelComparison kKernels;

struct KernelNameComparison : ComparisonTable {
  ColumnDefinition base_count{this, columns::kBaseCount};
  ColumnDefinition new_count{this, columns::kNewCount};
};
constexpr KernelNameComparison kKernelNames;

struct KernelsOfLayerComparison : ComparisonTable {
  ColumnDefinition base_index{this, columns::kBaseIndex};
  ColumnDefinition new_index{this, columns::kNewIndex};
  ColumnDefinition base_count{this, columns::kBaseCount};
  ColumnDefinition new_count{this, columns::kNewCount};
};
constexpr KernelsOfLayerComparison kKernelsOfLayers;

/// Kernels of an input, and their names as people read them.
class Kernels {
 public:
  explicit Kernels(const Study& study)
      : study_(study), names_(study.trace), layers_(study), samples_(kernel_samples(study)) {}

  const std::string& name(uint32_t kernel) {
    return names_.text(study_.trace.spans.name[study_.trace.executions.row[of(kernel).execution]]);
  }
  const JoinedKernel& of(uint32_t kernel) const { return study_.kernels.kernels[kernel]; }
  KernelLayer layer(uint32_t kernel) const { return layers_.of(of(kernel)); }
  size_t size() const { return study_.kernels.kernels.size(); }
  const std::vector<RunValues>& samples() const { return samples_; }
  const Study& study() const { return study_; }

  /// Sums of some kernels.
  struct Sum {
    std::vector<uint32_t> kernels;
    double ns = 0;
  };
  void add(uint32_t kernel, Sum* sum) const {
    sum->kernels.push_back(kernel);
    sum->ns += of(kernel).latency_ns;
  }

 private:
  const Study& study_;
  KernelNames names_;
  KernelLayers layers_;
  std::vector<RunValues> samples_;
};

std::vector<std::string> kernel_notes(const Study& study) {
  const JoinedKernels& kernels = study.kernels;
  if (kernels.evaluations.empty()) {
    Table side;
    finish_kernel_table(study, &side);
    return side.notes;
  }
  std::vector<std::string> notes = {subject_note(study, Level::kDevice, kernels.evaluations.size())};
  if (kernels.diverging != 0) {
    notes.push_back(fmt::format("{} calls left out: their kernels differ from those of the {} used here, first at {}",
                                kernels.diverging, kernels.evaluations.size(), kernels.first_difference));
  }
  for (std::string& note : divergence_notes(study, {Level::kDevice})) notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) notes.push_back(std::move(note));
  return notes;
}

void append_kernel_notes(const Comparison& comparison, Table* table) {
  std::vector<std::string> notes = notes_of_both(kernel_notes(comparison.base), kernel_notes(comparison.fresh));
  table->notes.insert(table->notes.begin(), notes.begin(), notes.end());
  table->lacks_data |= comparison.base.kernels.kernels.empty() || comparison.fresh.kernels.kernels.empty();
}

using Sums = std::map<std::string, std::pair<Kernels::Sum, Kernels::Sum>>;

}  // namespace

Table compare_kernels(const Comparison& comparison) {
  Kernels base(comparison.base);
  Kernels fresh(comparison.fresh);
  std::vector<ComparedRow> rows;
  for (const AlignedPlace& place : match_kernels(comparison)) {
    ComparedRow& row = rows.emplace_back();
    row.how = place.how;
    KernelLayer layer;
    const Study* of = nullptr;
    std::string before;
    std::string after;
    const auto add = [&](Kernels& side, uint32_t kernel, double* ns, RunValues* samples, std::string* name) {
      if (kernel == kNoPlace) return;
      *ns = side.of(kernel).latency_ns;
      if (kernel < side.samples().size()) *samples = side.samples()[kernel];
      *name = side.name(kernel);
      layer = side.layer(kernel);
      of = &side.study();
    };
    add(base, place.a, &row.base_ns, &row.base, &before);
    add(fresh, place.b, &row.fresh_ns, &row.fresh, &after);
    row.what = place.a == kNoPlace ? after : place.b == kNoPlace ? before : renamed_text(before, after);
    row.set(kKernels.layer_index, layer_index(layer));
    row.set(kKernels.layer_name, layer_name(*of, layer));
    row.set(kKernels.base_kernel, text_cell(before));
    row.set(kKernels.new_kernel, text_cell(after));
    if (place.a != kNoPlace) row.set(kKernels.base_position, count_cell(place.a));
    if (place.b != kNoPlace) row.set(kKernels.new_position, count_cell(place.b));
  }
  Table table = comparison_table(comparison, kKernels, std::move(rows));
  append_kernel_notes(comparison, &table);
  return table;
}

Table compare_kernels_by_name(const Comparison& comparison) {
  Kernels base(comparison.base);
  Kernels fresh(comparison.fresh);
  Sums sums;
  for (uint32_t i = 0; i < base.size(); ++i) base.add(i, &sums[base.name(i)].first);
  for (uint32_t i = 0; i < fresh.size(); ++i) fresh.add(i, &sums[fresh.name(i)].second);
  std::vector<ComparedRow> rows;
  for (const auto& [name, sum] : sums) {
    ComparedRow& row = rows.emplace_back();
    row.what = name;
    const auto& [a, b] = sum;
    row.how = a.kernels.empty() ? Alignment::kAdded : b.kernels.empty() ? Alignment::kRemoved : Alignment::kSame;
    if (!a.kernels.empty()) {
      row.base_ns = a.ns;
      row.base = sum_of(base.samples(), a.kernels);
    }
    if (!b.kernels.empty()) {
      row.fresh_ns = b.ns;
      row.fresh = sum_of(fresh.samples(), b.kernels);
    }
    row.set(kKernelNames.base_count, count_cell(a.kernels.size()));
    row.set(kKernelNames.new_count, count_cell(b.kernels.size()));
  }
  Table table = comparison_table(comparison, kKernelNames, std::move(rows));
  append_kernel_notes(comparison, &table);
  return table;
}

Table compare_kernels_by_layer(const Comparison& comparison) {
  const Kernels base(comparison.base);
  const Kernels fresh(comparison.fresh);
  /// Kernels by row of A2; behind them all others.
  const auto by_layer = [](const Kernels& side) {
    const auto& layers = side.study().joined.layers;
    std::vector<Kernels::Sum> sums(layers.size() + 1);
    for (uint32_t i = 0; i < side.size(); ++i) {
      const KernelLayer layer = side.layer(i);
      const bool in_table = layer.attached && layer.index < layers.size() && layers[layer.index].name == layer.name;
      side.add(i, &sums[in_table ? layer.index : layers.size()]);
    }
    return sums;
  };
  const std::vector<Kernels::Sum> base_sums = by_layer(base);
  const std::vector<Kernels::Sum> fresh_sums = by_layer(fresh);
  std::vector<ComparedRow> rows;
  const auto append = [&](const AlignedPlace& place, std::string what) {
    ComparedRow& row = rows.emplace_back();
    row.what = std::move(what);
    row.how = place.how;
    const auto add = [&](const Kernels& side, const std::vector<Kernels::Sum>& sums, uint32_t layer, double* ns,
                         RunValues* samples, const ColumnDefinition& count, const ColumnDefinition& index) {
      if (layer == kNoPlace) return;
      *ns = sums[layer].ns;
      *samples = sum_of(side.samples(), sums[layer].kernels);
      row.set(count, count_cell(sums[layer].kernels.size()));
      if (layer + 1 < sums.size()) row.set(index, count_cell(layer));
    };
    add(base, base_sums, place.a, &row.base_ns, &row.base, kKernelsOfLayers.base_count, kKernelsOfLayers.base_index);
    add(fresh, fresh_sums, place.b, &row.fresh_ns, &row.fresh, kKernelsOfLayers.new_count, kKernelsOfLayers.new_index);
  };
  const auto name = [](const Study& study, uint32_t layer) {
    return study.trace.text(study.joined.layers[layer].name);
  };
  for (const AlignedPlace& place : comparison.layers) {
    const std::string_view before = place.a == kNoPlace ? "" : name(comparison.base, place.a);
    const std::string_view after = place.b == kNoPlace ? "" : name(comparison.fresh, place.b);
    append(place, place.a == kNoPlace   ? std::string(after)
                  : place.b == kNoPlace ? std::string(before)
                                        : renamed_text(before, after));
  }
  if (!base_sums.back().kernels.empty() || !fresh_sums.back().kernels.empty()) {
    append({static_cast<uint32_t>(base_sums.size() - 1), static_cast<uint32_t>(fresh_sums.size() - 1)}, "(unattached)");
  }
  if (base.size() == 0 && fresh.size() == 0) rows.clear();
  Table table = comparison_table(comparison, kKernelsOfLayers, std::move(rows));
  append_kernel_notes(comparison, &table);
  return table;
}

}  // namespace xsp::analysis
