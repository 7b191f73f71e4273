#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bound/advice/inefficiency.h"
#include "bound/advice/layer_kind.h"

namespace xsp::bound {

/// Inefficiencies that are equal but for where they are, folded into one.
class FoldedInefficiencies {
 public:
  /// One place of it: `one` with its own layer, count and time. Equal: of one kind, `expected`, `seen` and `of`.
  void add(const Inefficiency& one, LayerKind of);

  /// In order of their first places.
  void move_to(std::vector<Inefficiency>* found);

 private:
  struct Fold {
    Inefficiency sum;
    LayerKind of = LayerKind::kOther;
    std::set<size_t> layers;   // where it is, by index in JoinedTrace::layers
    size_t without_layer = 0;  // further places
  };
  std::vector<Fold> folds_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace xsp::bound
