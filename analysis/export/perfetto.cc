#include <array>
#include <functional>
#include <map>

#include "analysis/export/exported_spans.h"
#include "analysis/export/file_name.h"
#include "analysis/export/perfetto_annotations.h"
#include "analysis/export/perfetto_packets.h"
#include "analysis/export/perfetto_texts.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/track_lanes.h"
#include "analysis/study/process_labels.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;
namespace pb = perfetto;

/// All packets are of one sequence, whose interned texts every track shares.
constexpr uint32_t kSequence = 1;

class PerfettoExport {
 public:
  PerfettoExport(const AnalysedTrace& analysed, ByteSink* sink)
      : spans_(analysed),
        trace_(analysed.trace),
        sink_(sink),
        texts_(&spans_, PerfettoAnnotations::keys()),
        annotations_(&spans_, &texts_) {}

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
    packet.add_message(pb::packet::kInternedData, texts_.added());
    texts_.clear_added();
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
    event.add_uint64(pb::event::kCategory, PerfettoTexts::category(span.level));
    event.add_uint64(pb::event::kName, texts_.name(row, span.kind));
    event.add_uint64(pb::event::kTrack, uuid);
    annotations_.add(span, &event);
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(pb::packet::kTimestamp, static_cast<uint64_t>(span.begin));
    packet.add_uint32(pb::packet::kSequence, kSequence);
    packet.add_uint32(pb::packet::kSequenceFlags, pb::kNeedsState);
    if (!texts_.added().empty()) packet.add_message(pb::packet::kInternedData, texts_.added());
    packet.add_message(pb::packet::kTrackEvent, event_);
    texts_.clear_added();
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

  ExportedSpans spans_;
  const Trace& trace_;
  ByteSink* sink_;
  PerfettoTexts texts_;
  PerfettoAnnotations annotations_;
  std::vector<uint64_t> process_uuids_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> device_uuids_;  // by process and device
  uint64_t uuids_ = 0;
  std::string packet_;
  std::string event_;
};

}  // namespace

Status write_perfetto(const ExportInput& input, ByteSink* sink) {
  PerfettoExport(input.analysed, sink).write();
  return {};
}

}  // namespace xsp::analysis
