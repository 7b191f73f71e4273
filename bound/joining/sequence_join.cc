#include "bound/joining/sequence_join.h"

#include <algorithm>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline/sequence_alignment.h"

namespace xsp::bound {
namespace {

using analysis::AlignedPlace;
using analysis::Alignment;
using analysis::SequencePlace;

/// What may be the counterpart of one layer of the trace: a layer of the model, or several that together are a
/// normalization or an attention.
struct Unit {
  std::vector<size_t> layers;
  std::string_view family;
  std::string_view general;
  size_t first = 0;  // the layer that reads its operands
  size_t last = 0;   // the layer whose result is the unit's
  SequencePlace place = {};
  bool is_given = false;
};

/// A layer of the trace that is not joined.
struct Left {
  size_t traced = 0;
  SequencePlace place = {};
};

/// Which rules of fusion make what a trace may have as one layer.
std::string_view family_of_rule(std::string_view rule) {
  if (rule == "layernorm" || rule == "add+layernorm") return "layernorm";
  return rule == "attention" ? "attention" : std::string_view();
}

class SequenceJoin {
 public:
  SequenceJoin(const JoinSubject& subject, SequenceOf layers, LayerJoin* join)
      : subject_(subject), layers_(layers), join_(*join) {}

  void run() {
    for (const ShapeOf shape_of : {ShapeOf::kProblem, ShapeOf::kOutput, ShapeOf::kInput, ShapeOf::kNothing}) {
      find_left(shape_of);
      if (left_.empty()) continue;
      join_.find_windows();
      find_units(shape_of);
      drop_doubtful();
      find_segments();
      align();
      // Branches that do not depend on one another may run in any order; without shapes there is too little to tell
      // them apart.
      if (shape_of != ShapeOf::kNothing) join_in_windows();
    }
  }

 private:
  bool is_meant(std::string_view family) const {
    return layers_ == SequenceOf::kHeavy ? is_heavy(family) : !is_light(family);
  }

  /// A number for each text, equal where the texts are.
  uint64_t number_of(const std::string& text) { return numbers_.emplace(text, numbers_.size() + 1).first->second; }

  SequencePlace place_of(std::string_view family, std::string_view general, const std::string& key) {
    return {number_of(std::string(family) + " " + key), number_of("like " + std::string(general) + " " + key)};
  }

  void find_left(ShapeOf shape_of) {
    left_.clear();
    for (size_t i = 0; i < join_.traced(); ++i) {
      const TracedEvidence& evidence = subject_.traced[i];
      if (join_.is_joined(i) || evidence.shape_of != shape_of || !is_meant(evidence.family.name)) continue;
      left_.push_back({i, place_of(evidence.family.name, evidence.family.general, evidence.key)});
      // One that tells its family is no other one under another name; one that does not has no key of its own.
      if (evidence.family.is_general) {
        left_.back().place.key = number_of("only " + std::to_string(i));
      } else {
        left_.back().place.kind = 0;
      }
    }
  }

  void add_unit(Unit unit, ShapeOf shape_of) {
    const size_t at = shape_of == ShapeOf::kInput ? unit.first : unit.last;
    unit.place = place_of(unit.family, unit.general, subject_.modelled[at].keys[static_cast<size_t>(shape_of)]);
    units_.push_back(std::move(unit));
  }

  /// What is free of the model, in the order in which the trace can have run it.
  void find_units(ShapeOf shape_of) {
    units_.clear();
    std::vector<bool> is_in_group(join_.modelled());
    for (const FusedGroup& group : *subject_.groups) {
      const std::string_view family = family_of_rule(group.rule);
      const auto is_taken = [&](size_t layer) { return !join_.is_free(layer) || is_in_group[layer]; };
      if (family.empty() || !is_meant(family) || group.layers.empty() || std::ranges::any_of(group.layers, is_taken))
        continue;
      for (const size_t layer : group.layers) is_in_group[layer] = true;
      add_unit({group.layers, family, family, group.layers.front(), group.layers.back()}, shape_of);
    }
    for (size_t i = 0; i < join_.modelled(); ++i) {
      const ModelledEvidence& evidence = subject_.modelled[i];
      if (!join_.is_free(i) || is_in_group[i] || !evidence.has_work || !is_meant(evidence.family.name)) continue;
      add_unit({{i}, evidence.family.name, evidence.family.general, i, i}, shape_of);
    }
    std::ranges::sort(units_, std::less<>(),
                      [&](const Unit& unit) { return std::tuple(join_.first_place(unit.last), unit.last); });
  }

  /// Where ONNX Runtime's nodes are called after those of the model, what is left of them was made by its optimizer and
  /// may be one thing or another: only what both sides have equally often is known to be the same.
  void drop_doubtful() {
    if (subject_.framework != "onnxruntime") return;
    size_t named = 0;
    for (size_t i = 0; i < join_.traced(); ++i) named += join_.traced(i).joined_by == JoinedBy::kName ? 1 : 0;
    if (2 * named < join_.traced()) return;
    std::unordered_map<uint64_t, int64_t> surplus;
    for (const Left& left : left_) ++surplus[left.place.key];
    for (const Unit& unit : units_) --surplus[unit.place.key];
    std::erase_if(left_, [&](const Left& left) { return surplus[left.place.key] != 0; });
  }

