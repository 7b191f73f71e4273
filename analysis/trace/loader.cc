#include "analysis/trace/loader.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/trace/activity_batch.h"
#include "analysis/trace/aggregate_batch.h"
#include "analysis/trace/argument_batch.h"
#include "analysis/trace/circumstance_packets.h"
#include "analysis/trace/counter_batch.h"
#include "analysis/trace/packet_body.h"
#include "analysis/trace/packet_reader.h"
#include "analysis/trace/part_files.h"
#include "analysis/trace/set_folder.h"
#include "analysis/trace/span_batch.h"
#include "analysis/trace/unreadable_parts.h"
#include "base/file_kind.h"
#include "base/shell_words.h"
#include "proto/pbf.h"
#include "proto/versions.h"

namespace xsp::analysis {
namespace {
/// What only the reading of a process needs.
struct ProcessReading {
  uint32_t index = 0;  // in Trace::processes
  uint64_t last_sequence = 0;
  bool begins_part = false;  // numbers may go on, or begin anew
  ProcessStrings strings;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> tracks;
  PendingArguments arguments;  // whose spans have not come yet
  QueueNumbers queues;
  GapNumbers gaps;
  DeviceNumbers devices;
  std::set<std::tuple<uint32_t, std::string, std::string>> notices;  // of a recording in parts: those that are known
};

/// What only the reading of a segment needs.
struct SegmentReading {
  uint32_t segment = 0;  // of Trace::segments
  std::unordered_map<uint32_t, std::unique_ptr<ProcessReading>> processes;
};

constexpr size_t kMostNotices = 1000;  // that are told from each other

}  // namespace

struct OpenRecordings::State {
  std::map<std::string, SegmentReading> of;  // by TracePart.recording
};

OpenRecordings::OpenRecordings() : state_(std::make_unique<State>()) {}
OpenRecordings::~OpenRecordings() = default;

class Loader {
 public:
  Loader(ByteSource& source, const std::string& path, OpenRecordings* recordings, Trace* trace)
      : reader_(source), trace_(*trace), recordings_(recordings->state_->of) {
    file_ = static_cast<uint32_t>(trace_.files.size());
    trace_.files.push_back({.path = path});
  }

  Status run() {
    const std::string head(reader_.head(kFileKindBytes));
    std::string_view packet;
    while (refused_.ok() && reader_.next(&packet)) {
      ++file().packets;
      bool good = false;
      try {
        good = read_packet(packet);
      } catch (const protozero::exception&) {
      }
      if (!good) ++file().corrupt_packets;
    }
    file().bytes = reader_.bytes_read();
    file().unreadable_bytes = reader_.unreadable_bytes();
    if (!refused_.ok()) return refused_;
    if (!reader_.read_error().empty()) return {"cannot read " + file().path + " (" + reader_.read_error() + ")", ""};
    if (file().bytes == 0) return {file().path + " is empty", "the recording may have failed: see what xsp-run said"};
    if (!recognised_) return foreign(head);
    return {};
  }

 private:
  TraceFile& file() { return trace_.files[file_]; }

  /// An XSP trace of which not even the first packet can be read.
  Status cut_off() const {
    const TraceFile& file = trace_.files[file_];
    std::string output = file.path == "-" ? "FILE" : file.path;
    if (output.ends_with(kPartial)) output.resize(output.size() - kPartial.size());
    const std::string hint = "record again: " + shell_command({"xsp-run", "-f", "-o", output, "--", "COMMAND"});
    if (file.packets != 0) return {file.path + " is damaged from its start: nothing in it can be read", hint};
    return {file.path + " ends after " + std::to_string(file.bytes) +
                " bytes, before anything was recorded (the recording was cut off)",
            hint};
  }

  Status foreign(const std::string& head) const {
    const std::string& path = trace_.files[file_].path;
    const FileKind kind = file_kind(path, head);
    if (kind.is_trace) return cut_off();
    Status status{kind.name.empty() ? path + " is not an XSP trace (its first bytes are of another format)"
                                    : path + " is not an XSP trace (it looks like " + kind.name + ")",
                  kind.hint};
    // Only a file can be named again.
    if (status.hint.empty() || path == "-")
      status.hint = "xsp-report reads what xsp-run, xsp-bench and xsp-import write";
    else if (kind.importable)
      status.hint = "if it is a profile of another tool, import it: " + kind.hint;
    else if (kind.runnable)
      status.hint = "to record it: " + kind.hint;
    return status;
  }

