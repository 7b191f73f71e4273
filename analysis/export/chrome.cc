#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/export/exported_spans.h"
#include "analysis/export/json_text.h"
#include "analysis/export/kineto_event.h"
#include "analysis/export/kineto_inputs.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/track_lanes.h"
#include "analysis/render/text_encoding.h"

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
    for (const Row forward : analysed.parents.forward) {
      if (forward < spans_.size()) has_backward_.resize(spans_.size());
    }
    for (Row row = 0; row < has_backward_.size(); ++row) {
      const Row forward = analysed.parents.forward_of(row);
      if (forward < spans_.size()) has_backward_[forward] = true;
    }
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
    if (is_root && spans_.name(row) == kStep) return;
    name_.assign(event.prefix.empty() ? phase_prefix(span) : event.prefix);
    if (span.level == Level::kDevice) {
      name_ +=
          span.kind == Kind::kKernel ? std::string(spans_.name(row)) : kineto_device_name(span.kind, spans_.name(row));
    } else {
      name_ += spans_.name(row);
    }
    begin_complete(event.category, name_, pid_of(track), tid, span);
    if (span.execution != kNoExecution) {
      append_execution(span, place);
    } else {
      append_call(span, place);
    }
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
    name_ = std::string(kStep) + "#" + std::to_string(evaluation);
    begin_complete("user_annotation", name_, spans_.process_id(span.process), tid, span);
    line_ += "\"External id\":";
    append_unsigned(uint64_t{span.row} + 1, &line_);
    append_text("model", spans_.name(span.row));
    append_text("input", spans_.input(span.row));
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

  void append_key(std::string_view key) {
    if (line_.back() != '{') line_ += ',';
    line_ += '"';
    line_ += key;
    line_ += "\":";
  }
  void append_count(std::string_view key, uint64_t value) {
    append_key(key);
    append_unsigned(value, &line_);
  }
  void append_text(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    append_key(key);
    append_json_string(text, &line_);
  }
  /// A field of a launch configuration, which is JSON where it was recorded by us.
  void append_json(std::string_view key, std::string_view json) {
    if (json.empty() || !nlohmann::json::accept(json)) return;
    append_key(key);
    line_ += json;
  }
  void append_metric(std::string_view key, double value) {
    if (!std::isfinite(value)) return;
    append_key(key);
    append_number(value, &line_);
  }

  /// One number for a call and what it launched. In a file of several processes theirs are alike.
  uint64_t correlation_of(const ExportedSpan& span, Row launch) const {
    if (device_processes_.size() <= 1 && span.correlation != 0) return span.correlation;
    return launch == kNoRow ? 0 : uint64_t{launch} + 1;
  }

  void append_call(const ExportedSpan& span, const SpanPlace& place) {
    if (span.level == Level::kRuntime) {
      if (place.operator_row != kNoRow) append_count("External id", uint64_t{place.operator_row} + 1);
      const bool launches = spans_.first_launched(span.row) != kNoExecution;
      const uint64_t correlation = correlation_of(span, launches ? span.row : kNoRow);
      if (correlation != 0) append_count("correlation", correlation);
    } else {
      append_count("External id", uint64_t{span.row} + 1);
    }
    if (kineto_event(span.level, span.kind).category == "python_function") {
      append_count("Python id", uint64_t{span.row} + 1);
      append_key("Python parent id");
      const bool has_parent =
          span.parent != kNoRow &&
          kineto_event(trace_.spans.level[span.parent], trace_.spans.kind[span.parent]).category == "python_function";
      line_ += has_parent ? std::to_string(span.parent + 1) : "null";
    }
    append_links(span);
    if (place.layer == span.row && place.layer_index != SpanPlace::kNoLayer) {
      append_count("layer index", place.layer_index);
    }
    if (spans_.type(span.row) != spans_.name(span.row)) append_text("type", spans_.type(span.row));
    append_text("output shape", spans_.shape(span.row));
    const std::string_view inputs = append_arguments(span.row);
    if (inputs.empty()) append_text("input", spans_.input(span.row));
  }

  /// By which backward operators are found again.
  void append_links(const ExportedSpan& span) {
    const Row forward = spans_.analysed().parents.forward_of(span.row);
    if (forward < spans_.size()) {
      append_count("Sequence number", forward);
      append_count("Fwd thread id", uint64_t{trace_.spans.track[forward]} + 1);
    } else if (span.row < has_backward_.size() && has_backward_[span.row]) {
      append_count("Sequence number", span.row);
      append_count("Fwd thread id", 0);
    }
  }

  /// Returns the operator's inputs.
  std::string_view append_arguments(Row row) {
    std::string_view inputs;
    spans_.for_each_argument(row, [&](const SpanArgument& argument) {
      if (argument.name == "inputs") {
        const auto [known, added] = inputs_.try_emplace(std::string(argument.text));
        if (added) known->second = kineto_inputs(argument.text);
        if (known->second.empty()) return append_text("inputs", argument.text);
        if (line_.back() != '{') line_ += ',';
        line_ += known->second;
        inputs = known->second;
      } else if (argument.name == "values" && argument.text.starts_with('[') && nlohmann::json::accept(argument.text)) {
        append_key("Concrete Inputs");
        for (const char byte : argument.text) line_ += byte == '\n' || byte == '\r' ? ' ' : byte;
      } else {
        append_argument(argument);
      }
    });
    return inputs;
  }

  void append_argument(const SpanArgument& argument) {
    line_ += line_.back() == '{' ? "" : ",";
    append_json_string("arg " + valid_utf8(argument.name), &line_);
    line_ += ':';
    switch (argument.kind) {
      case SpanArgument::Kind::kInteger:
        return append_integer(argument.integer, &line_);
      case SpanArgument::Kind::kNumber:
        return append_number(argument.number, &line_);
      case SpanArgument::Kind::kText:
        return append_json_string(argument.text, &line_);
    }
  }

  void append_execution(const ExportedSpan& span, const SpanPlace& place) {
    const Queue& queue = trace_.queues[trace_.executions.queue[span.execution]];
    if (place.operator_row != kNoRow) append_count("External id", uint64_t{place.operator_row} + 1);
    append_count("device", queue.device);
    append_count("context", queue.context);
    append_count("stream", queue.stream);
    if (const uint64_t correlation = correlation_of(span, place.launch)) append_count("correlation", correlation);
    if (const uint64_t node = trace_.executions.graph_node[span.execution]) {
      append_count("graph id", trace_.executions.graph[span.execution]);
      append_count("graph node id", node);
    }
    if (span.kind == Kind::kKernel) {
      append_configuration(trace_.spans.shape[span.row]);
    } else if (trace_.spans.bytes[span.row] != SpanTable::kUnknownBytes && is_work(span.kind)) {
      append_count("bytes", trace_.spans.bytes[span.row]);
    }
    if (place.layer != kNoRow) {
      if (place.layer_index != SpanPlace::kNoLayer) append_count("layer index", place.layer_index);
      append_text("layer", spans_.name(place.layer));
    }
    const KernelMetrics* metrics = spans_.metrics(span.execution);
    if (metrics == nullptr) return;
    append_metric("est. achieved occupancy %", metrics->occupancy_pct);
    append_metric("flops", metrics->flops);
    append_metric("dram read bytes", metrics->dram_read_bytes);
    append_metric("dram write bytes", metrics->dram_write_bytes);
  }

  void append_configuration(uint32_t id) {
    const auto [known, added] = configurations_.try_emplace(id);
    if (added) {
      const std::string before = std::exchange(line_, "{");
      const LaunchConfiguration configuration = launch_configuration(spans_.text(id));
      append_json("grid", configuration.grid);
      append_json("block", configuration.block);
      append_json("registers per thread", configuration.registers);
      append_json("shared memory", configuration.shared.empty() ? shared_memory(configuration) : configuration.shared);
      known->second = line_.substr(1);
      line_ = before;
    }
    if (known->second.empty()) return;
    line_ += ',';
    line_ += known->second;
  }

  /// Static and dynamic together, as PyTorch's profiler has them.
  std::string shared_memory(const LaunchConfiguration& configuration) {
    if (configuration.static_shared.empty() && configuration.dynamic_shared.empty()) return {};
    uint64_t sum = 0;
    for (const std::string_view part : {configuration.static_shared, configuration.dynamic_shared}) {
      uint64_t value = 0;
      std::from_chars(part.data(), part.data() + part.size(), value);
      sum += value;
    }
    return std::to_string(sum);
  }

  void write_flows(const ExportedSpan& span, const SpanPlace& place, uint64_t pid, uint64_t tid) {
    const bool launches = span.execution == kNoExecution && spans_.first_launched(span.row) != kNoExecution;
    const bool is_launched = span.execution != kNoExecution && place.launch != kNoRow;
    if (launches || is_launched) {
      const uint64_t id = correlation_of(span, launches ? span.row : place.launch);
      write_flow(launches ? 's' : 'f', "ac2g", id, pid, tid, span.begin);
    }
    if (span.row < has_backward_.size() && has_backward_[span.row]) {
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

  static constexpr std::string_view kStep = "ProfilerStep";

  ExportedSpans spans_;
  const Trace& trace_;
  ByteSink* sink_;
  int64_t base_ns_ = 0;
  std::map<uint32_t, uint64_t> device_processes_;  // those with executions, counted
  std::set<uint64_t> labelled_;                    // pids of devices
  std::vector<bool> has_backward_;                 // by row; empty: none
  std::unordered_map<std::string, std::string> inputs_;
  std::unordered_map<uint32_t, std::string> configurations_;  // by string id
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