  bool could_be(const Unit& unit, size_t traced) const {
    return join_.could_run_at(unit.first, traced) && join_.could_run_at(unit.last, traced);
  }

  void give(Unit* unit, size_t traced) {
    for (const size_t layer : unit->layers) join_.give(layer, traced, JoinedBy::kSequence);
    unit->is_given = true;
  }

  /// Aligns what lies between two layers of the trace that are joined with what only waited for the first of them.
  void align() {
    size_t unit = 0;
    size_t left = 0;
    while (left < left_.size() && unit < units_.size()) {
      const int64_t after = joined_before_[left_[left].traced];
      size_t left_end = left + 1;
      while (left_end < left_.size() && joined_before_[left_[left_end].traced] == after) ++left_end;
      while (unit < units_.size() && join_.first_place(units_[unit].last) < after) ++unit;
      size_t unit_end = unit;
      while (unit_end < units_.size() && join_.first_place(units_[unit_end].last) == after) ++unit_end;
      align({units_.data() + unit, unit_end - unit}, {left_.data() + left, left_end - left});
      left = left_end;
      unit = unit_end;
    }
  }

  void align(std::span<Unit> units, std::span<const Left> left) {
    std::vector<SequencePlace> modelled, traced;
    for (const Unit& unit : units) modelled.push_back(unit.place);
    for (const Left& one : left) traced.push_back(one.place);
    for (const AlignedPlace& pair : analysis::align_sequences(modelled, traced)) {
      if (pair.how != Alignment::kSame && pair.how != Alignment::kRenamed) continue;
      if (could_be(units[pair.a], left[pair.b].traced)) give(&units[pair.a], left[pair.b].traced);
    }
  }

  /// By layer of the trace, the last one before it that is joined to work of the model; -1: none.
  void find_segments() {
    joined_before_.assign(join_.traced(), -1);
    for (size_t i = 1; i < join_.traced(); ++i)
      joined_before_[i] = has_joined_work(i - 1) ? static_cast<int64_t>(i) - 1 : joined_before_[i - 1];
  }

  bool has_joined_work(size_t traced) const {
    return std::ranges::any_of(join_.traced(traced).layers,
                               [&](size_t layer) { return subject_.modelled[layer].has_work; });
  }

  /// Of what is left, layers of one family and shape that could have run at that place: each gets the one that must
  /// have run first.
  void join_in_windows() {
    std::unordered_map<uint64_t, std::vector<Unit*>> by_key;
    join_.find_windows();
    for (Unit& unit : units_)
      if (!unit.is_given) by_key[unit.place.key].push_back(&unit);
    std::unordered_map<uint64_t, std::vector<size_t>> places;
    for (const Left& left : left_)
      if (!join_.is_joined(left.traced)) places[left.place.key].push_back(left.traced);
    std::vector<size_t> given;
    for (auto& [key, units] : by_key)
      if (const auto found = places.find(key); found != places.end()) join_in_windows(units, found->second, &given);
    join_.find_windows();
    for (const size_t traced : given) {
      const auto& layers = join_.traced(traced).layers;
      if (!std::ranges::all_of(layers, [&](size_t layer) { return is_in_order(layer, traced); }))
        join_.take_back(traced);
    }
  }

  /// Whether what a layer needs ran before it, or is the same layer of the trace.
  bool is_in_order(size_t layer, size_t traced) const {
    return join_.first_place(layer) <= static_cast<int64_t>(traced) &&
           static_cast<int64_t>(traced) <= join_.last_place(layer);
  }

  void join_in_windows(std::vector<Unit*>& units, const std::vector<size_t>& places, std::vector<size_t>* given) {
    const auto first_of = [&](const Unit* unit) { return join_.first_place(unit->last); };
    std::ranges::stable_sort(units, std::less<>(), first_of);
    const auto is_later = [&](const Unit* a, const Unit* b) {
      return std::tuple(join_.last_place(a->last), a->last) > std::tuple(join_.last_place(b->last), b->last);
    };
    std::priority_queue<Unit*, std::vector<Unit*>, decltype(is_later)> ready(is_later);
    size_t next = 0;
    for (const size_t traced : places) {
      while (next < units.size() && first_of(units[next]) < static_cast<int64_t>(traced)) ready.push(units[next++]);
      while (!ready.empty() && join_.last_place(ready.top()->last) <= static_cast<int64_t>(traced)) ready.pop();
      if (ready.empty()) continue;
      Unit* unit = ready.top();
      if (!could_be(*unit, traced)) continue;
      ready.pop();
      give(unit, traced);
      given->push_back(traced);
    }
  }

  const JoinSubject& subject_;
  const SequenceOf layers_;
  LayerJoin& join_;
  std::unordered_map<std::string, uint64_t> numbers_;
  std::vector<Left> left_;
  std::vector<Unit> units_;
  std::vector<int64_t> joined_before_;
};

}  // namespace

void join_by_sequence(const JoinSubject& subject, SequenceOf layers, LayerJoin* join) {
  SequenceJoin(subject, layers, join).run();
}

}  // namespace xsp::bound
