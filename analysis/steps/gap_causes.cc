#include "analysis/steps/gap_causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/timeline/model_spans.h"

namespace xsp::analysis {
namespace {

enum Depth : uint8_t { kCall, kLayer, kAnnotation, kDepths };

struct Piece {
  TimeInterval time;
  uint32_t name = 0;  // string id
};

class CauseSearch {
 public:
  CauseSearch(const Trace& trace, const Evaluations& evaluations) : trace_(trace), evaluations_(evaluations) {}

  void add(const DeviceGaps& of) {
    std::array<std::vector<Piece>, kDepths> pieces;
    for (Row row = 0; row < trace_.spans.size(); ++row) {
      if (trace_.process_of(row) != of.process) continue;
      if (const auto depth = depth_of(row)) cut(row, of.gaps, &pieces[*depth]);
    }
    TimeIntervals told;
    for (auto& of_depth : pieces) {
      cut_overlaps(&of_depth);
      OverlapCursor before(told);
      TimeIntervals here;
      for (const Piece& piece : of_depth) {
        const int64_t left = piece.time.end - piece.time.begin - before.overlap(piece.time);
        if (left > 0) ns_of_[piece.name] += left;
        here.push_back(piece.time);
      }
      here.insert(here.end(), told.begin(), told.end());
      told = united(std::move(here));
    }
  }

  std::vector<GapCause> causes() const {
    std::vector<GapCause> causes;
    for (const auto& [name, ns] : ns_of_) causes.push_back({std::string(trace_.text(name)), ns});
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
    return causes;
  }

 private:
  std::optional<Depth> depth_of(Row row) const {
    switch (trace_.spans.level[row]) {
      case Level::kRuntime:
        return kCall;
      case Level::kLayer:
        return evaluations_.number[row] == kNoNumber ? std::nullopt : std::optional(kLayer);
      case Level::kApplication:
        break;
      default:
        return {};
    }
    const bool is_mark = trace_.spans.kind[row] != Kind::kAnnotation || evaluations_.number[row] != kNoNumber ||
                         is_step_name(trace_.text(trace_.spans.name[row]));
    return is_mark ? std::nullopt : std::optional(kAnnotation);
  }

  /// What of a span lies in gaps.
  void cut(Row row, const TimeIntervals& gaps, std::vector<Piece>* pieces) const {
    const TimeInterval span{trace_.spans.begin[row], trace_.spans.end[row]};
    auto gap = std::partition_point(gaps.begin(), gaps.end(), [&](const auto& g) { return g.end <= span.begin; });
    for (; gap != gaps.end() && gap->begin < span.end; ++gap) {
      const TimeInterval part{std::max(gap->begin, span.begin), std::min(gap->end, span.end)};
      const bool is_layer = trace_.spans.level[row] == Level::kLayer;
      if (part.begin < part.end) pieces->push_back({part, is_layer ? trace_.layer_name(row) : trace_.spans.name[row]});
    }
  }

  /// What begins first keeps its time: the outermost of nested spans.
  static void cut_overlaps(std::vector<Piece>* pieces) {
    std::stable_sort(pieces->begin(), pieces->end(),
                     [](const Piece& a, const Piece& b) { return a.time.begin < b.time.begin; });
    int64_t until = INT64_MIN;
    for (Piece& piece : *pieces) {
      piece.time.begin = std::max(piece.time.begin, until);
      until = std::max(until, piece.time.end);
    }
    std::erase_if(*pieces, [](const Piece& piece) { return piece.time.end <= piece.time.begin; });
  }

  const Trace& trace_;
  const Evaluations& evaluations_;
  std::map<uint32_t, int64_t> ns_of_;
};

}  // namespace

std::vector<GapCause> causes_of_gaps(const Trace& trace, const Evaluations& evaluations,
                                     const std::vector<DeviceGaps>& gaps) {
  CauseSearch search(trace, evaluations);
  for (const DeviceGaps& of_device : gaps) search.add(of_device);
  return search.causes();
}

}  // namespace xsp::analysis
