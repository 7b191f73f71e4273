#include "analysis/study/joined_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/study/study.h"
#include "analysis/timeline/kernel_names.h"

namespace xsp::analysis {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211u; }

template <typename... Values>
uint64_t hash_of(Values... values) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  ((hash = mix(hash, values)), ...);
  return hash;
}

std::string text_of(const Trace& trace, uint32_t id) {
  const std::string_view text = trace.text(id);
  return text.empty() ? "(unnamed)" : std::string(text);
}

std::vector<SequencePlace> keys_of(std::span<const ComparedPlace> places) {
  std::vector<SequencePlace> keys;
  keys.reserve(places.size());
  for (const ComparedPlace& place : places) keys.push_back(place.what);
  return keys;
}

}  // namespace

Sequence sequence_of(const Study& study, const JoinedLayers& joined) {
  Sequence sequence;
  for (const JoinedLayer& layer : joined.layers) {
    sequence.places.push_back({layer_place(layer.name, layer.type), layer.latency_ns});
  }
  sequence.name = [&](uint32_t place) {
    const JoinedLayer& layer = joined.layers[place];
    const std::string name = text_of(study.trace, layer.name);
    return layer.type == 0 ? name : fmt::format("{} ({})", name, study.trace.text(layer.type));
  };
  sequence.position = [](uint32_t place) { return fmt::format("index {}", place); };
  return sequence;
}

Sequence sequence_of(const Study& study, const JoinedCalls& joined) {
  Sequence sequence;
  const SpanTable& spans = study.trace.spans;
  const auto row = [&](uint32_t place) { return study.library_calls.calls[joined.calls[place].call].row; };
  for (uint32_t i = 0; i < joined.calls.size(); ++i) {
    const uint32_t layer = study.layer_index(study.library_calls.calls[joined.calls[i].call].layer);
    const uint64_t kind = hash_of(layer, spans.type[row(i)]);
    sequence.places.push_back({{hash_of(kind, spans.name[row(i)]), kind}, joined.calls[i].host_ns});
  }
  sequence.name = [&study, row](uint32_t place) { return text_of(study.trace, study.trace.spans.name[row(place)]); };
  sequence.position = [](uint32_t place) { return fmt::format("call {}", place); };
  return sequence;
}

Sequence sequence_of(const Study& study, const JoinedKernels& joined) {
  struct Place {
    uint32_t layer;
    uint32_t launch;  // in the layer
    uint32_t kernel;
  };
  std::vector<Place> order;
  std::map<uint32_t, uint32_t> launches;
  for (uint32_t i = 0; i < joined.kernels.size(); ++i) {
    const Row layer = study.executions.placed[joined.kernels[i].execution].layer;
    const uint32_t ordinal = layer == kNoRow ? kNoPlace : kernel_place(study, study.levels, study.joined, layer);
    order.push_back({ordinal, launches[ordinal]++, i});
  }
  std::stable_sort(order.begin(), order.end(), [](const Place& a, const Place& b) { return a.layer < b.layer; });
  const auto row = [&study, &joined](uint32_t kernel) {
    return study.trace.executions.row[joined.kernels[kernel].execution];
  };
  Sequence sequence;
  for (const Place& place : order) {
    const uint64_t name = study.trace.spans.name[row(place.kernel)];
    sequence.places.push_back(
        {{hash_of(place.layer, name), uint64_t{place.layer} + 1}, joined.kernels[place.kernel].latency_ns});
  }
  sequence.name = [&study, row, order](uint32_t place) {
    return demangled(study.trace.text(study.trace.spans.name[row(order[place].kernel)]));
  };
  sequence.position = [&study, &joined, order](uint32_t place) {
    const Row layer = study.executions.placed[joined.kernels[order[place].kernel].execution].layer;
    if (layer == kNoRow) return fmt::format("kernel {} of no layer", order[place].launch);
    return fmt::format("layer {} ({}), launch {}", study.layer_index(layer),
                       study.trace.text(study.trace.layer_name(layer)), order[place].launch);
  };
  return sequence;
}

SequenceDifference compare_sequences(std::span<const ComparedPlace> a, std::span<const ComparedPlace> b) {
  SequenceDifference difference;
  const auto is_same = [](const ComparedPlace& x, const ComparedPlace& y) { return x.what.key == y.what.key; };
  if (std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same)) return difference;
  bool any = false;
  for (const AlignedPlace& place : align_sequences(keys_of(a), keys_of(b))) {
    if (place.how == Alignment::kSame) continue;
    if (!any) difference.first = place;
    any = true;
    difference.renamed += place.how == Alignment::kRenamed ? 1 : 0;
    difference.moved += place.how == Alignment::kMoved ? 1 : 0;
    difference.removed += place.how == Alignment::kRemoved ? 1 : 0;
    difference.added += place.how == Alignment::kAdded ? 1 : 0;
    difference.ns += place.b == kNoPlace ? a[place.a].ns : b[place.b].ns;
  }
  return difference;
}

std::vector<uint32_t> align_calls(const Study& study) {
  const JoinedCalls& calls = study.joined_library_calls;
  const auto of_calls = keys_of(sequence_of(study, calls).places);
  const auto of_kernels = keys_of(sequence_of(study, study.library_calls_of_kernels).places);
  std::vector<uint32_t> partners(calls.calls.size(), kNoPlace);
  for (const AlignedPlace& place : align_sequences(of_calls, of_kernels)) {
    const bool same = place.how == Alignment::kSame || place.how == Alignment::kMoved;
    if (same) partners[place.a] = place.b;
  }
  return partners;
}

}  // namespace xsp::analysis
