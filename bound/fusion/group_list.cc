#include "bound/fusion/group_list.h"

#include <algorithm>
#include <unordered_map>

#include "bound/fusion/group_model.h"

namespace xsp::bound {

void GroupList::add(FusionMatch match) {
  FusedGroup group;
  if (!begin(&match, &group)) return;
  const auto [made, is_new] = made_.try_emplace(group.problem);
  if (is_new) {
    made->second.work = work_of_group(match.problem);
    if (made->second.work) made->second.model = group_model(match.problem);
  }
  if (!made->second.work) return;
  group.flops = made->second.work->flops;
  group.bytes = made->second.work->bytes;
  group.model = made->second.model;
  keep(std::move(group));
}

void GroupList::add_general(FusionMatch match, const std::function<std::string()>& write_model,
                            std::optional<double> flops, std::optional<double> bytes) {
  FusedGroup group;
  if (!begin(&match, &group)) return;
  const auto [made, is_new] = made_.try_emplace(group.problem);
  if (is_new) made->second.model = write_model();
  group.model = made->second.model;
  group.flops = flops;
  group.bytes = bytes;
  keep(std::move(group));
}

bool GroupList::begin(FusionMatch* match, FusedGroup* group) const {
  std::ranges::sort(match->layers);
  match->layers.erase(std::unique(match->layers.begin(), match->layers.end()), match->layers.end());
  size_t with_work = 0;
  for (const size_t layer : match->layers) {
    if (!has_work(graph_.layer(layer).layer_class)) continue;
    group->pattern += (with_work == 0 ? "" : "+") + graph_.layer(layer).type;
    ++with_work;
  }
  group->rule = match->rule;
  group->layers = match->layers;
  group->problem = match->problem.text();
  group->outer_operand = match->outer_operand;
  group->inner_operand = match->inner_operand;
  return with_work >= 2;
}

void GroupList::keep(FusedGroup group) {
  if (const GraphValue* result = graph_.output(group.layers.back())) {
    for (const size_t reader : result->readers) is_behind_[reader] = true;
  }
  by_last_layer_.emplace(group.layers.back(), groups_.size());
  groups_.push_back(std::move(group));
}

bool GroupList::contains(const std::vector<size_t>& layers) const {
  const auto [begin, end] = by_last_layer_.equal_range(layers.back());
  return std::any_of(begin, end, [&](const auto& group) { return groups_[group.second].layers == layers; });
}

std::vector<FusedGroup> GroupList::sorted() && {
  std::unordered_map<size_t, size_t> last_of_family;
  for (const FusedGroup& group : groups_) {
    size_t& last = last_of_family[group.layers.front()];
    last = std::max(last, group.layers.back());
  }
  const auto key = [&](const FusedGroup& group) {
    return std::pair(last_of_family.at(group.layers.front()), group.layers.front());
  };
  std::ranges::stable_sort(groups_, [&](const FusedGroup& a, const FusedGroup& b) {
    const auto of_a = key(a), of_b = key(b);
    return of_a != of_b ? of_a < of_b : a.layers.size() > b.layers.size();
  });
  return std::move(groups_);
}

}  // namespace xsp::bound
