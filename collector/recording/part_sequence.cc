#include "collector/recording/part_sequence.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/random.h>

#include "base/log.h"
#include "collector/recording/recording.h"
#include "collector/writing/trace_description.h"

namespace xsp {
namespace {

constexpr uint64_t kRetryNs = 10'000'000'000;

}  // namespace

Status PartSequence::open(const Plan& plan, WriteHeader write_header) {
  plan_ = plan;
  write_header_ = std::move(write_header);
  (void)!::getrandom(part_.recording.data(), part_.recording.size(), GRND_NONBLOCK);
  Status status = folder_.open(plan.folder, plan.max_bytes, plan.force);
  if (status.ok()) status = folder_.create_part(&file_);
  return status;
}

size_t PartSequence::buffer_bytes() const {
  const uint64_t part = plan_.max_bytes / kPartsOfSize;
  if (part == 0) return TraceWriter::kDefaultBufferBytes;
  return static_cast<size_t>(std::min<uint64_t>(TraceWriter::kDefaultBufferBytes, part / 4));
}

void PartSequence::begin_part(TraceWriter& writer, uint64_t now_ns) {
  part_begin_ns_ = now_ns;
  asked_ = false;
  part_.index = folder_.last_index();
  write_header_(writer, part_);
}

void PartSequence::begin(TraceWriter& writer, uint64_t now_ns) {
  begin_ns_ = now_ns;
  begin_part(writer, now_ns);
  EndedProcesses().write(writer, begin_ns_, now_ns);
  described_bytes_ = writer.file_bytes();
}

bool PartSequence::is_due(const TraceWriter& writer, uint64_t now_ns) const {
  if (now_ns < retry_ns_) return false;
  if (writer.failed()) return true;
  const uint64_t bytes = writer.file_bytes();
  // A part with no content of its own continues.
  if (bytes <= described_bytes_) return false;
  if (asked_ || now_ns >= part_begin_ns_ + plan_.max_age_ns) return true;
  if (plan_.max_bytes == 0) return false;
  // If the description that each part repeats is long, a part must have at least as much content of its own, and at
  // least half of a part's usual size.
  const uint64_t size = std::max(plan_.max_bytes / kPartsOfSize, 2 * described_bytes_);
  const uint64_t own = bytes - described_bytes_;
  return bytes >= std::min(size, plan_.max_bytes / 2) && own >= plan_.max_bytes / kPartsOfSize / 2;
}

void PartSequence::rotate(Recording& recording, uint64_t now_ns) {
  TraceWriter& writer = recording.writer;
  if (lacks_description(writer)) return begin_again(recording, now_ns);
  // Created before the old part ends: if that fails, recording continues in the old one.
  std::unique_ptr<OutputFile> next;
  Status status = folder_.create_part(&next);
  if (!status.ok()) {
    retry_ns_ = now_ns + kRetryNs;
    recording.summary.add_notice(Severity::kWarning, "collector", "no new part of the recording: " + status.error);
    return;
  }
  const int error = writer.error();
  if (writer.failed()) writer.reopen_for_closing();
  for (RecordedProcess* process : recording.live) process->end_part(now_ns);
  write_trace_end(writer, writer.processes(), error == 0, error == 0 ? "" : std::strerror(error));
  writer.flush();
  status = file_->publish();
  if (!status.ok()) recording.summary.add_notice(Severity::kWarning, "collector", status.error);
  if (log::writes(log::Level::kInfo)) log::info("part " + std::to_string(part_.index) + " is whole");
  tell_lost(recording, error);
  writer.begin_file(*next);
  file_ = std::move(next);
  describe(recording, now_ns);
}

/// The description itself did not fit on the disk, or just did.
bool PartSequence::lacks_description(const TraceWriter& writer) const {
  return writer.failed() && writer.file_bytes() <= described_bytes_;
}

void PartSequence::begin_again_to_close(Recording& recording, uint64_t now_ns) {
  if (lacks_description(recording.writer)) begin_again(recording, now_ns);
}

/// The disk was full before the part had any content of its own: the next attempt reuses its file, or each attempt
/// would leave one behind.
void PartSequence::begin_again(Recording& recording, uint64_t now_ns) {
  if (file_->truncate(0) != 0) {
    retry_ns_ = now_ns + kRetryNs;
    return;
  }
  tell_lost(recording, recording.writer.error());
  recording.writer.begin_file(*file_);
  describe(recording, now_ns);
}

void PartSequence::tell_lost(Recording& recording, int error) {
  const uint64_t lost = recording.writer.lost_spans();
  if (lost == told_lost_spans_) return;
  lost_why_ = std::strerror(error != 0 ? error : recording.writer.error());
  recording.summary.add_loss(LossReason::kDiskFull, lost - std::exchange(told_lost_spans_, lost), lost_why_);
}

/// Begins the part with everything needed to read it on its own.
void PartSequence::describe(Recording& recording, uint64_t now_ns) {
  TraceWriter& writer = recording.writer;
  begin_part(writer, now_ns);
  if (const uint64_t lost = told_lost_spans_; lost != 0) {
    // A total over all parts, like all losses.
    writer.write(
        0, wire::Loss{.reason = static_cast<uint32_t>(LossReason::kDiskFull), .count = lost, .detail = lost_why_});
  }
  recording.ended.write(writer, begin_ns_, now_ns);
  for (RecordedProcess* process : recording.live) process->begin_part(now_ns);
  described_bytes_ = writer.file_bytes();
  writer.flush();
  // If the disk is still full, the next attempt waits.
  retry_ns_ = writer.failed() ? now_ns + kRetryNs : 0;
}

Status PartSequence::publish() { return file_->publish(); }

}  // namespace xsp
