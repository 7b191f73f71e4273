#include "bound/bounds/group_choice.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "bound/bounds/condensed_graph.h"

namespace xsp::bound {
namespace {

double own_ms(const LayerTime& time) { return time.bound_ms.value_or(0); }

/// Who reads each layer, of those that need time or lead to such.
std::vector<std::vector<size_t>> readers_of(std::span<const Layer> layers, std::span<const LayerTime> times) {
  std::vector<std::vector<size_t>> readers(layers.size());
  for (size_t layer = layers.size(); layer-- > 0;) {
    if (!times[layer].counts && readers[layer].empty()) continue;
    for (const size_t producer : layers[layer].producers) readers[producer].push_back(layer);
  }
  return readers;
}

bool has(const FusedGroup& group, size_t layer) {
  return std::binary_search(group.layers.begin(), group.layers.end(), layer);
}

/// At least two layers in order, each of which a later one reads; the last alone is read from outside, and is needed:
/// then no layer of the group reads what leads to no work, which may read within it.
bool is_closed(const FusedGroup& group, std::span<const Layer> layers, std::span<const LayerTime> times,
               const std::vector<std::vector<size_t>>& readers) {
  const std::vector<size_t>& members = group.layers;
  if (members.size() < 2 || members.back() >= layers.size()) return false;
  if (std::adjacent_find(members.begin(), members.end(), std::greater_equal<>()) != members.end()) return false;
  if (!times[members.back()].counts && readers[members.back()].empty()) return false;
  const auto is_read_within = [&](size_t layer) {
    return std::any_of(members.begin(), members.end(), [&](size_t member) {
      return std::ranges::find(layers[member].producers, layer) != layers[member].producers.end();
    });
  };
  return std::all_of(members.begin(), members.end() - 1, [&](size_t layer) {
    return is_read_within(layer) &&
           std::ranges::all_of(readers[layer], [&](size_t reader) { return has(group, reader); });
  });
}

class GroupChooser {
 public:
  GroupChooser(std::span<const Layer> layers, std::span<const LayerTime> times, std::span<const FusedGroup> groups,
               std::span<const LayerTime> group_times)
      : layers_(layers), times_(times), groups_(groups), group_times_(group_times), verdicts_(groups.size()) {
    const auto readers = readers_of(layers, times);
    for (size_t group = 0; group < groups.size(); ++group) {
      if (is_closed(groups[group], layers, times, readers)) {
        order_.push_back(group);
      } else {
        verdicts_[group].refusal = Refusal::kNotClosed;
      }
    }
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return place_of(a) < place_of(b); });
    first_at_.resize(layers.size() + 1);
    for (const size_t group : order_) ++first_at_[groups[group].layers.front() + 1];
    std::partial_sum(first_at_.begin(), first_at_.end(), first_at_.begin());
    for (const size_t group : order_) judge(group);
  }

  /// Without `ready`, which is by layer: only groups that join no branches.
  GroupChoice choose(const std::vector<double>* ready) const {
    GroupChoice choice;
    choice.decisions = verdicts_;
    choice.group_of.assign(layers_.size(), kNoGroup);
    for (const size_t group : order_) {
      GroupDecision& decision = choice.decisions[group];
      if (!decision.is_taken()) continue;
      const std::vector<size_t>& members = groups_[group].layers;
      const auto rival = std::find_if(members.begin(), members.end(),
                                      [&](size_t layer) { return choice.group_of[layer] != kNoGroup; });
      if (joins(groups_[group]) && (ready == nullptr || delays(groups_[group], *ready))) {
        decision.refusal = Refusal::kDelays;
      } else if (rival != members.end()) {
        decision.refusal = Refusal::kTaken;
        decision.rival = choice.group_of[*rival];
      } else {
        for (const size_t layer : members) choice.group_of[layer] = group;
        choice.taken.push_back(group);
      }
    }
    std::sort(choice.taken.begin(), choice.taken.end(),
              [&](size_t a, size_t b) { return groups_[a].layers.back() < groups_[b].layers.back(); });
    return choice;
  }

 private:
  std::tuple<size_t, size_t, size_t> place_of(size_t group) const {
    const std::vector<size_t>& members = groups_[group].layers;
    return {members.front(), SIZE_MAX - members.size(), group};
  }

  bool joins(const FusedGroup& group) const {
    return group.outer_operand < layers_.size() && group.inner_operand < layers_.size();
  }

  static bool delays(const FusedGroup& group, const std::vector<double>& ready) {
    return ready[group.inner_operand] < ready[group.outer_operand];
  }

  void judge(size_t group) {
    GroupDecision& decision = verdicts_[group];
    for (const size_t layer : groups_[group].layers) {
      decision.parts_ms += own_ms(times_[layer]);
      decision.untimed_parts += times_[layer].counts && !times_[layer].bound_ms ? 1 : 0;
    }
    const auto& together = group_times_[group].bound_ms;
    if (!together) {
      decision.refusal = Refusal::kNotMeasured;
    } else if (*together >= decision.parts_ms) {
      decision.refusal = Refusal::kSlower;
    } else if (*together >= in_smaller_groups_ms(group)) {
      decision.refusal = Refusal::kSmaller;
    }
  }

  /// The least that the layers of the group take by themselves and in candidates that have some of them, one behind
  /// another.
  double in_smaller_groups_ms(size_t group) const {
    const std::vector<size_t>& members = groups_[group].layers;
    std::vector<double> rest(members.size() + 1);  // from a member on
    for (size_t at = members.size(); at-- > 0;) {
      rest[at] = own_ms(times_[members[at]]) + rest[at + 1];
      for (size_t i = first_at_[members[at]]; i < first_at_[members[at] + 1]; ++i) {
        const std::vector<size_t>& smaller = groups_[order_[i]].layers;
        const auto& together = group_times_[order_[i]].bound_ms;
        if (!together || smaller.size() >= members.size() || at + smaller.size() > members.size()) continue;
        // One that makes a branch wait might not be taken instead.
        if (joins(groups_[order_[i]])) continue;
        if (*together + rest[at + smaller.size()] >= rest[at]) continue;
        if (std::equal(smaller.begin(), smaller.end(), members.begin() + static_cast<std::ptrdiff_t>(at))) {
          rest[at] = *together + rest[at + smaller.size()];
        }
      }
    }
    return rest[0];
  }

  std::span<const Layer> layers_;
  std::span<const LayerTime> times_;
  std::span<const FusedGroup> groups_;
  std::span<const LayerTime> group_times_;
  std::vector<GroupDecision> verdicts_;
  std::vector<size_t> order_;     // candidates that are groups
  std::vector<size_t> first_at_;  // by layer: where in `order_` those begin whose first layer it is
};

}  // namespace

GroupChoice choose_groups(std::span<const Layer> layers, std::span<const LayerTime> times,
                          std::span<const FusedGroup> groups, std::span<const LayerTime> group_times) {
  const GroupChooser chooser(layers, times, groups, group_times);
  std::vector<double> layer_ms, group_ms;
  for (const LayerTime& time : times) layer_ms.push_back(own_ms(time));
  for (const LayerTime& time : group_times) group_ms.push_back(own_ms(time));
  const GroupChoice without_joins = chooser.choose(nullptr);
  const std::vector<double> ready = ready_times(layers, groups, without_joins, layer_ms, group_ms);
  return chooser.choose(&ready);
}

}  // namespace xsp::bound
