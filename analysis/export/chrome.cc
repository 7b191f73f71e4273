#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/export/exported_spans.h"
#include "analysis/export/json_text.h"
#include "analysis/export/kineto_arguments.h"
#include "analysis/export/kineto_event.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/track_lanes.h"
#include "analysis/study/process_labels.h"
#include "analysis/timeline/model_spans.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

using What = ExportedTrack::What;

/// Where viewers of this format end.
constexpr uint64_t kTooLarge = 200'000'000;
/// Added to a thread or stream for each further lane of it, and to a device for each further process.
constexpr uint64_t kBeyondThreads = 10'000'000;
constexpr uint64_t kBeyondDevices = 1000;

/// Lines of the array of events.
class ChromeExport {
 public:
  ChromeExport(const AnalysedTrace& analysed, ByteSink* sink)
      : spans_(analysed), trace_(analysed.trace), sink_(sink), base_ns_(spans_.begin_ns() / 1000 * 1000) {
    for (const ExportedTrack& track : spans_.tracks()) {
      if (track.what != What::kThread) device_processes_.try_emplace(track.process, device_processes_.size());
    }
    arguments_.emplace(&spans_, device_processes_.size() <= 1);
  }

  void write() {
    write_head();
    for (const ExportedTrack& track : spans_.tracks()) {
      write_track(track);
      if (sink_->failed()) return;
    }
    sink_->write("\n]}\n");
  }

 private:
  void write_head() {
    line_ = "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"traceName\":\"xsp\"";
    if (spans_.is_realtime()) {
      line_ += ",\"baseTimeNanoseconds\":";
      append_integer(base_ns_, &line_);
    }
    append_distribution();
    append_devices();
    line_ += ",\"traceEvents\":[";
    sink_->write(line_);
    for (uint32_t process = 0; process < trace_.processes.size(); ++process) describe_process(process);
  }

  void append_distribution() {
    for (const Process& process : trace_.processes) {
      const std::string* rank = process.variable("RANK");
      if (rank == nullptr || !is_number(*rank)) continue;
      line_ += ",\"distributedInfo\":{\"rank\":" + *rank;
      const std::string* size = process.variable("WORLD_SIZE");
      if (size != nullptr && is_number(*size)) line_ += ",\"world_size\":" + *size;
      line_ += '}';
      return;
    }
  }

  static bool is_number(const std::string& text) { return nlohmann::json::accept(text) && text.size() < 10; }

  void append_devices() {
    if (trace_.devices.empty()) return;
    nlohmann::json devices = nlohmann::json::array();
    std::vector<uint32_t> known;
    for (const Device& device : trace_.devices) {
      if (std::find(known.begin(), known.end(), device.index) != known.end()) continue;
      known.push_back(device.index);
      devices.push_back({{"id", device.index},
                         {"name", valid_utf8(device.name)},
                         {"totalGlobalMem", device.memory_bytes},
                         {"computeMajor", device.compute_capability_major},
                         {"computeMinor", device.compute_capability_minor},
                         {"numSms", device.multiprocessors}});
    }
    line_ += ",\"deviceProperties\":" + devices.dump();
  }

  void describe_process(uint32_t process) {
    const std::string& executable = trace_.processes[process].executable;
    const std::string name = valid_utf8(executable.substr(executable.rfind('/') + 1));
    write_description("process_name", spans_.process_id(process), 0, "name",
                      name.empty() ? spans_.process_label(process) : name);
    write_description("process_labels", spans_.process_id(process), 0, "labels", spans_.process_label(process));
  }

  /// A row of phase M.
  void write_description(std::string_view what, uint64_t pid, uint64_t tid, std::string_view key,
                         std::string_view text) {
    begin_event('M', what, pid, tid, base_ns_);
    line_ += ",\"args\":{\"";
    line_ += key;
    line_ += "\":";
    append_json_string(text, &line_);
    line_ += "}}";
    end_event();
  }

  uint64_t pid_of(const ExportedTrack& track) const {
    if (track.what == What::kThread) return spans_.process_id(track.process);
    return track.queue.device + device_processes_.at(track.process) * kBeyondDevices;
  }

  uint64_t tid_of(const ExportedTrack& track, uint32_t lane) const {
    const uint64_t own = track.what == What::kThread ? track.thread : track.queue.stream;
    return own + (lane + (track.what == What::kOther ? 1 : 0)) * kBeyondThreads;
  }

  void write_track(const ExportedTrack& track) {
    const std::span<const Row> rows = spans_.rows(track);
    // Tools nest what is of one thread by time: those spans stay together as they were recorded.
    const TrackLanes lanes = track.what == What::kThread ? TrackLanes() : find_lanes(trace_.spans, rows, false);
    const std::string label = spans_.track_label(track);
    if (track.what != What::kThread && labelled_.emplace(pid_of(track)).second) {
      write_description("process_name", pid_of(track), 0, "name", spans_.process_label(track.process));
      write_description("process_labels", pid_of(track), 0, "labels", "GPU " + std::to_string(track.queue.device));
    }
    for (uint32_t lane = 0; lane < lanes.count; ++lane) {
      write_description("thread_name", pid_of(track), tid_of(track, lane), "name",
                        lane == 0 ? label : label + " (overlapping)");
    }
    for (size_t place = 0; place < rows.size() && !sink_->failed(); ++place) {
      write_span(track, rows[place], tid_of(track, lanes.of(place)));
    }
  }

