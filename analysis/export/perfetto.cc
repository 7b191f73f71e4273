#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>

#include "analysis/export/exported_spans.h"
#include "analysis/export/perfetto_packets.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/track_lanes.h"
#include "analysis/render/text_encoding.h"
#include "analysis/tables/kernel_work.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;
namespace pb = perfetto;

/// All packets are of one sequence, whose interned texts every track shares.
constexpr uint32_t kSequence = 1;

/// Names of annotations that have a place of their own; iids are these plus one. Arguments of calls come behind them.
enum Key : uint8_t {
  kArguments,
  kBatchSize,
  kBlock,
  kBytes,
  kCorrelation,
  kDataType,
  kDramRead,
  kDramWrite,
  kEvaluation,
  kFailed,
  kFlops,
  kGraphNode,
  kGrid,
  kInput,
  kLayer,
  kLayerIndex,
  kLibraryCall,
  kMetricSource,
  kOccupancy,
  kPhase,
  kRegisters,
  kShape,
  kSharedMemory,
  kType,
  kKeys
};
constexpr std::array<std::string_view, kKeys> kKeyNames = {
    "arguments",    "batch_size",    "block",           "bytes",
    "correlation",  "data_type",     "dram_read_bytes", "dram_write_bytes",
    "evaluation",   "failed",        "flops",           "graph_node",
    "grid",         "input",         "layer",           "layer_index",
    "library_call", "metric_source", "occupancy_pct",   "phase",
    "registers",    "shape",         "shared_memory",   "type"};