  bool read_packet(std::string_view encoded) {
    Packet packet;
    if (!read_envelope(encoded, &packet)) return false;
    switch (packet.field) {
      case PacketField::kHeader:
        return read_trace_header(packet);
      case PacketField::kNone:
        return pass_unknown(packet);
      default:
        break;
    }
    if (is_known_part_) return true;
    ProcessReading& reading = process(packet);
    Process& about = trace_.processes[reading.index];
    switch (packet.field) {
      case PacketField::kHello:
        recognised_ |= !packet.body.empty();
        return read_hello(packet.body, &about);
      case PacketField::kStrings:
        return read_strings(packet.body, &trace_.strings, &reading.strings, &trace_.conflicting_strings);
      case PacketField::kSpans:
        return read_spans(packet.body, reading);
      case PacketField::kActivities:
        return read_activities(packet.body, reading);
      case PacketField::kGap:
        return read_gap(packet.body, reading.index, &reading.gaps, &trace_.gaps);
      case PacketField::kDevice:
        return read_device(packet.body, reading.index, &reading.devices, &trace_.devices);
      case PacketField::kAggregates:
        return read_aggregates(packet, reading);
      case PacketField::kSampling:
        return read_sampling(packet.body, &about);
      case PacketField::kOverhead:
        return read_overhead(packet.body, &about);
      case PacketField::kThreadCounts:
        return read_thread_counts(packet.body, &about);
      case PacketField::kCounters:
        return append_counter_batch(packet.body, reading.index, reading.strings, &trace_.counters,
                                    &trace_.missing_strings);
      case PacketField::kArguments:
        return append_argument_batch(packet.body, trace_.strings, reading.strings, &reading.arguments,
                                     &trace_.arguments, &trace_.missing_strings);
      case PacketField::kUnintercepted:
        return read_unintercepted(packet.body, reading.index, &trace_.unintercepted);
      case PacketField::kUsedLibrary:
        return read_used_library(packet.body, reading.index, &trace_.used_libraries);
      case PacketField::kOpenSpans:
        return read_open_spans(packet.body, reading.index, reading.strings, &trace_.open_spans);
      case PacketField::kClock:
        return read_clock(packet.body, &about);
      case PacketField::kLoss:
        return read_loss(packet.body, &about);
      case PacketField::kNotice:
        return read_notice_once(packet.body, reading);
      case PacketField::kProcessEnd:
        return read_process_end(packet.body, &about);
      case PacketField::kTraceEnd:
        return read_end(packet.body);
      default:
        return true;
    }
  }

  /// A packet type of a later version: it is not missing.
  bool pass_unknown(const Packet& packet) {
    if (is_known_part_ || reading_ == nullptr) return true;
    const auto about = reading_->processes.find(packet.process);
    if (about != reading_->processes.end()) note_sequence(*about->second, packet);
    return true;
  }

  bool read_trace_header(const Packet& packet) {
    TraceHeader header;
    if (!read_header(packet.body, &header)) return false;
    if (header.format_version > kFormatVersion) {
      refused_ = {file().path + " has trace format " + std::to_string(header.format_version) + " (this " +
                      "xsp-report reads up to " + std::to_string(kFormatVersion) + "; it was written by " +
                      (header.producer.empty() ? "an unknown program" : header.producer) + ")",
                  "use the xsp-report of the XSP that recorded it"};
      return false;
    }
    recognised_ = true;
    if (header.part) {
      begin_part(*header.part, static_cast<int64_t>(header.begin_ns));
      if (is_known_part_) return true;
    } else {
      begin_segment();
    }
    Segment& segment = trace_.segments[reading_->segment];
    note_sequence(process(packet), packet);
    if (segment.has_header) return true;  // of an earlier part
    segment.has_header = true;
    segment.producer = std::move(header.producer);
    segment.trace_id = std::move(header.trace_id);
    segment.realtime_offset_ns = header.realtime_offset_ns;
    segment.begin_ns = static_cast<int64_t>(header.begin_ns);
    segment.hostname = std::move(header.hostname);
    segment.kernel = std::move(header.kernel);
    segment.cpu_model = std::move(header.cpu_model);
    segment.cpu_count = header.cpu_count;
    segment.requested_level = std::move(header.requested_level);
    segment.command = std::move(header.command);
    segment.source = std::move(header.source);
    segment.source_files = std::move(header.source_files);
    segment.layers = std::move(header.layers);
    segment.model_span = std::move(header.model_span);
    segment.counted = header.counted;
    segment.run = std::move(header.run);
    segment.processors = header.processors;
    return true;
  }

  void begin_segment() {
    own_.processes.clear();
    own_.segment = static_cast<uint32_t>(trace_.segments.size());
    trace_.segments.push_back({.file = file_});
    reading_ = &own_;
    part_ = nullptr;
    is_known_part_ = false;
  }

