#include "analysis/lanes/timeline_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "analysis/lanes/slice_facets.h"
#include "analysis/lanes/timeline_lanes.h"
#include "analysis/lanes/timeline_slices.h"
#include "analysis/lanes/timeline_texts.h"
#include "analysis/render/text_encoding.h"

namespace xsp::analysis {
namespace {

using Json = nlohmann::ordered_json;

/// A JSON array of integers, written as it grows.
class NumberColumn {
 public:
  void add(int64_t value) {
    char text[24];
    const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
    static_cast<void>(failure);
    if (!numbers_.empty()) numbers_ += ',';
    numbers_.append(text, end);
    any_ |= value != kNone;
  }
  std::string text() const { return "[" + numbers_ + "]"; }
  bool has_any() const { return any_; }

  static constexpr int64_t kNone = -1;

 private:
  std::string numbers_;
  bool any_ = false;  // another value than kNone
};

/// What shares a clock and a timeline: a segment of a trace with spans. Runs of a set follow one another, and imported
/// profiles of several machines have clocks of their own.
struct Part {
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
        facets_(find_facets(analysed, slices_)),
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
    for (Part& part : parts_) part.bins = {.begin = INT64_MAX, .end = INT64_MIN};
    lanes_.for_each_span([&](Row row, uint32_t lane) {
      TimelineBins& bins = parts_[part_of_lane_[lane]].bins;
      bins.begin = std::min(bins.begin, trace_.spans.begin[row]);
      bins.end = std::max(bins.end, trace_.spans.end[row]);
    });
    constexpr size_t kMostBins = 2048;
    constexpr size_t kAllBins = 4 << 20;  // of all lanes, so that many threads do not take the memory
    const size_t most = std::clamp<size_t>(kAllBins / std::max<size_t>(lanes.size(), 1), 16, kMostBins);
    for (Part& part : parts_) {
      TimelineBins& bins = part.bins;
      const int64_t length = std::max<int64_t>(bins.end - bins.begin, 1);
      bins.width = (length - 1) / static_cast<int64_t>(most) + 1;
      bins.count = static_cast<size_t>((length - 1) / bins.width) + 1;
    }
  }

  /// "run 3 (level layer, batch=4)", "trace.pb", of several in a file "trace.pb #2".
  std::string part_label(const Part& part) const {
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
    for (const Part& part : parts_) {
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
          drawn_ns += trace_.spans.duration(slices_.row[j]);
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

  /// The innermost span around a slice that is drawn singly; of an execution its launch, or nothing.
  uint32_t parent_of(Row row) const {
    constexpr int kMaxDepth = 1000;
    const bool of_device = trace_.spans.level[row] == Level::kDevice;
    Row parent = analysed_.parents.of[row];
    for (int depth = 0; !of_device && parent != kNoRow && !slices_.is_drawn[parent] && depth < kMaxDepth; ++depth) {
      parent = analysed_.parents.of[parent];
    }
    return parent == kNoRow || !slices_.is_drawn[parent] ? kNoFacet : slices_.slice_of_row(parent);
  }

  std::string slice_columns() {
    const SpanTable& spans = trace_.spans;
    NumberColumn gap;  // behind the end of the one before in the row; of the first behind the part's begin
    NumberColumn duration;
    NumberColumn name;
    NumberColumn parent;  // how many slices before; 0: none
    NumberColumn kind;
    NumberColumn detail;
    NumberColumn type;
    NumberColumn layer;
    NumberColumn execution;
    NumberColumn call;
    NumberColumn evaluation;
    NumberColumn launched_slice;  // slices whose launch is not drawn singly, and how long before them it began
    NumberColumn launched_ns;
    const auto value = [](uint32_t of) { return of == UINT32_MAX ? NumberColumn::kNone : static_cast<int64_t>(of); };
    uint32_t last_launched = 0;
    for (uint32_t lane = 0; lane < lanes_.lanes().size(); ++lane) {
      const LaneKind lane_kind = lanes_.lanes()[lane].kind;
      const int64_t begin = parts_[part_of_lane_[lane]].bins.begin;
      for (uint32_t lane_row = slices_.first_row[lane]; lane_row < slices_.first_row[lane + 1]; ++lane_row) {
        int64_t last = begin;
        for (size_t i = slices_.first_of_row[lane_row]; i < slices_.first_of_row[lane_row + 1]; ++i) {
          const Row row = slices_.row[i];
          gap.add(spans.begin[row] - last);
          last = spans.end[row];
          duration.add(spans.duration(row));
          name.add(spans.kind[row] == Kind::kKernel ? texts_.of_kernel(spans.name[row]) : texts_.of(spans.name[row]));
          const uint32_t above = parent_of(row);
          parent.add(above == kNoFacet ? 0 : static_cast<int64_t>(i) - above);
          kind.add(static_cast<int64_t>(spans.kind[row]));
          const bool of_library = lane_kind == LaneKind::kLibrary || lane_kind == LaneKind::kRuntime;
          detail.add(texts_.of(of_library ? spans.type[row] : spans.shape[row]));
          type.add(lane_kind == LaneKind::kLayer ? texts_.of_type(spans.type[row]) : NumberColumn::kNone);
          layer.add(value(facets_[i].layer));
          execution.add(value(facets_[i].execution));
          call.add(value(facets_[i].call));
          evaluation.add(value(facets_[i].evaluation));
          const Row launch = analysed_.parents.of[row];
          if (spans.level[row] == Level::kDevice && launch != kNoRow && above == kNoFacet) {
            launched_slice.add(static_cast<int64_t>(i) - last_launched);
            launched_ns.add(spans.begin[row] - spans.begin[launch]);
            last_launched = static_cast<uint32_t>(i);
          }
        }
      }
    }
    std::string out = "{\"count\":" + std::to_string(slices_.size());
    const auto add = [&](const char* column, const NumberColumn& numbers) {
      if (numbers.has_any()) out += fmt::format(",\n\"{}\":{}", column, numbers.text());
    };
    add("gap", gap);
    add("duration", duration);
    add("name", name);
    add("parent", parent);
    add("kind", kind);
    add("detail", detail);
    add("type", type);
    add("layer", layer);
    add("execution", execution);
    add("call", call);
    add("evaluation", evaluation);
    add("launched", launched_slice);
    add("launched_ns", launched_ns);
    return out + "}";
  }

  const AnalysedTrace& analysed_;
  const Trace& trace_;
  TimelineLanes lanes_;
  TimelineSlices slices_;
  std::vector<SliceFacets> facets_;
  TimelineTexts texts_;
  std::vector<Part> parts_;
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
