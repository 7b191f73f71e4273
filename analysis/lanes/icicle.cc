#include "analysis/lanes/icicle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "analysis/lanes/icicle_tree.h"
#include "analysis/lanes/timeline_data.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/timeline/kernel_names.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

using Part = IcicleNode::Kind;

/// The whole tree of a study.
class Growth {
 public:
  explicit Growth(const Study& study) : study_(study), names_(study.trace) {}

  Icicle grow() {
    icicle_.nodes.push_back({.kind = Part::kModel, .name = root_name()});
    add_layers();
    add_calls();
    add_kernels();
    add_measures();
    return std::move(icicle_);
  }

 private:
  std::string root_name() const {
    if (study_.has_single_calls()) return "all of the trace";
    if (!study_.subject) return "nothing";
    return model_label(study_.trace, study_.evaluations.groups[*study_.subject]);
  }

  std::string text(uint32_t id, std::string_view without) const {
    const auto text = study_.trace.text(id);
    return std::string(text.empty() ? without : text);
  }

  /// The child of a kind that `id` tells among those of `parent`; made where it is not there.
  template <typename Name>
  uint32_t child(uint32_t parent, Part kind, uint32_t id, Name&& name) {
    const auto [found, added] = children_.try_emplace(std::tuple(parent, kind, id), size());
    if (added) {
      icicle_.nodes.push_back({.kind = kind, .parent = parent, .name = name(), .layer = icicle_.nodes[parent].layer});
    }
    return found->second;
  }

  uint32_t size() const { return static_cast<uint32_t>(icicle_.nodes.size()); }

  static void add(double value, double* sum) { *sum = std::isnan(*sum) ? value : *sum + value; }

  uint32_t type_node(uint32_t type) {
    return child(0, Part::kType, type, [&] { return text(type, "(none)"); });
  }

  /// What is in no layer: of the whole where there are no layers.
  uint32_t unattached() {
    if (study_.joined.layers.empty()) return 0;
    return child(0, Part::kType, UINT32_MAX, [] { return std::string("(in no layer)"); });
  }

  void add_layers() {
    for (const JoinedLayer& layer : study_.joined.layers) {
      const uint32_t type = type_node(layer.type);
      const double ms = layer.latency_ns / kNsPerMs;
      icicle_.nodes[type].count += study_.options.per_trace ? layer.calls : 1;
      add(ms, &icicle_.nodes[type].latency_ms);
      layers_.push_back(size());
      icicle_.nodes.push_back({.kind = Part::kLayer,
                               .parent = type,
                               .name = text(layer.name, "(no name)"),
                               .latency_ms = ms,
                               .layer = static_cast<uint32_t>(layers_.size() - 1),
                               .count = study_.options.per_trace ? layer.calls : 1});
    }
  }

  /// A2's layer of a call; UINT32_MAX: none.
  uint32_t layer_of(const LibraryCall& call) {
    if (!study_.options.per_trace) return study_.layer_index(call.layer);
    if (members_.empty()) members_.insert(study_.joined.members.begin(), study_.joined.members.end());
    const auto found = members_.find(call.layer);
    return found == members_.end() ? UINT32_MAX : found->second;
  }

  void add_calls() {
    // Calls of the CUDA runtime are no library calls, but all that a program without libraries has: as in C1.
    const bool runtime = study_.library_calls.calls.empty();
    const LibraryCalls& all = runtime ? study_.runtime_calls : study_.library_calls;
    const JoinedCalls& joined = runtime ? study_.joined_runtime_calls : study_.joined_library_calls;
    std::vector<uint32_t> nodes(joined.calls.size());
    for (size_t i = 0; i < joined.calls.size(); ++i) {
      const JoinedCall& joined_call = joined.calls[i];
      const LibraryCall& call = all.calls[joined_call.call];
      const uint32_t layer = layer_of(call);
      // Enclosing calls come first.
      const bool is_nested = joined_call.enclosing < i;
      const uint32_t parent = is_nested                ? nodes[joined_call.enclosing]
                              : layer < layers_.size() ? layers_[layer]
                                                       : unattached();
      const uint32_t name = study_.trace.spans.name[call.row];
      nodes[i] = child(parent, Part::kCall, name, [&] { return text(name, "(no name)"); });
      IcicleNode& node = icicle_.nodes[nodes[i]];
      ++node.count;
      add(joined_call.host_ns / kNsPerMs, &node.latency_ms);
    }
  }

  uint32_t place_of(const JoinedKernel& kernel, const KernelLayer& layer) {
    if (!layer.attached) return unattached();
    const auto& layers = study_.joined.layers;
    if (layer.index < layers.size() && layers[layer.index].name == layer.name) return layers_[layer.index];
    // A layer that A2 does not have: of another evaluation, or of the runs with kernels alone.
    const Row row = study_.executions.placed[kernel.execution].layer;
    const uint32_t type = type_node(study_.trace.spans.type[row]);
    const auto [found, added] = others_.try_emplace(layer, size());
    if (added) {
      ++icicle_.nodes[type].count;
      icicle_.nodes.push_back(
          {.kind = Part::kLayer, .parent = type, .name = text(layer.name, "(no name)"), .count = 1});
    }
    return found->second;
  }