  /// Goes on with the recording's segment.
  void begin_part(const TracePart& part, int64_t begin_ns) {
    const auto [found, added] = recordings_.try_emplace(part.recording);
    reading_ = &found->second;
    if (added) {
      reading_->segment = static_cast<uint32_t>(trace_.segments.size());
      trace_.segments.push_back({.file = file_});
      trace_.segments.back().parts.emplace().recording = part.recording;
    }
    Segment& segment = trace_.segments[reading_->segment];
    auto& parts = segment.parts->parts;
    auto at = std::lower_bound(parts.begin(), parts.end(), part.index,
                               [](const LoadedPart& a, uint32_t index) { return a.index < index; });
    is_known_part_ = at != parts.end() && at->index == part.index;
    if (is_known_part_) {
      ++segment.parts->given_twice;
      return;
    }
    at = parts.insert(at, {.index = part.index, .file = file_, .begin_ns = begin_ns});
    part_ = &*at;
    if (at == parts.begin()) segment.begin_ns = begin_ns;
    if (at + 1 == parts.end()) segment.ended = segment.complete = false;
    for (auto& [number, process] : reading_->processes) process->begins_part = true;
  }

  bool read_end(std::string_view body) {
    Segment& segment = trace_.segments[reading_->segment];
    if (part_ == nullptr) return read_trace_end(body, &segment);
    Segment told;
    if (!read_trace_end(body, &told)) return false;
    part_->ended = true;
    part_->complete = told.complete;
    part_->end_ns = told.end_ns;
    part_->end_reason = told.end_reason;
    part_->announced_spans = told.announced_spans;
    if (part_ == &segment.parts->parts.back()) {
      segment.ended = true;
      segment.complete = told.complete;
      segment.end_ns = told.end_ns;
      segment.end_reason = std::move(told.end_reason);
    }
    return true;
  }

  ProcessReading& process(const Packet& packet) {
    if (reading_ == nullptr) begin_segment();
    auto& reading = reading_->processes[packet.process];
    if (reading == nullptr) {
      reading = std::make_unique<ProcessReading>();
      reading->index = static_cast<uint32_t>(trace_.processes.size());
      reading->begins_part = part_ != nullptr;
      trace_.processes.push_back({.segment = reading_->segment, .number = packet.process});
    }
    if (packet.field != PacketField::kHeader) note_sequence(*reading, packet);
    return *reading;
  }

  void note_sequence(ProcessReading& reading, const Packet& packet) {
    if (packet.sequence == 0) return;
    if (packet.sequence > reading.last_sequence + 1 && !reading.begins_part) {
      Process& about = trace_.processes[reading.index];
      ++about.sequence_gaps;
      about.missing_packets += packet.sequence - reading.last_sequence - 1;
    }
    reading.begins_part = false;
    reading.last_sequence = packet.sequence;
  }

  bool read_aggregates(const Packet& packet, const ProcessReading& reading) {
    if (!append_aggregates(packet.body, reading.index, part_ == nullptr ? 0 : part_->index, reading.strings,
                           &trace_.aggregates, &trace_.missing_strings)) {
      return false;
    }
    // A part with no time before it is the recording's first.
    const ProcessAggregates& counted = trace_.aggregates.processes[reading.index];
    if (part_ != nullptr && packet.process == 0 && counted.before_part == part_->index && counted.before_is_empty) {
      trace_.segments[reading_->segment].parts->first_index = std::max(part_->index, 1U);
    }
    return true;
  }

  /// Parts may say anew what the ones before said.
  bool read_notice_once(std::string_view body, ProcessReading& reading) {
    const size_t before = trace_.notices.size();
    if (!read_notice(body, reading.index, &trace_.notices)) return false;
    if (part_ == nullptr || reading.notices.size() >= kMostNotices) return true;
    const Notice& notice = trace_.notices.back();
    if (!reading.notices.emplace(notice.severity, notice.component, notice.text).second) trace_.notices.resize(before);
    return true;
  }

  TrackOf tracks_of(ProcessReading& reading) {
    return [&](uint32_t thread, uint32_t ring) {
      const auto [found, added] =
          reading.tracks.try_emplace({thread, ring}, static_cast<uint32_t>(trace_.tracks.size()));
      if (added) trace_.tracks.push_back({reading.index, thread, ring});
      return found->second;
    };
  }

  bool read_spans(std::string_view body, ProcessReading& reading) {
    const size_t before = trace_.spans.size();
    if (!append_span_batch(body, reading.strings, tracks_of(reading), &trace_.spans, &trace_.missing_strings)) {
      return false;
    }
    attach_arguments(before, trace_.tracks, &reading.arguments, &trace_.spans);
    count_spans(before, reading);
    return true;
  }

