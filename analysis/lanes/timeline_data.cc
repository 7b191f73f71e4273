#include "analysis/lanes/timeline_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/lanes/number_column.h"
#include "analysis/lanes/slice_columns.h"
#include "analysis/lanes/timeline_lanes.h"
#include "analysis/lanes/timeline_slices.h"
#include "analysis/lanes/timeline_texts.h"
#include "analysis/study/process_labels.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

using Json = nlohmann::ordered_json;

/// What shares a clock and a timeline: a segment of a trace with spans. Runs of a set follow one another, and imported
/// profiles of several machines have clocks of their own.
struct TimelinePart {
  uint32_t segment = 0;
  uint32_t first_lane = 0;
  uint32_t end_lane = 0;
  TimelineBins bins;
};

class TimelineWriter {
 public:
  TimelineWriter(const AnalysedTrace& analysed, const TimelineLimits& limits)
      : analysed_(analysed),
        trace_(analysed.trace),
        lanes_(analysed),
        slices_(choose_slices(trace_, lanes_, limits.slices)),
        texts_(trace_) {}

  std::string write() {
    find_parts();
    shades_ = shade_lanes(trace_, lanes_, slices_,
                          [&](uint32_t lane) -> const TimelineBins& { return parts_[part_of_lane_[lane]].bins; });
    const std::string slices = slice_columns();  // before the texts
    const Json labels = processes();             // before the lanes
    std::string out = "{\"parts\":" + parts().dump() + ",\n\"start_part\":" + std::to_string(start_part()) +
                      ",\n\"processes\":" + labels.dump() + ",\n\"lanes\":[" + lane_list() + "],\n";
    out += fmt::format(
        "\"spans\":{},\"runtime_calls\":{},\"cut_texts\":{},\"evaluations\":{{\"count\":{},\"root\":{}}},\n",
        trace_.spans.size(), shows_runtime_calls(*analysed_.study), texts_.cut(), analysed_.evaluations.root.size(),
        roots());
    out += iterations();
    return out + "\"slices\":" + slices + ",\n\"texts\":[" + texts_.elements() + "]}";
  }

 private:
  void find_parts() {
    const auto& lanes = lanes_.lanes();
    for (uint32_t i = 0; i < lanes.size(); ++i) {
      const uint32_t segment = trace_.processes[lanes[i].process].segment;
      if (parts_.empty() || parts_.back().segment != segment) parts_.push_back({.segment = segment, .first_lane = i});
      parts_.back().end_lane = i + 1;
      part_of_lane_.push_back(static_cast<uint32_t>(parts_.size() - 1));
    }
    for (TimelinePart& part : parts_) part.bins = {.begin = INT64_MAX, .end = INT64_MIN};
    lanes_.for_each_span([&](Row row, uint32_t lane) {
      TimelineBins& bins = parts_[part_of_lane_[lane]].bins;
      bins.begin = std::min(bins.begin, trace_.spans.begin[row]);
      bins.end = std::max(bins.end, trace_.spans.end[row]);
    });
    constexpr size_t kMostBins = 2048;
    constexpr size_t kAllBins = 4 << 20;  // of all lanes, so that many threads do not use up the memory
    const size_t most = std::clamp<size_t>(kAllBins / std::max<size_t>(lanes.size(), 1), 16, kMostBins);
    for (TimelinePart& part : parts_) {
      TimelineBins& bins = part.bins;
      const int64_t length = std::max<int64_t>(bins.end - bins.begin, 1);
      bins.width = (length - 1) / static_cast<int64_t>(most) + 1;
      bins.count = static_cast<size_t>((length - 1) / bins.width) + 1;
    }
  }

  /// "run 3 (level layer, batch=4)", "trace.pb", of several in a file "trace.pb #2".
  std::string part_label(const TimelinePart& part) const {
    const Segment& segment = trace_.segments[part.segment];
    if (segment.run) {
      std::string more = segment.requested_level.empty() ? "" : "level " + segment.requested_level;
      const std::string point = point_label(*segment.run);
      if (!point.empty()) more += (more.empty() ? "" : ", ") + point;
      return "run " + std::to_string(segment.run->index) + (more.empty() ? "" : " (" + more + ")");
    }
    const std::string& path = trace_.files[segment.file].path;
    std::string label = path.substr(path.rfind('/') + 1);
    size_t number = 1;
    size_t count = 0;
    for (uint32_t i = 0; i < trace_.segments.size(); ++i) {
      if (trace_.segments[i].file != segment.file) continue;
      ++count;
      if (i < part.segment) ++number;
    }
    return count < 2 ? label : label + " #" + std::to_string(number);
  }

  Json parts() const {
    Json list = Json::array();
    for (const TimelinePart& part : parts_) {
      list.push_back({{"label", valid_utf8(part_label(part))},
                      {"begin_ns", std::to_string(part.bins.begin)},
                      {"length", part.bins.end - part.bins.begin},
                      {"bin", part.bins.width},
                      {"lanes", {part.first_lane, part.end_lane}}});
    }
    return list;
  }