/// Looked up without a copy.
struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using Iids = std::unordered_map<std::string, uint64_t, TextHash, std::equal_to<>>;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class PerfettoExport {
 public:
  PerfettoExport(const AnalysedTrace& analysed, ByteSink* sink)
      : spans_(analysed), trace_(analysed.trace), sink_(sink), named_(trace_.strings.size()) {}

  void write() {
    begin_sequence();
    describe_processes();
    for (const ExportedTrack& track : spans_.tracks()) {
      write_track(track);
      if (sink_->failed()) return;
    }
  }

 private:
  /// The clock of all times, and the names that are always there.
  void begin_sequence() {
    interned_.clear();
    pbf_writer data(interned_);
    for (size_t level = 0; level < kLevelCount; ++level) {
      pb::add_interned(&data, pb::interned::kCategories, level + 1, kLevelNames[level]);
    }
    for (size_t key = 0; key < kKeys; ++key) {
      pb::add_interned(&data, pb::interned::kAnnotationNames, key + 1, kKeyNames[key]);
    }
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint32(pb::packet::kSequence, kSequence);
    packet.add_uint32(pb::packet::kSequenceFlags, pb::kStateCleared | pb::kNeedsState);
    packet.add_bool(pb::packet::kFirstOnSequence, true);
    {
      pbf_writer snapshot(packet, pb::packet::kClockSnapshot);
      const auto add_clock = [&](uint32_t id, int64_t ns) {
        pbf_writer clock(snapshot, pb::clock_snapshot::kClocks);
        clock.add_uint32(pb::clock_snapshot::kClockId, id);
        clock.add_uint64(pb::clock_snapshot::kTimestamp, static_cast<uint64_t>(ns));
      };
      const uint32_t own = spans_.is_realtime() ? pb::kRealtime : pb::kMonotonic;
      add_clock(own, spans_.begin_ns());
      snapshot.add_uint32(pb::clock_snapshot::kPrimary, own);
    }
    packet.add_message(pb::packet::kInternedData, interned_);
    interned_.clear();
    finish_packet();
  }

  void describe_processes() {
    process_uuids_.resize(trace_.processes.size());
    std::vector<uint8_t> has_track(trace_.processes.size());
    for (const ExportedTrack& track : spans_.tracks()) has_track[track.process] = 1;
    for (uint32_t process = 0; process < trace_.processes.size(); ++process) {
      if (has_track[process] == 0) continue;
      process_uuids_[process] = describe(0, "", [&](pbf_writer& descriptor) {
        pbf_writer own(descriptor, pb::track::kProcess);
        own.add_uint32(pb::track::kPid, spans_.process_id(process));
        std::string name = valid_utf8(file_name(trace_.processes[process].executable));
        name += (name.empty() ? "" : ", ") + spans_.process_label(process);
        own.add_string(pb::track::kProcessName, name);
      });
    }
  }

  uint64_t device_uuid(const ExportedTrack& track) {
    uint64_t& uuid = device_uuids_[{track.process, track.queue.device}];
    if (uuid == 0) uuid = describe(process_uuids_[track.process], device_name(track));
    return uuid;
  }

  std::string device_name(const ExportedTrack& track) const {
    std::string name = "GPU " + std::to_string(track.queue.device);
    const uint32_t segment = trace_.processes[track.process].segment;
    for (const Device& device : trace_.devices) {
      if (device.index != track.queue.device || trace_.processes[device.process].segment != segment) continue;
      if (device.process == track.process) return name + " (" + valid_utf8(device.name) + ")";
    }
    return name;
  }

  /// Adds a track and returns its uuid. Small numbers: they are in every event.
  uint64_t describe(uint64_t parent, std::string_view name, const std::function<void(pbf_writer&)>& more = {}) {
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint32(pb::packet::kSequence, kSequence);
    {
      pbf_writer descriptor(packet, pb::packet::kTrackDescriptor);
      descriptor.add_uint64(pb::track::kUuid, ++uuids_);
      if (parent != 0) descriptor.add_uint64(pb::track::kParent, parent);
      if (!name.empty()) descriptor.add_string(pb::track::kName, name.data(), name.size());
      if (more) more(descriptor);
    }
    finish_packet();
    return uuids_;
  }

  void write_track(const ExportedTrack& track) {
    const std::span<const Row> rows = spans_.rows(track);
    const bool is_thread = track.what == ExportedTrack::What::kThread;
    const TrackLanes lanes = find_lanes(trace_.spans, rows, is_thread);
    const LaneRows lane_rows(rows, lanes);
    const std::string label = spans_.track_label(track);
    uint64_t first_uuid = 0;
    for (uint32_t lane = 0; lane < lanes.count && !sink_->failed(); ++lane) {
      uint64_t uuid = 0;
      if (!is_thread) {
        // Siblings of one name are shown as one.
        uuid = describe(device_uuid(track), label);
      } else if (lane == 0 && track.thread != 0) {
        uuid = describe(process_uuids_[track.process], "", [&](pbf_writer& descriptor) {
          pbf_writer own(descriptor, pb::track::kThread);
          own.add_uint32(pb::track::kPid, spans_.process_id(track.process));
          own.add_uint32(pb::track::kTid, track.thread);
        });
      } else {
        uuid = describe(first_uuid != 0 ? first_uuid : process_uuids_[track.process],
                        lane == 0 ? label : label + " (overlapping)");
      }
      if (lane == 0) first_uuid = uuid;
      walk_nested(
          trace_.spans, lane_rows.of(lane), [&](Row row) { write_begin(row, uuid); },
          [&](Row row) { write_end(row, uuid); });
    }
  }

  void write_begin(Row row, uint64_t uuid) {
    const ExportedSpan span = spans_.of(row);
    event_.clear();
    pbf_writer event(event_);
    event.add_uint32(pb::event::kType, pb::kSliceBegin);
    event.add_uint64(pb::event::kCategory, static_cast<uint64_t>(span.level) + 1);
    event.add_uint64(pb::event::kName, name_iid(row, span.kind));
    event.add_uint64(pb::event::kTrack, uuid);
    if (span.execution != kNoExecution) {
      annotate_execution(span, &event);
    } else {
      annotate_call(span, &event);
    }
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(pb::packet::kTimestamp, static_cast<uint64_t>(span.begin));
    packet.add_uint32(pb::packet::kSequence, kSequence);
    packet.add_uint32(pb::packet::kSequenceFlags, pb::kNeedsState);
    if (!interned_.empty()) packet.add_message(pb::packet::kInternedData, interned_);
    packet.add_message(pb::packet::kTrackEvent, event_);
    interned_.clear();
    finish_packet();
  }

  void write_end(Row row, uint64_t uuid) {
    const ExportedSpan span = spans_.of(row);
    event_.clear();
    pbf_writer event(event_);
    event.add_uint32(pb::event::kType, pb::kSliceEnd);
    event.add_uint64(pb::event::kTrack, uuid);
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(pb::packet::kTimestamp, static_cast<uint64_t>(span.end));
    packet.add_uint32(pb::packet::kSequence, kSequence);
    packet.add_message(pb::packet::kTrackEvent, event_);
    finish_packet();
  }

  void finish_packet() {
    std::array<char, 16> head;
    char* to = head.data();
    *to++ = static_cast<char>(pb::kPacketOfTrace << 3 | 2);
    to += protozero::write_varint(to, packet_.size());
    sink_->write({head.data(), static_cast<size_t>(to - head.data())});
    sink_->write(packet_);
  }

  void annotate_call(const ExportedSpan& span, pbf_writer* event) {
    for (uint32_t i = spans_.first_launched(span.row); i != kNoExecution; i = spans_.next_launched(i)) {
      event->add_fixed64(pb::event::kFlow, flow_of(i));
    }
    if (span.correlation != 0) add_unsigned(kCorrelation, span.correlation, event);
    if (trace_.spans.has_failed(span.row)) add_bool(kFailed, event);
    if (span.level == Level::kModel || span.level == Level::kLayer) {
      annotate_layer(span, event);
    } else if (span.level == Level::kApplication || span.level == Level::kLibrary) {
      add_text(kType, trace_.spans.type[span.row], event);
    }
    if (trace_.spans.arguments_of(span.row) == SpanTable::kNoArguments) return;
    pbf_writer arguments(*event, pb::event::kAnnotation);
    arguments.add_uint64(pb::annotation::kName, kArguments + 1);
    spans_.for_each_argument(span.row, [&](const SpanArgument& argument) { add_argument(argument, &arguments); });
  }

  void annotate_layer(const ExportedSpan& span, pbf_writer* event) {
    const SpanPlace place = spans_.place(span);
    const Evaluations& evaluations = spans_.analysed().evaluations;
    if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation, place.evaluation, event);
    if (place.layer == span.row && place.layer_index != SpanPlace::kNoLayer) {
      add_unsigned(kLayerIndex, place.layer_index, event);
    }
    add_text(kType, trace_.spans.type[span.row], event);
    add_text(kShape, trace_.spans.shape[span.row], event);
    add_text(kInput, trace_.spans.input[span.row], event);
    const bool is_root = place.evaluation != kNoEvaluation && evaluations.root[place.evaluation] == span.row;
    if (is_root) {
      const auto batch_size = leading_dimension(trace_.text(trace_.spans.input[span.row]));
      if (batch_size) add_unsigned(kBatchSize, static_cast<uint64_t>(*batch_size), event);
    }
    const uint64_t bytes = trace_.spans.bytes[span.row];
    if (bytes != SpanTable::kUnknownBytes) add_unsigned(kBytes, bytes, event);
  }

  void annotate_execution(const ExportedSpan& span, pbf_writer* event) {
    const SpanPlace place = spans_.place(span);
    if (place.launch != kNoRow) event->add_fixed64(pb::event::kFlowEnd, flow_of(span.execution));
    if (span.correlation != 0) add_unsigned(kCorrelation, span.correlation, event);
    if (place.layer != kNoRow) {
      if (place.layer_index != SpanPlace::kNoLayer) add_unsigned(kLayerIndex, place.layer_index, event);
      add_text(kLayer, trace_.spans.name[place.layer], event);
      add_text(kType, trace_.spans.type[place.layer], event);
    }
    if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation, place.evaluation, event);
    if (place.library_call != kNoRow) add_text(kLibraryCall, trace_.spans.name[place.library_call], event);
    if (place.backward) add_derived(kPhase, "backward", event);
    if (span.kind == Kind::kKernel) {
      add_configuration(trace_.spans.shape[span.row], event);
    } else if (trace_.spans.bytes[span.row] != SpanTable::kUnknownBytes) {
      add_unsigned(kBytes, trace_.spans.bytes[span.row], event);
    }
    if (const uint64_t node = trace_.executions.graph_node[span.execution]) add_unsigned(kGraphNode, node, event);
    if (const KernelMetrics* metrics = spans_.metrics(span.execution)) annotate_metrics(*metrics, event);
  }

  void annotate_metrics(const KernelMetrics& metrics, pbf_writer* event) {
    add_double(kFlops, metrics.flops, event);
    add_double(kDramRead, metrics.dram_read_bytes, event);
    add_double(kDramWrite, metrics.dram_write_bytes, event);
    add_double(kOccupancy, metrics.occupancy_pct, event);
    add_derived(kDataType, name_of(metrics.type), event);
    add_derived(kMetricSource, name_of(metrics.source), event);
  }

  struct ConfigurationIids {
    std::array<std::pair<Key, uint64_t>, 4> field;
    size_t count = 0;
  };

  void add_configuration(uint32_t id, pbf_writer* event) {
    if (id == 0) return;
    const auto [found, added] = configurations_.try_emplace(id);
    if (added) {
      const LaunchConfiguration configuration = launch_configuration(spans_.text(id));
      const auto add = [&](Key key, std::string_view text) {
        if (!text.empty()) found->second.field[found->second.count++] = {key, derived_iid(text)};
      };
      add(kGrid, configuration.grid);
      add(kBlock, configuration.block);
      add(kRegisters, configuration.registers);
      add(kSharedMemory, configuration.shared.empty() ? configuration.dynamic_shared : configuration.shared);
    }
    for (size_t i = 0; i < found->second.count; ++i) {
      add_iid(found->second.field[i].first + 1, found->second.field[i].second, event);
    }
  }

  /// An entry of a dictionary: names of arguments are the functions' own.
  void add_argument(const SpanArgument& argument, pbf_writer* arguments) {
    auto known = argument_iids_.find(argument.name);
    if (known == argument_iids_.end()) {
      known = argument_iids_.emplace(argument.name, kKeys + 1 + argument_iids_.size()).first;
      pbf_writer data(interned_);
      pb::add_interned(&data, pb::interned::kAnnotationNames, known->second, valid_utf8(argument.name));
    }
    const bool is_text = argument.kind == SpanArgument::Kind::kText;
    const uint64_t text = is_text ? derived_iid(argument.text) : 0;
    pbf_writer entry(*arguments, pb::annotation::kEntries);
    entry.add_uint64(pb::annotation::kName, known->second);
    if (is_text) {
      entry.add_uint64(pb::annotation::kTextIid, text);
    } else if (argument.kind == SpanArgument::Kind::kInteger) {
      entry.add_int64(pb::annotation::kInteger, argument.integer);
    } else {
      entry.add_double(pb::annotation::kDouble, argument.number);
    }
  }

  void add_unsigned(Key key, uint64_t value, pbf_writer* event) {
    pbf_writer annotation(*event, pb::event::kAnnotation);
    annotation.add_uint64(pb::annotation::kName, key + 1);
    annotation.add_uint64(pb::annotation::kUnsigned, value);
  }

  void add_bool(Key key, pbf_writer* event) {
    pbf_writer annotation(*event, pb::event::kAnnotation);
    annotation.add_uint64(pb::annotation::kName, key + 1);
    annotation.add_bool(pb::annotation::kBool, true);
  }

  void add_double(Key key, double value, pbf_writer* event) {
    if (!std::isfinite(value)) return;
    pbf_writer annotation(*event, pb::event::kAnnotation);
    annotation.add_uint64(pb::annotation::kName, key + 1);
    annotation.add_double(pb::annotation::kDouble, value);
  }

  void add_iid(uint64_t name, uint64_t text, pbf_writer* event) {
    pbf_writer annotation(*event, pb::event::kAnnotation);
    annotation.add_uint64(pb::annotation::kName, name);
    annotation.add_uint64(pb::annotation::kTextIid, text);
  }

  /// A text of the trace; nothing for none.
  void add_text(Key key, uint32_t id, pbf_writer* event) {
    if (id == 0) return;
    if ((named_[id] & kAsText) == 0) {
      named_[id] |= kAsText;
      pbf_writer data(interned_);
      pb::add_interned(&data, pb::interned::kAnnotationTexts, uint64_t{id} + 1, spans_.text(id));
    }
    add_iid(key + 1, uint64_t{id} + 1, event);
  }

  void add_derived(Key key, std::string_view text, pbf_writer* event) {
    if (!text.empty()) add_iid(key + 1, derived_iid(text), event);
  }

  /// Of texts that are no string of the trace: behind those.
  uint64_t derived_iid(std::string_view text) {
    if (const auto known = text_iids_.find(text); known != text_iids_.end()) return known->second;
    const uint64_t iid = trace_.strings.size() + 1 + text_iids_.size();
    text_iids_.emplace(text, iid);
    pbf_writer data(interned_);
    pb::add_interned(&data, pb::interned::kAnnotationTexts, iid, text);
    return iid;
  }

  /// A mangled name may be that of a kernel and of a call.
  uint64_t name_iid(Row row, Kind kind) {
    const uint32_t id = trace_.spans.name[row];
    const bool is_kernel = kind == Kind::kKernel;
    const uint64_t iid = uint64_t{id} * 2 + (is_kernel ? 2 : 1);
    const uint8_t mark = is_kernel ? kAsKernel : kAsName;
    if ((named_[id] & mark) == 0) {
      named_[id] |= mark;
      pbf_writer data(interned_);
      pb::add_interned(&data, pb::interned::kNames, iid, spans_.name(row));
    }
    return iid;
  }

  /// One for each execution: a flow cannot fork.
  static uint64_t flow_of(uint32_t execution) { return uint64_t{execution} + 1; }

  enum Named : uint8_t { kAsName = 1, kAsKernel = 2, kAsText = 4 };

  ExportedSpans spans_;
  const Trace& trace_;
  ByteSink* sink_;
  std::vector<uint8_t> named_;  // by string id: flags of Named
  std::vector<uint64_t> process_uuids_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> device_uuids_;  // by process and device
  uint64_t uuids_ = 0;
  std::unordered_map<uint32_t, ConfigurationIids> configurations_;  // by string id
  Iids text_iids_;
  Iids argument_iids_;
  std::string packet_;
  std::string event_;
  std::string interned_;  // of the packet being written
};

}  // namespace

Status write_perfetto(const ExportInput& input, ByteSink* sink) {
  PerfettoExport(input.analysed, sink).write();
  return {};
}

}  // namespace xsp::analysis
