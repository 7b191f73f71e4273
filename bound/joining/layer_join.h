#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bound/fusion/fused_group.h"
#include "bound/joining/joined_trace.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// Which layers of a model the layers of a trace ran, while it is found out. A layer of the model has one owner.
class LayerJoin {
 public:
  /// All of it must outlive the join, which fills `layers` and `joined_by` of the traced ones.
  LayerJoin(const LayeredModel& model, std::vector<TraceLayer>* traced);

  size_t modelled() const { return owner_.size(); }
  size_t traced() const { return traced_.size(); }
  const TraceLayer& traced(size_t index) const { return traced_[index]; }

  /// kNoLayer: none.
  size_t owner(size_t layer) const { return owner_[layer]; }
  bool is_free(size_t layer) const { return owner_[layer] == kNoLayer; }
  bool is_joined(size_t traced) const { return !traced_[traced].layers.empty(); }

  std::span<const size_t> producers(size_t layer) const { return model_.layers[layer].producers; }
  std::span<const size_t> readers(size_t layer) const {
    return {readers_.data() + first_reader_[layer], first_reader_[layer + 1] - first_reader_[layer]};
  }

  /// Of a layer that is free.
  void give(size_t layer, size_t traced, JoinedBy by);
  /// All that a layer of the trace has.
  void take_back(size_t traced);

  /// When a layer of the model could have run: the trace's layers ran in order, so not before the last of those that
  /// computed what it needs, and not behind the first of those that needed it. Layers without work do not count:
  /// runtimes move them about. To be found again after each change that is to count.
  void find_windows();
  int64_t first_place(size_t layer) const { return after_[layer]; }
  int64_t last_place(size_t layer) const { return before_[layer]; }
  bool could_run_at(size_t layer, size_t traced) const {
    return after_[layer] < static_cast<int64_t>(traced) && static_cast<int64_t>(traced) < before_[layer];
  }
  /// The same, also as a part of what computed its operands or read its result.
  bool could_be_part_of(size_t layer, size_t traced) const {
    return after_[layer] <= static_cast<int64_t>(traced) && static_cast<int64_t>(traced) <= before_[layer];
  }

  /// Sorts what each has.
  void finish();

 private:
  const LayeredModel& model_;
  std::vector<TraceLayer>& traced_;
  std::vector<size_t> owner_;
  std::vector<size_t> readers_;
  std::vector<size_t> first_reader_;
  std::vector<int64_t> after_;   // place in the trace of the last owner of what a layer needs; -1: none
  std::vector<int64_t> before_;  // of the first owner of what needs it; INT64_MAX: none
};

}  // namespace xsp::bound
