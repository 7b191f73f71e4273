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
  explicit LayerIndices(const AnalysedTrace& analysed)
      : trace_(analysed.trace), evaluations_(analysed.evaluations), study_(*analysed.study) {
    ordinals_of_.assign(evaluations_.root.size(), kUnknown);
    is_subject_.assign(evaluations_.root.size(), false);
    if (study_.options.per_trace) {
      totals_ = study_.joined.members;
      std::sort(totals_.begin(), totals_.end());
    } else if (study_.subject) {
      for (const uint32_t evaluation : evaluations_.groups[*study_.subject].evaluations) is_subject_[evaluation] = true;
    }
  }

  uint32_t of(Row layer, uint32_t ordinal, uint32_t evaluation) {
    if (layer == kNoRow) return kNoFacet;
    if (study_.options.per_trace) {
      const auto found = std::lower_bound(totals_.begin(), totals_.end(), std::pair(layer, uint32_t{0}));
      return found != totals_.end() && found->first == layer ? found->second : kNoFacet;
    }
    if (evaluation == kNoEvaluation || ordinal == UINT32_MAX || !is_subject_[evaluation]) return kNoFacet;
    if (ordinals_of_[evaluation] == kUnknown) ordinals_of_[evaluation] = find(evaluation);
    switch (ordinals_of_[evaluation]) {
      case kSame:
        return ordinal;
      case kOfLibrary:
        return layer_index_of(study_.levels.library_ordinals, ordinal);
      case kOfKernel:
        return layer_index_of(study_.levels.kernel_ordinals, ordinal);
      default:
        return kNoFacet;
    }
  }

 private:
  enum Ordinals : uint8_t { kUnknown, kNone, kSame, kOfLibrary, kOfKernel };

  Ordinals find(uint32_t evaluation) const {
    if (is_sequence(evaluation, study_.joined)) return kSame;
    if (is_sequence(evaluation, study_.levels.library_layers)) return kOfLibrary;
    if (is_sequence(evaluation, study_.levels.kernel_layers)) return kOfKernel;
    return kNone;
  }

  bool is_sequence(uint32_t evaluation, const JoinedLayers& joined) const {
    const size_t count = evaluations_.layer_count(evaluation);
    if (count != joined.layers.size() || count == 0) return false;
    for (size_t i = 0; i < count; ++i) {
      const Row row = evaluations_.layer(evaluation, i);
      if (trace_.spans.name[row] != joined.layers[i].name || trace_.spans.type[row] != joined.layers[i].type) {
        return false;
      }
    }
    return true;
  }

  const Trace& trace_;
  const Evaluations& evaluations_;
  const Study& study_;
  std::vector<uint8_t> ordinals_of_;  // by evaluation
  std::vector<bool> is_subject_;      // likewise
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
  const auto order_of = [&](uint32_t evaluation) {
    return joined_order(trace, analysed.executions, Executed::kKernels, evaluation);
  };
  const std::vector<uint32_t> first = order_of(joined.evaluations.front());
  for (const uint32_t evaluation : joined.evaluations) {
    const std::vector<uint32_t> order = order_of(evaluation);
    for (size_t i = 0; i < std::min(first.size(), order.size()); ++i) set(order[i], first[i]);
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
  // A place of C1 is that of the call in its evaluation.
  std::vector<uint32_t> next(analysed.evaluations.root.size(), kNoFacet);
  for (const uint32_t evaluation : joined.joined) next[evaluation] = 0;
  for (const LibraryCall& call : all.calls) {
    if (call.evaluation == kNoEvaluation || next[call.evaluation] == kNoFacet) continue;
    set(call, next[call.evaluation]++);
  }
}

}  // namespace

bool shows_runtime_calls(const Study& study) {
  return study.library_calls.calls.empty() && !study.runtime_calls.calls.empty();
}

std::vector<SliceFacets> find_facets(const AnalysedTrace& analysed, const TimelineSlices& slices) {
  std::vector<SliceFacets> facets(slices.size());
  SurroundingsSearch search(analysed.trace, analysed.parents, analysed.evaluations);
  LayerIndices layers(analysed);
  const auto set = [&](uint32_t slice, Row layer, uint32_t ordinal, uint32_t evaluation) {
    facets[slice].evaluation = evaluation;
    facets[slice].layer = layers.of(layer, ordinal, evaluation);
  };
  const SpanTable& spans = analysed.trace.spans;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (spans.level[slices.row[i]] == Level::kDevice) continue;
    const Surroundings& around = search.of(slices.row[i]);
    set(i, around.layer, around.layer_ordinal, around.evaluation);
  }
  for (uint32_t i = 0; i < analysed.executions.placed.size(); ++i) {
    const Row row = analysed.trace.executions.row[i];
    if (!slices.is_drawn[row]) continue;
    const PlacedExecution& placed = analysed.executions.placed[i];
    set(slices.slice_of_row(row), placed.layer, placed.layer_ordinal, placed.evaluation);
  }
  set_executions(analysed, slices, &facets);
  set_calls(analysed, slices, &facets);
  return facets;
}

}  // namespace xsp::analysis
