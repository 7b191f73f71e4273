#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analysis/export/exported_spans.h"
#include "analysis/export/json_text.h"
#include "analysis/export/kernel_stacks.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/track_lanes.h"
#include "analysis/study/process_labels.h"
#include "analysis/tables/kernel_tables.h"

namespace xsp::analysis {
namespace {

/// Names of frames are written behind the profiles, once all are known.
class SpeedscopeExport {
 public:
  SpeedscopeExport(const AnalysedTrace& analysed, ByteSink* sink)
      : spans_(analysed), trace_(analysed.trace), sink_(sink), span_frames_(trace_.strings.size() * 2, kNoFrame) {}

  void write() {
    sink_->write(
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"xsp\",\"name\":\"xsp\"");
    sink_->write(",\"activeProfileIndex\":0,\"profiles\":[");
    write_models();
    for (const ExportedTrack& track : spans_.tracks()) {
      const std::span<const Row> rows = spans_.rows(track);
      const TrackLanes lanes = find_lanes(trace_.spans, rows, track.what == ExportedTrack::What::kThread);
      const LaneRows lane_rows(rows, lanes);
      for (uint32_t lane = 0; lane < lanes.count && !sink_->failed(); ++lane) {
        write_lane(track, lane_rows.of(lane), lane);
      }
    }
    sink_->write("\n],\"shared\":{\"frames\":[");
    for (size_t i = 0; i < frames_.size() && !sink_->failed(); ++i) {
      line_ = i == 0 ? "\n{\"name\":" : ",\n{\"name\":";
      append_json_string(frames_[i], &line_);
      line_ += '}';
      sink_->write(line_);
    }
    sink_->write("\n]}}\n");
  }

 private:
  static constexpr uint32_t kNoFrame = UINT32_MAX;

  /// Sums by layer, call and kernel, or by layer in a trace without kernels.
  void write_models() {
    const Study& study = *spans_.analysed().study;
    const bool of_kernels = has_kernels(trace_);
    StackFrames frames(study);
    for (const ModelStacks& model : kernel_stacks(study)) {
      std::string samples;
      std::string weights;
      RoundedSum sum;
      int64_t total = 0;
      for (const StackSample& sample : model.samples) {
        if (of_kernels == (sample.kernel == 0)) continue;
        const int64_t ns = sum.add(of_kernels ? sample.gpu_ns : sample.layer_ns);
        if (ns == 0) continue;
        total += ns;
        if (!weights.empty()) weights += ',';
        append_integer(ns, &weights);
        samples += samples.empty() ? "[" : ",[";
        for (const std::string& frame : frames.of(model, sample, true)) {
          append_unsigned(frame_of(frame), &samples);
          samples += ',';
        }
        samples.back() = ']';
      }
      if (weights.empty()) continue;
      begin_profile("sampled", model.label, 0, total);
      sink_->write(line_ + ",\"samples\":[" + samples + "],\"weights\":[" + weights + "]}");
    }
  }

  void begin_profile(std::string_view type, std::string_view name, int64_t begin, int64_t end) {
    line_ = has_profiles_ ? ",\n{\"type\":\"" : "\n{\"type\":\"";
    has_profiles_ = true;
    line_ += type;
    line_ += "\",\"name\":";
    append_json_string(name, &line_);
    line_ += ",\"unit\":\"nanoseconds\",\"startValue\":";
    append_integer(begin, &line_);
    line_ += ",\"endValue\":";
    append_integer(end, &line_);
  }

  void write_lane(const ExportedTrack& track, std::span<const Row> rows, uint32_t lane) {
    int64_t begin = std::numeric_limits<int64_t>::max();
    int64_t end = 0;
    for (const Row row : rows) {
      const ExportedSpan span = spans_.of(row);
      begin = std::min(begin, span.begin - spans_.begin_ns());
      end = std::max(end, span.end - spans_.begin_ns());
    }
    std::string name = spans_.process_label(track.process) + ", ";
    if (track.what != ExportedTrack::What::kThread) name += "GPU " + std::to_string(track.queue.device) + ", ";
    name += spans_.track_label(track);
    begin_profile("evented", lane == 0 ? name : name + " (overlapping " + std::to_string(lane) + ")", begin, end);
    sink_->write(line_ + ",\"events\":[");
    bool has_events = false;
    const auto write_event = [&](char type, uint32_t frame, int64_t ns) {
      line_ = has_events ? ",\n{\"type\":\"" : "\n{\"type\":\"";
      has_events = true;
      line_ += type;
      line_ += "\",\"frame\":";
      append_unsigned(frame, &line_);
      line_ += ",\"at\":";
      append_integer(ns - spans_.begin_ns(), &line_);
      line_ += '}';
      sink_->write(line_);
    };
    walk_nested(
        trace_.spans, rows, [&](Row row) { write_event('O', span_frame(row), spans_.of(row).begin); },
        [&](Row row) { write_event('C', span_frame(row), spans_.of(row).end); });
    sink_->write("]}");
  }

  uint32_t span_frame(Row row) {
    const bool is_kernel = trace_.spans.kind[row] == Kind::kKernel;
    uint32_t& frame = span_frames_[size_t{trace_.spans.name[row]} * 2 + (is_kernel ? 1 : 0)];
    if (frame == kNoFrame) frame = frame_of(spans_.name(row));
    return frame;
  }

  uint32_t frame_of(std::string_view name) {
    const auto [found, added] = numbers_.try_emplace(std::string(name), static_cast<uint32_t>(frames_.size()));
    if (added) frames_.push_back(found->first);
    return found->second;
  }

  ExportedSpans spans_;
  const Trace& trace_;
  ByteSink* sink_;
  std::vector<uint32_t> span_frames_;  // by string id, and whether of a kernel
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string_view> frames_;
  std::string line_;
  bool has_profiles_ = false;
};

}  // namespace

Status write_speedscope(const ExportInput& input, ByteSink* sink) {
  SpeedscopeExport(input.analysed, sink).write();
  return {};
}

}  // namespace xsp::analysis