  /// The one that has the kernels of the tables, else their layers, else their models.
  size_t start_part() const {
    const Study& study = *analysed_.study;
    for (const auto* evaluations : {&study.kernels.evaluations, &study.joined.joined, &study.used}) {
      if (evaluations->empty()) continue;
      const uint32_t process = trace_.process_of(analysed_.evaluations.root[evaluations->front()]);
      for (size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i].segment == trace_.processes[process].segment) return i;
      }
    }
    return 0;
  }

  /// Those with lanes; a lane names its place in the list.
  Json processes() {
    Json list = Json::array();
    for (const Lane& lane : lanes_.lanes()) {
      if (process_number_.empty() || last_process_ != lane.process) {
        list.push_back(valid_utf8(process_label(trace_, lane.process)));
      }
      last_process_ = lane.process;
      process_number_.push_back(list.size() - 1);
    }
    return list;
  }

  std::string lane_list() const {
    std::string list;
    for (uint32_t i = 0; i < lanes_.lanes().size(); ++i) {
      const Lane& lane = lanes_.lanes()[i];
      const bool of_stream = lane.kind >= LaneKind::kStream;
      NumberColumn rows;
      int64_t drawn_ns = 0;
      for (uint32_t row = slices_.first_row[i]; row < slices_.first_row[i + 1]; ++row) {
        rows.add(static_cast<int64_t>(slices_.first_of_row[row + 1] - slices_.first_of_row[row]));
        for (size_t j = slices_.first_of_row[row]; j < slices_.first_of_row[row + 1]; ++j) {
          drawn_ns = sum_of_times(drawn_ns, trace_.spans.duration(slices_.row[j]));
        }
      }
      list += i == 0 ? "\n" : ",\n";
      list += fmt::format("{{\"process\":{},\"kind\":\"{}\",", process_number_[i],
                          kLaneKindNames[static_cast<size_t>(lane.kind)]);
      list += of_stream ? fmt::format("\"device\":{},\"stream\":{},", lane.device, lane.stream)
                        : fmt::format("\"thread\":{},", lane.thread);
      list +=
          fmt::format("\"spans\":{},\"ns\":{},\"drawn_ns\":{},\"rows\":{}", lane.spans, lane.ns, drawn_ns, rows.text());
      if (shades_[i].spans != 0) list += shade(shades_[i]);
      list += "}";
    }
    return list;
  }

  /// Bins with time: how many lie between one and the one before, and ns.
  static std::string shade(const LaneShade& shade) {
    NumberColumn bins;
    NumberColumn ns;
    size_t next = 0;
    for (size_t bin = 0; bin < shade.ns.size(); ++bin) {
      if (shade.ns[bin] == 0) continue;
      bins.add(static_cast<int64_t>(bin - next));
      ns.add(shade.ns[bin]);
      next = bin + 1;
    }
    return fmt::format(",\"shaded\":{},\"shade_bins\":{},\"shade_ns\":{}", shade.spans, bins.text(), ns.text());
  }

  std::string roots() const {
    NumberColumn roots;
    for (const Row row : analysed_.evaluations.root) {
      if (slices_.is_drawn[row]) roots.add(slices_.slice_of_row(row));
    }
    return roots.text();
  }

  /// Where the times of D1 count from, if there is a D1: which part, and how far behind its begin.
  std::string iterations() const {
    const auto& found = analysed_.study->iterations;
    if (!found || found->loops.loops.empty()) return {};
    const Row first = found->operations.row(0);
    const uint32_t segment = trace_.processes[found->operations.process].segment;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].segment != segment) continue;
      return fmt::format("\"iterations\":{{\"part\":{},\"begin\":{}}},\n", i,
                         trace_.spans.begin[first] - parts_[i].bins.begin);
    }
    return {};
  }

  std::string slice_columns() {
    SliceColumns columns(analysed_, slices_, &texts_);
    for (uint32_t i = 0; i < lanes_.lanes().size(); ++i) {
      columns.add_lane(lanes_.lanes()[i], i, parts_[part_of_lane_[i]].bins.begin);
    }
    return columns.json();
  }

  const AnalysedTrace& analysed_;
  const Trace& trace_;
  TimelineLanes lanes_;
  TimelineSlices slices_;
  TimelineTexts texts_;
  std::vector<TimelinePart> parts_;
  std::vector<uint32_t> part_of_lane_;
  std::vector<LaneShade> shades_;
  std::vector<size_t> process_number_;  // by lane
  uint32_t last_process_ = 0;
};

}  // namespace

std::string timeline_json(const AnalysedTrace& analysed, const TimelineLimits& limits) {
  return TimelineWriter(analysed, limits).write();
}

}  // namespace xsp::analysis
