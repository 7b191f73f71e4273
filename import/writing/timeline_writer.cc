#include "import/writing/timeline_writer.h"

#include <sys/random.h>

#include "base/text_encoding.h"
#include "collector/writing/trace_fields.h"
#include "import/writing/process_spans.h"
#include "import/writing/segment.h"
#include "import/writing/segment_executions.h"
#include "import/writing/segment_process.h"
#include "proto/versions.h"

namespace xsp {
namespace {

/// Writes one timeline: has its processes, spans and executions written, and itself writes what concerns the whole
/// segment.
class TimelineWriter {
 public:
  TimelineWriter(ProfileTimeline* timeline, std::string_view format, TraceWriter& writer)
      : timeline_(*timeline), segment_{.writer = writer, .format = format, .times = SegmentTimes(timeline)} {
    processes_.reserve(timeline_.processes().size());
    for (ImportedProcess& process : timeline_.processes()) processes_.emplace_back(process, segment_);
  }

  ImportTotals write(const std::vector<std::string>& files, const ImportChoices& choices) {
    write_header(files, choices);
    // Spans of all processes come before executions, whose launches may be in another process.
    for (SegmentProcess& process : processes_) ProcessSpans(process, timeline_.resolution_ns(), segment_).write();
    write_executions(&processes_, timeline_.knows_launching_processes(), &segment_);
    for (const SegmentProcess& process : processes_) process.write_loss();
    // Only now is it known what could not be imported.
    write_notes();
    write_ends();
    return segment_.totals;
  }

 private:
  void write_header(const std::vector<std::string>& files, const ImportChoices& choices);
  int64_t realtime_offset() const;
  void write_notes();
  void write_ends();

  ProfileTimeline& timeline_;
  Segment segment_;
  std::vector<SegmentProcess> processes_;
};

void TimelineWriter::write_header(const std::vector<std::string>& files, const ImportChoices& choices) {
  uint8_t id[16] = {};
  (void)!::getrandom(id, sizeof id, GRND_NONBLOCK);
  const std::string hostname = trace_text(timeline_.hostname());
  const std::string layers = trace_text(choices.layers);
  const std::string model_span = trace_text(choices.model_span);
  std::vector<std::string> names;
  size_t capacity = 1024 + hostname.size() + layers.size() + model_span.size() + segment_.format.size();
  for (const std::string& file : files) {
    names.push_back(trace_text(file));
    capacity += names.back().size() + 16;
  }
  const wire::TraceHeader header{.format_version = kFormatVersion,
                                 .producer = "xsp-import " XSP_VERSION,
                                 .trace_id = {reinterpret_cast<const char*>(id), sizeof id},
                                 .realtime_offset_ns = realtime_offset(),
                                 .begin_ns = SegmentTimes::kFirstNs,
                                 .hostname = hostname,
                                 .source = segment_.format,
                                 .layers = layers,
                                 .model_span = model_span};
  segment_.writer.write(0, Body::kHeader, capacity, [&](WireWriter& body) {
    const auto write_source_files = [&] {
      for (const std::string& name : names) body.element(wire::TraceHeader::kSourceFile, name.data(), name.size());
    };
    wire::write(
        body, header, [] {}, write_source_files, [] {}, [] {}, [] {});
  });
}

/// Offset from CLOCK_REALTIME to the segment's times; 0: unknown.
int64_t TimelineWriter::realtime_offset() const {
  const std::optional<int64_t> origin = timeline_.realtime_origin_ns();
  int64_t offset = 0;
  if (!origin || __builtin_add_overflow(*origin, segment_.times.origin(), &offset) ||
      __builtin_sub_overflow(offset, static_cast<int64_t>(SegmentTimes::kFirstNs), &offset)) {
    return 0;
  }
  return offset;
}

void TimelineWriter::write_notes() {
  const auto note = [&](std::string_view what, uint64_t count) {
    if (count != 0) timeline_.note(what, count);
  };
  note("span or execution without a time that can be used, left out", segment_.times.without_time());
  note("span or execution that ends before it begins, taken as without duration", segment_.times.inverted());
  note("span that crosses another one of its thread and is in neither", segment_.totals.overlapping);
  note("span that begins before its parent, left without one", segment_.children_before_parents);
  note("execution whose correlation id several calls have, left without launch", segment_.ambiguous);
  for (const auto& [what, count] : timeline_.notes()) {
    std::string text = trace_text(what);
    if (count != 0) text += ": " + std::to_string(count);
    const auto severity = count == 0 ? Severity::kInfo : Severity::kWarning;
    segment_.writer.write(
        segment_.processes == 0 ? 0 : 1,
        wire::Notice{.severity = static_cast<uint32_t>(severity), .component = segment_.format, .text = text});
  }
}

void TimelineWriter::write_ends() {
  for (const SegmentProcess& process : processes_) process.end();
  const ImportTotals& totals = segment_.totals;
  segment_.writer.write(0, wire::TraceEnd{.end_ns = segment_.times.end_ns(),
                                          .spans = totals.spans + totals.executions,
                                          .processes = segment_.processes,
                                          .complete = true});
}

}  // namespace

ImportTotals write_timeline(ProfileTimeline* timeline, std::string_view format, const std::vector<std::string>& files,
                            const ImportChoices& choices, TraceWriter& writer) {
  return TimelineWriter(timeline, format, writer).write(files, choices);
}

}  // namespace xsp