  bool read_activities(std::string_view body, ProcessReading& reading) {
    const size_t before = trace_.spans.size();
    if (!append_activity_batch(body, reading.index, reading.strings, tracks_of(reading), &reading.queues, &trace_)) {
      return false;
    }
    count_spans(before, reading);
    return true;
  }

  void count_spans(size_t before, const ProcessReading& reading) {
    const uint64_t added = trace_.spans.size() - before;
    recognised_ |= added != 0;
    trace_.processes[reading.index].spans += added;
    trace_.segments[reading_->segment].spans += added;
    if (part_ != nullptr) part_->spans += added;
  }

  PacketReader reader_;
  Trace& trace_;
  uint32_t file_ = 0;
  bool recognised_ = false;
  Status refused_;
  SegmentReading own_;                                 // of what is no part
  std::map<std::string, SegmentReading>& recordings_;  // by TracePart.recording
  SegmentReading* reading_ = nullptr;                  // of the segment that is read
  LoadedPart* part_ = nullptr;                         // that is read; null: of none
  bool is_known_part_ = false;                         // it was read before, and is left out
};

Status load_trace(ByteSource& source, const std::string& path, Trace* trace) {
  OpenRecordings recordings;
  return load_trace(source, path, &recordings, trace);
}

Status load_trace(ByteSource& source, const std::string& path, OpenRecordings* recordings, Trace* trace) {
  return Loader(source, path, recordings, trace).run();
}

Status load_path(const std::string& path, Trace* trace) { return load_paths({&path, 1}, {}, trace); }

namespace {

bool is_folder(const std::string& path) {
  std::error_code failure;
  return path != "-" && std::filesystem::is_directory(path, failure);
}

/// When a part ends: as it says, else the last time in it.
int64_t end_of_part(const std::string& path) {
  Status status;
  const auto source = open_file(path, &status);
  Trace part;
  if (source == nullptr || !load_trace(*source, path, &part).ok()) return 0;
  int64_t end = 0;
  for (const Segment& segment : part.segments) end = std::max(end, segment.end_ns);
  for (const int64_t of_span : part.spans.end) end = std::max(end, of_span);
  return std::max(end, part.aggregates.empty() ? 0 : part.aggregates.processes.begin()->second.end);
}

/// Removes the parts that ended more than `last_ns` before their recording's end. Returns their number by recording.
std::map<std::string, uint32_t> leave_out_parts(int64_t last_ns, std::vector<PartFile>* files) {
  std::map<std::string, std::vector<size_t>> recordings;
  for (size_t i = 0; i < files->size(); ++i) {
    if ((*files)[i].part) recordings[(*files)[i].part->recording].push_back(i);
  }
  std::vector<bool> left_out(files->size());
  std::map<std::string, uint32_t> counts;
  for (const auto& [recording, places] : recordings) {
    const int64_t from = end_of_part((*files)[places.back()].path) - last_ns;
    for (size_t i = 0; i + 1 < places.size(); ++i) {
      // A part ends where the next one begins.
      if ((*files)[places[i + 1]].begin_ns > from) break;
      left_out[places[i]] = true;
      ++counts[recording];
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < files->size(); ++i) {
    if (!left_out[i]) std::swap((*files)[kept++], (*files)[i]);
  }
  files->resize(kept);
  return counts;
}

}  // namespace

Status load_paths(std::span<const std::string> paths, const LoadOptions& options, Trace* trace) {
  OpenRecordings recordings;
  std::vector<PartFile> files;
  std::vector<UnreadablePart> unreadable;
  for (const std::string& path : paths) {
    if (!is_folder(path)) {
      files.push_back(describe_part_file(path));
      continue;
    }
    const size_t first = files.size();
    if (Status status = list_folder(path, &files, trace); !status.ok()) return status;
    for (UnreadablePart& part : take_unreadable_parts(first, &files)) unreadable.push_back(std::move(part));
  }
  sort_parts(&files);
  std::map<std::string, uint32_t> left_out;
  if (options.last_ns > 0) left_out = leave_out_parts(options.last_ns, &files);
  size_t removed = 0;
  for (const PartFile& file : files) {
    Status status;
    if (is_folder(file.path)) {
      status = load_set(file.path, trace);
    } else {
      const auto source = open_part(file, &status);
      removed += source == nullptr && status.ok() ? 1 : 0;
      if (source != nullptr) status = load_trace(*source, file.path, &recordings, trace);
    }
    if (!status.ok()) return status;
  }
  for (Segment& segment : trace->segments) {
    if (segment.parts) segment.parts->not_asked_for = left_out[segment.parts->recording];
  }
  add_unreadable_parts(unreadable, trace);
  if (removed != files.size()) return {};
  return {paths.front() + " has no part any more", "they were removed while they were read: try again"};
}

}  // namespace xsp::analysis
