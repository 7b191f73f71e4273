#include "bound/advice/folded_inefficiencies.h"

#include <fmt/format.h>

#include <utility>

namespace xsp::bound {

void FoldedInefficiencies::add(const Inefficiency& one, LayerKind of) {
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", static_cast<int>(one.kind), static_cast<int>(of), one.expected, one.seen);
  const auto [found, is_new] = numbers_.try_emplace(key, folds_.size());
  if (is_new) folds_.push_back({.sum = one, .of = of});
  Fold& fold = folds_[found->second];
  if (!is_new) {
    fold.sum.count += one.count;
    fold.sum.time_ms += one.time_ms;
  }
  if (one.trace_layer) {
    fold.layers.insert(*one.trace_layer);
  } else {
    ++fold.without_layer;
  }
}

void FoldedInefficiencies::move_to(std::vector<Inefficiency>* found) {
  for (Fold& fold : folds_) {
    const size_t places = fold.layers.size() + fold.without_layer;
    if (places > 1 || fold.sum.layer.empty()) fold.sum.layer = counted(fold.of, places);
    fold.sum.trace_layers.assign(fold.layers.begin(), fold.layers.end());
    found->push_back(std::move(fold.sum));
  }
  folds_.clear();
  numbers_.clear();
}

}  // namespace xsp::bound