  void write_span(const ExportedTrack& track, Row row, uint64_t tid) {
    const ExportedSpan span = spans_.of(row);
    const KinetoEvent event = kineto_event(span.level, span.kind);
    const SpanPlace place = spans_.place(span);
    const bool is_root =
        place.evaluation != kNoEvaluation && spans_.analysed().evaluations.root[place.evaluation] == row;
    if (is_root) write_step(span, place.evaluation, tid);
    if (is_root && spans_.name(row) == kProfilerStep) return;
    name_.assign(event.prefix.empty() ? phase_prefix(span) : event.prefix);
    if (span.level == Level::kDevice) {
      name_ +=
          span.kind == Kind::kKernel ? std::string(spans_.name(row)) : kineto_device_name(span.kind, spans_.name(row));
    } else {
      name_ += spans_.name(row);
    }
    begin_complete(event.category, name_, pid_of(track), tid, span);
    arguments_->append(span, place, &line_);
    line_ += "}}";
    end_event();
    write_flows(span, place, pid_of(track), tid);
  }

  /// What tables leave out of the names of a training step's phases, and tools know them by.
  std::string_view phase_prefix(const ExportedSpan& span) {
    if (span.level != Level::kLayer || (span.kind != Kind::kOperator && span.kind != Kind::kAnnotation)) return {};
    const std::string_view name = spans_.name(span.row);
    const std::string_view type = spans_.type(span.row);
    if (type == "DataLoader") return "enumerate(DataLoader)#";
    if (type == "Optimizer") return name.ends_with(".zero_grad") ? "Optimizer.zero_grad#" : "Optimizer.step#";
    const bool is_backward = spans_.analysed().parents.forward_of(span.row) == kUnknownForward;
    return is_backward && !name.starts_with("torch::autograd::") ? "autograd::engine::evaluate_function: " : "";
  }

  /// What tools count iterations by.
  void write_step(const ExportedSpan& span, uint32_t evaluation, uint64_t tid) {
    name_ = std::string(kProfilerStep) + "#" + std::to_string(evaluation);
    begin_complete("user_annotation", name_, spans_.process_id(span.process), tid, span);
    line_ += "\"External id\":";
    append_unsigned(uint64_t{span.row} + 1, &line_);
    line_ += ",\"model\":";
    append_json_string(spans_.name(span.row), &line_);
    if (!spans_.input(span.row).empty()) {
      line_ += ",\"input\":";
      append_json_string(spans_.input(span.row), &line_);
    }
    line_ += "}}";
    end_event();
  }

  void begin_event(char phase, std::string_view name, uint64_t pid, uint64_t tid, int64_t ns) {
    line_ = "\n{\"ph\":\"";
    line_ += phase;
    line_ += "\",\"name\":";
    append_json_string(name, &line_);
    line_ += ",\"pid\":";
    append_unsigned(pid, &line_);
    line_ += ",\"tid\":";
    append_unsigned(tid, &line_);
    line_ += ",\"ts\":";
    append_microseconds(ns - base_ns_, &line_);
  }

  void begin_complete(std::string_view category, std::string_view name, uint64_t pid, uint64_t tid,
                      const ExportedSpan& span) {
    begin_event('X', name, pid, tid, span.begin);
    line_ += ",\"dur\":";
    append_microseconds(span.end - span.begin, &line_);
    line_ += ",\"cat\":\"";
    line_ += category;
    line_ += "\",\"args\":{";
  }

  void end_event() {
    if (has_events_) sink_->write(",");
    has_events_ = true;
    sink_->write(line_);
  }

  void write_flows(const ExportedSpan& span, const SpanPlace& place, uint64_t pid, uint64_t tid) {
    const bool launches = span.execution == kNoExecution && spans_.first_launched(span.row) != kNoExecution;
    const bool is_launched = span.execution != kNoExecution && place.launch != kNoRow;
    if (launches || is_launched) {
      const uint64_t id = arguments_->correlation_of(span, launches ? span.row : place.launch);
      write_flow(launches ? 's' : 'f', "ac2g", id, pid, tid, span.begin);
    }
    if (arguments_->has_backward(span.row)) {
      write_flow('s', "fwdbwd", span.row, pid, tid, span.begin);
    }
    const Row forward = spans_.analysed().parents.forward_of(span.row);
    if (forward < spans_.size()) write_flow('f', "fwdbwd", forward, pid, tid, span.begin);
  }

  void write_flow(char phase, std::string_view what, uint64_t id, uint64_t pid, uint64_t tid, int64_t ns) {
    begin_event(phase, what, pid, tid, ns);
    line_ += ",\"id\":";
    append_unsigned(id, &line_);
    line_ += ",\"cat\":\"";
    line_ += what;
    line_ += phase == 'f' ? "\",\"bp\":\"e\"}" : "\"}";
    end_event();
  }

  ExportedSpans spans_;
  const Trace& trace_;
  ByteSink* sink_;
  int64_t base_ns_ = 0;
  std::map<uint32_t, uint64_t> device_processes_;  // those with executions, counted
  std::set<uint64_t> labelled_;                    // pids of devices
  std::optional<KinetoArguments> arguments_;
  std::string line_;
  std::string name_;
  bool has_events_ = false;
};

}  // namespace

Status write_chrome(const ExportInput& input, ByteSink* sink) {
  ChromeExport(input.analysed, sink).write();
  if (sink->written() > kTooLarge && input.note) {
    input.note("browsers do not open so large a file in Chrome's format; --export perfetto is a third of it");
  }
  return {};
}

}  // namespace xsp::analysis
