#include "analysis/study/level_picture.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/timeline/joined_kernels.h"
#include "analysis/timeline/majority.h"

namespace xsp::analysis {
namespace {

/// An event of one evaluation.
struct Event {
  Row row = kNoRow;
  uint32_t layer = kNoPlace;  // ordinal of the layer that it is or lies in
  Row enclosing = kNoRow;     // the library call that it lies in
};
using Sequence = std::vector<Event>;

class Drawing {
 public:
  Drawing(const Study& study, const LevelProfile& profile)
      : study_(study), spans_(study.trace.spans), deepest_(profile.set.deepest), evaluations_(profile.evaluations()) {}

  LevelPicture draw(size_t most) {
    if (evaluations_.empty()) return {};
    std::vector<double> latencies = evaluation_latencies(study_, evaluations_);
    picture_.bars.push_back({.level = Level::kModel,
                             .name = spans_.name[root(evaluations_.front())],
                             .latency_ns = evaluate(study_.options.statistic, latencies)});
    const auto& calls = study_.library_calls.calls;
    for (uint32_t i = 0; i < calls.size(); ++i) {
      if (calls[i].evaluation != kNoEvaluation) calls_in_[calls[i].evaluation].push_back(i);
    }
    for (const Level level : {Level::kLayer, Level::kLibrary, Level::kDevice}) {
      if (level > deepest_ || !draw_level(level, most)) break;
    }
    find_parents();
    put_in_order();
    return std::move(picture_);
  }

 private:
  Row root(uint32_t evaluation) const { return study_.evaluations.root[evaluation]; }

  Sequence events_of(Level level, uint32_t evaluation) const {
    switch (level) {
      case Level::kLayer:
        return layers_of(evaluation);
      case Level::kLibrary:
        return calls_of(evaluation);
      default:
        return kernels_of(evaluation);
    }
  }

  Sequence layers_of(uint32_t evaluation) const {
    Sequence events;
    for (uint32_t i = 0; i < study_.evaluations.layer_count(evaluation); ++i) {
      events.push_back({study_.evaluations.layer(evaluation, i), i});
    }
    return events;
  }

  Sequence calls_of(uint32_t evaluation) const {
    Sequence events;
    const auto found = calls_in_.find(evaluation);
    if (found == calls_in_.end()) return events;
    const auto& calls = study_.library_calls.calls;
    for (const uint32_t number : found->second) {
      const LibraryCall& call = calls[number];
      events.push_back({call.row, call.layer_ordinal, call.enclosing == kNoCall ? kNoRow : calls[call.enclosing].row});
    }
    return events;
  }

  /// By layer, then in order of launch: kernels of several streams come in another order each time.
  Sequence kernels_of(uint32_t evaluation) const {
    const Executions& executions = study_.executions;
    Sequence events;
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (!is_executed(study_.trace, execution, Executed::kKernels)) continue;
      const PlacedExecution& placed = executions.placed[execution];
      events.push_back({study_.trace.executions.row[execution], placed.layer_ordinal, placed.library_call});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.layer < b.layer; });
    return events;
  }

  /// Adds the events of a level, joined place by place over the evaluations with their most frequent sequence. Deeper
  /// levels are joined over no others, so that some evaluation has all that is drawn. False when they are too many.
  bool draw_level(Level level, size_t most) {
    std::vector<Sequence> sequences;
    sequences.reserve(evaluations_.size());
    for (const uint32_t evaluation : evaluations_) sequences.push_back(events_of(level, evaluation));
    const Majority majority = find_majority(
        sequences.size(), [&](size_t i) { return sequences[i].size(); },
        [&](size_t i, size_t place) {
          const Event& event = sequences[i][place];
          return std::array{event.layer, spans_.name[event.row], spans_.type[event.row]};
        });
    const Sequence& first = sequences[majority.chosen.front()];
    if (picture_.bars.size() + first.size() > most) {
      picture_.left_out = level;
      return false;
    }
    picture_.diverging += majority.diverging;
    std::vector<double> begins;
    std::vector<double> latencies;
    for (size_t place = 0; place < first.size(); ++place) {
      begins.clear();
      latencies.clear();
      for (const size_t i : majority.chosen) {
        const Row row = sequences[i][place].row;
        begins.push_back(static_cast<double>(spans_.begin[row] - spans_.begin[root(evaluations_[i])]));
        latencies.push_back(static_cast<double>(spans_.duration(row)));
      }
      picture_.bars.push_back({.level = level,
                               .layer = first[place].layer,
                               .name = spans_.name[first[place].row],
                               .begin_ns = evaluate(study_.options.statistic, begins),
                               .latency_ns = evaluate(study_.options.statistic, latencies)});
    }
    std::vector<uint32_t> chosen;
    for (const size_t i : majority.chosen) chosen.push_back(evaluations_[i]);
    evaluations_ = std::move(chosen);
    drawn_.push_back(level);
    return true;
  }

  /// Of an evaluation that has all that is drawn: the call around an event, else the layer, else the model.
  void find_parents() {
    std::unordered_map<Row, uint32_t> bar_of;
    const size_t layers = drawn_.empty() ? 0 : study_.evaluations.layer_count(evaluations_.front());
    uint32_t bar = 1;
    for (const Level level : drawn_) {
      for (const Event& event : events_of(level, evaluations_.front())) {
        bar_of.emplace(event.row, bar);
        const auto enclosing = event.enclosing == kNoRow ? bar_of.end() : bar_of.find(event.enclosing);
        uint32_t& parent = picture_.bars[bar++].parent;
        if (enclosing != bar_of.end()) {
          parent = enclosing->second;
        } else {
          parent = level != Level::kLayer && event.layer < layers ? 1 + event.layer : 0;
        }
      }
    }
  }

  /// Parents before children, those of one parent in order of begin.
  void put_in_order() {
    std::vector<LevelBar>& bars = picture_.bars;
    std::vector<std::vector<uint32_t>> children(bars.size());
    for (uint32_t i = 1; i < bars.size(); ++i) children[bars[i].parent].push_back(i);
    for (auto& siblings : children) {
      std::stable_sort(siblings.begin(), siblings.end(),
                       [&](uint32_t a, uint32_t b) { return bars[a].begin_ns < bars[b].begin_ns; });
    }
    std::vector<LevelBar> ordered;
    ordered.reserve(bars.size());
    struct Waiting {
      uint32_t bar;
      uint32_t parent;  // in `ordered`
    };
    std::vector<Waiting> waiting = {{0, kNoPlace}};
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      const auto place = static_cast<uint32_t>(ordered.size());
      ordered.push_back(bars[next.bar]);
      ordered.back().parent = next.parent;
      const auto& inside = children[next.bar];
      for (auto child = inside.rbegin(); child != inside.rend(); ++child) waiting.push_back({*child, place});
    }
    bars = std::move(ordered);
  }

  const Study& study_;
  const SpanTable& spans_;
  Level deepest_;
  std::vector<uint32_t> evaluations_;  // that have all that is drawn so far
  std::unordered_map<uint32_t, std::vector<uint32_t>> calls_in_;
  std::vector<Level> drawn_;
  LevelPicture picture_;
};

}  // namespace

LevelPicture picture_of(const Study& study, const LevelProfile& profile, size_t most) {
  return Drawing(study, profile).draw(most);
}

}  // namespace xsp::analysis
