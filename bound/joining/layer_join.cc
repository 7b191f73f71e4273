#include "bound/joining/layer_join.h"

#include <algorithm>

namespace xsp::bound {

LayerJoin::LayerJoin(const LayeredModel& model, std::vector<TraceLayer>* traced)
    : model_(model),
      traced_(*traced),
      owner_(model.layers.size(), kNoLayer),
      first_reader_(model.layers.size() + 1),
      after_(model.layers.size(), -1),
      before_(model.layers.size(), INT64_MAX) {
  for (const Layer& layer : model.layers)
    for (const size_t producer : layer.producers) ++first_reader_[producer + 1];
  for (size_t i = 1; i < first_reader_.size(); ++i) first_reader_[i] += first_reader_[i - 1];
  readers_.resize(first_reader_.back());
  std::vector<size_t> next(first_reader_.begin(), first_reader_.end() - 1);
  for (size_t i = 0; i < model.layers.size(); ++i)
    for (const size_t producer : model.layers[i].producers) readers_[next[producer]++] = i;
}

void LayerJoin::give(size_t layer, size_t traced, JoinedBy by) {
  owner_[layer] = traced;
  TraceLayer& to = traced_[traced];
  if (to.layers.empty()) to.joined_by = by;
  to.layers.push_back(layer);
}

void LayerJoin::take_back(size_t traced) {
  for (const size_t layer : traced_[traced].layers) owner_[layer] = kNoLayer;
  traced_[traced].layers.clear();
  traced_[traced].joined_by = JoinedBy::kNothing;
}

void LayerJoin::find_windows() {
  const auto place_of = [&](size_t layer) { return static_cast<int64_t>(owner_[layer]); };
  const auto is_passed = [&](size_t layer) { return is_free(layer) || !has_work(model_.layers[layer].layer_class); };
  for (size_t i = 0; i < modelled(); ++i) {
    after_[i] = -1;
    for (const size_t producer : producers(i))
      after_[i] = std::max(after_[i], is_passed(producer) ? after_[producer] : place_of(producer));
  }
  for (size_t i = modelled(); i-- > 0;) {
    before_[i] = INT64_MAX;
    for (const size_t reader : readers(i))
      before_[i] = std::min(before_[i], is_passed(reader) ? before_[reader] : place_of(reader));
  }
}

void LayerJoin::finish() {
  for (TraceLayer& layer : traced_) std::ranges::sort(layer.layers);
}

}  // namespace xsp::bound
