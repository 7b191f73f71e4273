#include "bound/joining/fused_join.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bound/joining/fused_types.h"

namespace xsp::bound {
namespace {

constexpr int kMostRounds = 6;

class FusedJoin {
 public:
  FusedJoin(const JoinSubject& subject, LayerJoin* join) : subject_(subject), join_(*join) {
    for (size_t i = 0; i < join_.traced(); ++i) {
      const std::string_view family = subject.traced[i].family.name;
      if (!join_.is_joined(i)) left_[family].push_back(i);
      if (const Composite* composite = composite_of(family); composite != nullptr && can_have_parts(i, *composite))
        composites_[composite].push_back(i);
    }
  }

  void run() {
    // What may be a layer of its own stays free, also when its neighbours have become parts of something.
    join_.find_windows();
    is_awaited_.resize(join_.modelled());
    for (size_t i = 0; i < join_.modelled(); ++i)
      is_awaited_[i] = is_open(i) && has_left(subject_.modelled[i].family.name, i);
    for (int round = 0; round < kMostRounds && join_parts(); ++round) {
    }
    for (const auto& [composite, places] : composites_)
      for (const size_t traced : places) keep_connected(traced, *composite);
    // Towards the end what an operator computed further; then, towards the beginning, what it did before.
    join_.find_windows();
    for (size_t i = 0; i < join_.modelled(); ++i)
      if (is_open(i)) join_after(i);
    join_.find_windows();
    for (size_t i = join_.modelled(); i-- > 0;)
      if (is_open(i)) join_before(i);
    join_light();
  }

 private:
  bool is_open(size_t layer) const { return join_.is_free(layer) && subject_.modelled[layer].has_work; }

  /// Not one that has the whole operator already, such as a LayerNormalization.
  bool can_have_parts(size_t traced, const Composite& composite) const {
    return std::ranges::none_of(join_.traced(traced).layers,
                                [&](size_t layer) { return subject_.modelled[layer].family.name == composite.family; });
  }

  /// The only one of `places` within the window of a layer; nothing where there are several or none.
  std::optional<size_t> only_one(const std::vector<size_t>& places, size_t layer, size_t* count) const {
    const auto first = std::ranges::lower_bound(places, join_.first_place(layer), {}, as_place);
    const auto end = std::ranges::upper_bound(places, join_.last_place(layer), {}, as_place);
    *count += first < end ? static_cast<size_t>(end - first) : 0;
    return first < end ? std::optional(*first) : std::nullopt;
  }
  static int64_t as_place(size_t place) { return static_cast<int64_t>(place); }

  /// Gives parts to composites. Whether any was given.
  bool join_parts() {
    join_.find_windows();
    bool is_any = false;
    for (size_t i = 0; i < join_.modelled(); ++i) {
      if (!is_open(i)) continue;
      const std::string_view family = subject_.modelled[i].family.name;
      if (is_awaited_[i]) continue;
      std::optional<size_t> owner;
      size_t count = 0;
      for (const auto& [composite, places] : composites_) {
        if (!has_word(composite->parts, family)) continue;
        if (const auto found = only_one(places, i, &count)) owner = found;
      }
      if (count != 1) continue;
      join_.give(i, *owner, JoinedBy::kSequence);
      is_any = true;
    }
    return is_any;
  }

  /// A layer of its own in the trace that did not join and may be this one.
  bool has_left(std::string_view family, size_t layer) const {
    const auto found = left_.find(family);
    if (found == left_.end() || composite_of(family) != nullptr) return false;
    return std::ranges::any_of(
        found->second, [&](size_t traced) { return !join_.is_joined(traced) && join_.could_run_at(layer, traced); });
  }

  /// Of a composite that got its parts here: those that hang together with what makes it what it is, which others may
  /// have taken away.
  void keep_connected(size_t traced, const Composite& composite) {
    std::vector<size_t> open;
    const std::vector<size_t> owned = join_.traced(traced).layers;
    for (const size_t layer : owned)
      if (has_word(composite.core, subject_.modelled[layer].family.name)) open.push_back(layer);
    std::unordered_set<size_t> seen(open.begin(), open.end());
    const auto visit = [&](size_t layer) {
      const bool is_way = join_.owner(layer) == traced || (!subject_.modelled[layer].has_work && !is_constant(layer));
      if (is_way && seen.size() < kMostVisited && seen.insert(layer).second) open.push_back(layer);
    };
    const JoinedBy by = join_.traced(traced).joined_by;
    if (open.empty() && by == JoinedBy::kName) return;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (const size_t producer : join_.producers(at)) visit(producer);
      for (const size_t reader : join_.readers(at)) visit(reader);
    }
    const auto is_kept = [&](size_t layer) { return seen.contains(layer); };
    if (std::ranges::all_of(owned, is_kept)) return;
    join_.take_back(traced);
    for (const size_t layer : owned)
      if (is_kept(layer)) join_.give(layer, traced, by);
  }