  void add_kernels() {
    const KernelLayers layers(study_);
    for (const JoinedKernel& kernel : study_.kernels.kernels) {
      uint32_t parent = place_of(kernel, layers.of(kernel));
      const PlacedExecution& placed = study_.executions.placed[kernel.execution];
      if (placed.library_call != kNoRow) {
        const uint32_t function = study_.trace.spans.name[placed.library_call];
        parent = child(parent, Part::kCall, function, [&] { return text(function, "(no name)"); });
      }
      const uint32_t name = study_.trace.spans.name[study_.trace.executions.row[kernel.execution]];
      const uint32_t node = child(parent, Part::kKernel, name, [&] { return names_.text(name); });
      ++icicle_.nodes[node].count;
      for (uint32_t i = node; i != IcicleNode::kNone; i = icicle_.nodes[i].parent) {
        add(kernel.latency_ns / kNsPerMs, &icicle_.nodes[i].kernel_ms);
      }
    }
  }

  void add_measures() {
    IcicleNode& root = icicle_.nodes.front();
    root.count = 1;
    const std::string of = study_.has_single_calls() ? "over all of the trace" : "of an evaluation";
    const bool has_calls = std::any_of(icicle_.nodes.begin(), icicle_.nodes.end(),
                                       [](const IcicleNode& node) { return node.kind == Part::kCall; });
    sum_unattached_calls();
    const double model_ns = study_.joined.layers.empty() ? study_.model_latency_ns : study_.joined_latency_ns;
    if (model_ns > 0) {
      root.latency_ms = model_ns / kNsPerMs;
    } else {
      for (const IcicleNode& node : icicle_.nodes) {
        if (node.parent == 0 && !std::isnan(node.latency_ms)) add(node.latency_ms, &root.latency_ms);
      }
    }
    if (root.latency_ms > 0 && (has_calls || !layers_.empty())) {
      icicle_.latency_about =
          layers_.empty() ? fmt::format("host time of calls {}", of)
                          : fmt::format("latency {}: layers as in A2, layer types as in A6, calls by host time", of);
    }
    if (root.kernel_ms > 0) {
      icicle_.kernel_about = fmt::format("kernel time {}: layers as in A11, all as in A15", of);
    }
  }

  /// The calls in no layer have no latency in A2: theirs is their sum.
  void sum_unattached_calls() {
    for (const IcicleNode& node : icicle_.nodes) {
      if (node.kind != Part::kCall || node.parent == 0) continue;
      IcicleNode& parent = icicle_.nodes[node.parent];
      if (parent.kind == Part::kType && !std::isnan(node.latency_ms)) add(node.latency_ms, &parent.latency_ms);
    }
  }

  struct Hash {
    size_t operator()(const std::tuple<uint32_t, Part, uint32_t>& key) const {
      const auto [parent, kind, id] = key;
      return (uint64_t{parent} << 32 | id) * 0x9E3779B97F4A7C15u + static_cast<size_t>(kind);
    }
  };

  const Study& study_;
  KernelNames names_;
  Icicle icicle_;
  std::vector<uint32_t> layers_;  // node, by index of A2
  std::map<KernelLayer, uint32_t> others_;
  std::unordered_map<Row, uint32_t> members_;
  std::unordered_map<std::tuple<uint32_t, Part, uint32_t>, uint32_t, Hash> children_;
};

nlohmann::json number(double value) {
  // Nine digits, as in the packed tables.
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(std::stod(fmt::format("{:.9g}", value)));
}

nlohmann::json measure(std::string_view id, std::string_view name, const std::string& about) {
  return {{"id", id}, {"name", name}, {"unit", "ms"}, {"about", about}};
}

}  // namespace

Icicle icicle_of(const Study& study, size_t nodes) {
  Icicle icicle = Growth(study).grow();
  prune(nodes, &icicle);
  note_overfull(&icicle);
  return icicle;
}

std::string icicle_json(const AnalysedTrace& analysed) {
  if (!analysed.study) return "{}";
  const Icicle icicle = icicle_of(*analysed.study);
  nlohmann::json measures = nlohmann::json::array();
  if (icicle.has_latency()) measures.push_back(measure("latency", "latency", icicle.latency_about));
  if (icicle.has_kernels()) measures.push_back(measure("kernel", "GPU kernel time", icicle.kernel_about));
  nlohmann::json texts = nlohmann::json::array();
  std::map<std::string, size_t> places;
  nlohmann::json columns = {{"kind", nlohmann::json::array()},   {"parent", nlohmann::json::array()},
                            {"name", nlohmann::json::array()},   {"latency", nlohmann::json::array()},
                            {"kernel", nlohmann::json::array()}, {"layer", nlohmann::json::array()},
                            {"count", nlohmann::json::array()}};
  for (const IcicleNode& node : icicle.nodes) {
    const auto [found, added] = places.try_emplace(valid_utf8(node.name), texts.size());
    if (added) texts.push_back(found->first);
    const auto place = [](uint32_t value) {
      return value == IcicleNode::kNone ? nlohmann::json() : nlohmann::json(value);
    };
    columns["kind"].push_back(static_cast<int>(node.kind));
    columns["parent"].push_back(place(node.parent));
    columns["name"].push_back(found->second);
    columns["latency"].push_back(number(node.latency_ms));
    columns["kernel"].push_back(number(node.kernel_ms));
    columns["layer"].push_back(place(node.layer));
    columns["count"].push_back(node.count);
  }
  const nlohmann::json data = {{"measures", std::move(measures)},
                               {"kinds", {"model", "type", "layer", "call", "kernel", "rest"}},
                               {"texts", std::move(texts)},
                               {"nodes", std::move(columns)},
                               {"notes", icicle.notes}};
  return data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace xsp::analysis
