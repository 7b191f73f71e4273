#include "analysis/lanes/slice_facets.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
namespace {

/// Finds the index of A2 of the layers of an evaluation.
class LayerIndices {
 public:
  explicit LayerIndices(const AnalysedTrace& analysed) : study_(*analysed.study) {
    is_subject_.assign(analysed.evaluations.root.size(), false);
    if (study_.options.per_trace) {
      totals_ = study_.joined.members;
      std::sort(totals_.begin(), totals_.end());
    } else if (study_.subject) {
      const EvaluationGroup& group = analysed.evaluations.groups[*study_.subject];
      for (const uint32_t evaluation : group.evaluations) is_subject_[evaluation] = true;
    }
  }

  uint32_t of(Row layer, uint32_t evaluation) const {
    if (layer == kNoRow) return kNoFacet;
    if (study_.options.per_trace) {
      const auto found = std::lower_bound(totals_.begin(), totals_.end(), std::pair(layer, uint32_t{0}));
      return found != totals_.end() && found->first == layer ? found->second : kNoFacet;
    }
    if (evaluation == kNoEvaluation || !is_subject_[evaluation]) return kNoFacet;
    const uint32_t index = study_.layer_index(layer);
    return index < study_.joined.layers.size() ? index : kNoFacet;
  }

 private:
  const Study& study_;
  std::vector<bool> is_subject_;  // by evaluation
  std::vector<std::pair<Row, uint32_t>> totals_;
};

void set_executions(const AnalysedTrace& analysed, const TimelineSlices& slices, std::vector<SliceFacets>* facets) {
  const JoinedKernels& joined = analysed.study->kernels;
  const Trace& trace = analysed.trace;
  std::unordered_map<uint32_t, uint32_t> place;  // in A8, of the executions that its rows are made of
  const std::vector<uint32_t> shown = longest_kernels(joined.kernels);
  place.reserve(shown.size());
  for (uint32_t i = 0; i < shown.size(); ++i) place.emplace(joined.kernels[shown[i]].execution, i);
  const auto set = [&](uint32_t execution, uint32_t like) {
    const auto found = place.find(like);
    const Row row = trace.executions.row[execution];
    if (found == place.end() || !slices.is_drawn[row]) return;
    (*facets)[slices.slice_of_row(row)].execution = found->second;
  };
  if (joined.evaluations.empty()) {
    for (const JoinedKernel& kernel : joined.kernels) set(kernel.execution, kernel.execution);
    return;
  }
  const Study& study = *analysed.study;
  const LayerOfKernel layer_of = layers_of_kernels(study, study.levels, study.joined);
  for (size_t i = 0; i < joined.evaluations.size(); ++i) {
    const std::vector<uint32_t> order =
        joined_order(trace, analysed.executions, Executed::kKernels, joined.evaluations[i], layer_of);
    const std::vector<uint32_t>& rows = joined.rows_of(i);
    for (size_t k = 0; k < order.size(); ++k) {
      if (rows[k] != kNoPlace) set(order[k], joined.kernels[rows[k]].execution);
    }
  }
}

void set_calls(const AnalysedTrace& analysed, const TimelineSlices& slices, std::vector<SliceFacets>* facets) {
  const Study& study = *analysed.study;
  const bool runtime = shows_runtime_calls(study);
  const LibraryCalls& all = runtime ? study.runtime_calls : study.library_calls;
  const JoinedCalls& joined = runtime ? study.joined_runtime_calls : study.joined_library_calls;
  const auto set = [&](const LibraryCall& call, uint32_t index) {
    if (slices.is_drawn[call.row]) (*facets)[slices.slice_of_row(call.row)].call = index;
  };
  if (joined.joined.empty()) {
    for (uint32_t i = 0; i < joined.calls.size(); ++i) set(all.calls[joined.calls[i].call], i);
    return;
  }
  struct Next {
    const std::vector<uint32_t>* rows = nullptr;  // null: the evaluation is not joined
    size_t place = 0;
  };
  std::vector<Next> next(analysed.evaluations.root.size());
  for (size_t i = 0; i < joined.joined.size(); ++i) next[joined.joined[i]].rows = &joined.rows_of(i);
  for (const LibraryCall& call : all.calls) {
    if (call.evaluation == kNoEvaluation || next[call.evaluation].rows == nullptr) continue;
    Next& of = next[call.evaluation];
    const uint32_t row = (*of.rows)[of.place++];
    if (row != kNoPlace) set(call, row);
  }
}

}  // namespace

bool shows_runtime_calls(const Study& study) {
  return study.library_calls.calls.empty() && !study.runtime_calls.calls.empty();
}

std::vector<SliceFacets> find_facets(const AnalysedTrace& analysed, const TimelineSlices& slices) {
  std::vector<SliceFacets> facets(slices.size());
  SurroundingsSearch search(analysed.trace, analysed.parents, analysed.evaluations);
  const LayerIndices layers(analysed);
  const auto set = [&](uint32_t slice, Row layer, uint32_t evaluation) {
    facets[slice].evaluation = evaluation;
    facets[slice].layer = layers.of(layer, evaluation);
  };
  const SpanTable& spans = analysed.trace.spans;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (spans.level[slices.row[i]] == Level::kDevice) continue;
    const Surroundings& around = search.of(slices.row[i]);
    set(i, around.layer, around.evaluation);
  }
  for (uint32_t i = 0; i < analysed.executions.placed.size(); ++i) {
    const Row row = analysed.trace.executions.row[i];
    if (!slices.is_drawn[row]) continue;
    const PlacedExecution& placed = analysed.executions.placed[i];
    set(slices.slice_of_row(row), placed.layer, placed.evaluation);
  }
  set_executions(analysed, slices, &facets);
  set_calls(analysed, slices, &facets);
  return facets;
}

}  // namespace xsp::analysis