  /// The owner, through layers without work, of what a layer reads; kNoLayer where a layer with work is in between.
  size_t source_owner(size_t layer) const {
    for (size_t depth = 0; depth < kDeepest; ++depth) {
      if (!join_.is_free(layer)) return join_.owner(layer);
      if (subject_.modelled[layer].has_work) return kNoLayer;
      size_t above = kNoLayer;
      for (const size_t producer : join_.producers(layer)) {
        if (is_constant(producer)) continue;
        if (above != kNoLayer) return kNoLayer;
        above = producer;
      }
      if (above == kNoLayer) return kNoLayer;
      layer = above;
    }
    return kNoLayer;
  }

  bool is_constant(size_t layer) const { return subject_.modelled[layer].is_constant; }

  bool can_fuse_after(size_t traced, size_t layer) const {
    const TracedEvidence& evidence = subject_.traced[traced];
    const ModelledEvidence& own = subject_.modelled[layer];
    if (const Composite* composite = composite_of(evidence.family.name);
        composite != nullptr && can_have_parts(traced, *composite))
      return has_word(composite->parts, own.family.name) && reads_only_of(traced, layer);
    return can_fuse(subject_.framework, evidence.type, FusedSide::kAfter, own.family.name);
  }

  /// Whether all that a layer reads was computed by a composite, or is read by its other parts, too.
  bool reads_only_of(size_t traced, size_t layer) const {
    const auto is_of_it = [&](size_t at) { return join_.owner(at) == traced; };
    return std::ranges::all_of(join_.producers(layer), [&](size_t producer) {
      return is_constant(producer) || is_of_it(producer) || std::ranges::any_of(join_.readers(producer), is_of_it);
    });
  }

  void join_after(size_t layer) {
    size_t last = kNoLayer;
    for (const size_t producer : join_.producers(layer)) {
      if (is_constant(producer)) continue;
      const size_t owner = source_owner(producer);
      if (owner == kNoLayer) return;  // something that is not known to have run
      if (last == kNoLayer || owner > last) last = owner;
    }
    if (last == kNoLayer || !can_fuse_after(last, layer) || !join_.could_be_part_of(layer, last)) return;
    if (has_left(subject_.modelled[layer].family.name, layer)) return;
    join_.give(layer, last, join_.traced(last).joined_by);
  }

  /// The only reader's owner, through layers without work.
  size_t reader_owner(size_t layer) const {
    size_t only = kNoLayer;
    std::vector<size_t> open = {layer};
    for (size_t steps = 0; !open.empty(); ++steps) {
      if (steps == kDeepest) return kNoLayer;
      const size_t at = open.back();
      open.pop_back();
      for (const size_t reader : join_.readers(at)) {
        if (join_.is_free(reader)) {
          if (subject_.modelled[reader].has_work) return kNoLayer;
          open.push_back(reader);
          continue;
        }
        if (only != kNoLayer && join_.owner(reader) != only) return kNoLayer;
        only = join_.owner(reader);
      }
    }
    return only;
  }

  void join_before(size_t layer) {
    const size_t owner = reader_owner(layer);
    if (owner == kNoLayer || !join_.could_be_part_of(layer, owner)) return;
    const std::string_view family = subject_.modelled[layer].family.name;
    if (!can_fuse(subject_.framework, subject_.traced[owner].type, FusedSide::kBefore, family)) return;
    if (has_left(family, layer)) return;
    join_.give(layer, owner, join_.traced(owner).joined_by);
  }

  /// Layers without work whose readers all have one owner that computed an operand of theirs, too.
  void join_light() {
    for (size_t i = join_.modelled(); i-- > 0;) {
      if (!join_.is_free(i) || subject_.modelled[i].has_work || is_constant(i) || join_.readers(i).empty()) continue;
      const size_t owner = join_.owner(join_.readers(i).front());
      const auto is_owned = [&](size_t layer) { return join_.owner(layer) == owner; };
      if (owner == kNoLayer || !std::ranges::all_of(join_.readers(i), is_owned)) continue;
      if (source_owner(i) == owner) join_.give(i, owner, join_.traced(owner).joined_by);
    }
  }

  static constexpr size_t kDeepest = 64;
  static constexpr size_t kMostVisited = 4096;

  const JoinSubject& subject_;
  LayerJoin& join_;
  std::vector<bool> is_awaited_;  // layers of the model that the trace may have one of its own for
  std::unordered_map<std::string_view, std::vector<size_t>> left_;        // of the trace, by family
  std::unordered_map<const Composite*, std::vector<size_t>> composites_;  // of the trace, in order
};

}  // namespace

void join_biases(const JoinSubject& subject, LayerJoin* join) {
  for (size_t i = 0; i < join->modelled(); ++i) {
    const ModelledEvidence& evidence = subject.modelled[i];
    if (!join->is_free(i) || evidence.family.name != "add" || !evidence.has_one_operand) continue;
    for (const size_t producer : join->producers(i)) {
      if (join->is_free(producer) || subject.modelled[producer].family.name != "matmul") continue;
      const size_t owner = join->owner(producer);
      if (join->readers(producer).size() != 1 || !adds_bias(subject.traced[owner].type)) continue;
      join->give(i, owner, join->traced(owner).joined_by);
      break;
    }
  }
}

void join_fused(const JoinSubject& subject, LayerJoin* join) { FusedJoin(subject, join).run(); }

}  // namespace xsp::bound
