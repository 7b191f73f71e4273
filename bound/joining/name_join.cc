#include "bound/joining/name_join.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analysis/concurrency/node_names.h"
#include "bound/joining/fused_types.h"
#include "bound/joining/tensor_shapes.h"
#include "bound/model/model_source.h"

namespace xsp::bound {
namespace {

/// Layers by a name that is theirs alone.
class NamedLayers {
 public:
  void add(const std::string& name, size_t layer) {
    if (name.empty()) return;
    const auto [found, is_new] = layers_.emplace(name, layer);
    if (!is_new && found->second != layer) found->second = kNoLayer;
  }
  size_t find(const std::string& name) const {
    const auto found = layers_.find(name);
    return found == layers_.end() ? kNoLayer : found->second;
  }

 private:
  std::unordered_map<std::string, size_t> layers_;
};

/// How far above the layer whose value a fused one writes its own operator may be.
constexpr int kLongestChain = 8;

class NameJoin {
 public:
  NameJoin(const JoinSubject& subject, LayerJoin* join) : subject_(subject), join_(*join) {
    const LayeredModel& model = *subject.model;
    for (size_t i = 0; i < model.layers.size(); ++i) nodes_.add(model.layers[i].name, i);
    for (size_t i = 0; i < join_.traced(); ++i) called_.insert(join_.traced(i).name);
    if (model.source == nullptr) return;
    const auto& nodes = model.source->model.graph.nodes;
    for (size_t i = 0; i < std::min(nodes.size(), model.layers.size()); ++i)
      for (const std::string& output : nodes[i].outputs) values_.add(output, i);
  }

  /// Names as they are first, so that "X" has the node X and "X_token_2" something made of it.
  void run() {
    for (const bool is_exact : {true, false}) {
      for (size_t i = 0; i < join_.traced(); ++i) {
        if (!join_.is_joined(i)) join_layer(i, is_exact);
      }
    }
  }

 private:
  void join_layer(size_t traced, bool is_exact) {
    const TraceLayer& layer = join_.traced(traced);
    const auto readings = analysis::readings_of(layer.name, layer.type);
    for (size_t i = is_exact ? 0 : 1; i < (is_exact ? 1 : readings.size()); ++i) {
      const analysis::NameReading& reading = readings[i];
      size_t found = reading.is_value ? values_.find(reading.name) : nodes_.find(reading.name);
      if (found == kNoLayer && !reading.is_value) found = values_.find(reading.name);
      if (found == kNoLayer || !join_.is_free(found)) continue;
      if (join_as(traced, reading, found)) return;
    }
  }

  bool has_shape_of(size_t traced, const analysis::NameReading& reading, size_t layer) const {
    const auto& shape = subject_.traced[traced].shape;
    const auto& own = subject_.modelled[layer].shape;
    if (subject_.traced[traced].shape_of != ShapeOf::kOutput || own.empty()) return true;
    return may_be_one_tensor(shape, own, reading.is_blocked);
  }

  bool join_as(size_t traced, const analysis::NameReading& reading, size_t layer) {
    const std::string_view family = subject_.traced[traced].family.name;
    const ModelledEvidence& own = subject_.modelled[layer];
    if (reading.fusion == "GatherSliceToSplitFusion") return join_split(traced, layer);
    const bool is_same = own.family.name == family || (reading.is_normalized && own.family.name == "batchnorm");
    const Composite* composite = composite_of(family);
    const bool is_part = composite != nullptr && has_word(composite->parts, own.family.name);
    if (is_same || is_part) {
      if (!has_shape_of(traced, reading, layer)) return false;
      join_.give(layer, traced, JoinedBy::kName);
      return true;
    }
    return join_chain(traced, reading, layer);
  }

  /// A layer that is called after the last of what it runs: its own operator is above, the only one of its family
  /// there.
  bool join_chain(size_t traced, const analysis::NameReading& reading, size_t last) {
    const TracedEvidence& evidence = subject_.traced[traced];
    std::vector<size_t> chain;
    size_t at = last;
    for (int i = 0; i < kLongestChain; ++i) {
      chain.push_back(at);
      if (subject_.modelled[at].family.name == evidence.family.name) break;
      if (!can_fuse(subject_.framework, evidence.type, FusedSide::kAfter, subject_.modelled[at].family.name))
        return false;
      size_t above = kNoLayer;
      for (const size_t producer : join_.producers(at)) {
        if (!join_.is_free(producer) || !can_be_above(evidence, producer)) continue;
        if (above != kNoLayer) return false;
        above = producer;
      }
      if (above == kNoLayer) return false;
      at = above;
    }
    if (subject_.modelled[at].family.name != evidence.family.name || !has_shape_of(traced, reading, last)) return false;
    for (const size_t layer : chain) join_.give(layer, traced, JoinedBy::kName);
    return true;
  }

  bool can_be_above(const TracedEvidence& evidence, size_t layer) const {
    const std::string_view family = subject_.modelled[layer].family.name;
    return family == evidence.family.name || can_fuse(subject_.framework, evidence.type, FusedSide::kAfter, family);
  }

  /// Several parts taken out of one tensor became a single split of it.
  bool join_split(size_t traced, size_t layer) {
    const auto is_part = [&](size_t at) {
      const std::string_view family = subject_.modelled[at].family.name;
      return family == "gather" || family == "slice" || family == "split";
    };
    if (!is_part(layer)) return false;
    join_.give(layer, traced, JoinedBy::kName);
    for (const size_t producer : join_.producers(layer)) {
      if (!subject_.modelled[producer].has_work && join_.producers(producer).empty()) continue;
      for (const size_t sibling : join_.readers(producer)) {
        if (join_.is_free(sibling) && is_part(sibling) && subject_.modelled[sibling].has_work &&
            subject_.modelled[sibling].module == subject_.modelled[layer].module && !is_called_for(sibling))
          join_.give(sibling, traced, JoinedBy::kName);
      }
      break;
    }
    return true;
  }

  bool is_called_for(size_t layer) const { return called_.contains(subject_.model->layers[layer].name); }

  const JoinSubject& subject_;
  LayerJoin& join_;
  NamedLayers nodes_;
  NamedLayers values_;
  std::unordered_set<std::string_view> called_;  // names in the trace
};

}  // namespace

void join_by_name(const JoinSubject& subject, LayerJoin* join) { NameJoin(subject, join).run(); }

}  // namespace xsp::bound
