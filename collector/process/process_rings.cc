#include "collector/process/process_rings.h"

#include "collector/messages/peer_limits.h"

namespace xsp {

RingStream& ProcessRings::ring(uint32_t index) {
  while (rings_.size() <= index) rings_.push_back(nullptr);
  if (rings_[index] == nullptr) rings_[index] = std::make_unique<RingStream>(context_.number, index);
  return *rings_[index];
}

bool ProcessRings::are_next(const BatchHead& head) {
  RingStream& stream = ring(head.ring);
  const uint64_t end = head.first_record + head.record_count;
  const uint64_t expected = stream.next_record();
  if (end <= expected) return false;
  // A guest never resends half a batch: whatever this is, taking part of it could count spans twice.
  if (head.first_record < expected) {
    context_.losses.add(LossReason::kCorrupt, end - expected, "a batch repeated records that were taken before");
    stream.skip_to(end);
    return false;
  }
  if (head.first_record > expected) {
    context_.losses.add(LossReason::kCorrupt, head.first_record - expected, "records between two batches are missing");
    // What waits lies before the gap, and a packet covers contiguous records.
    stream.flush(context_.writer);
    stream.skip_to(head.first_record);
  }
  return true;
}

Status ProcessRings::check_held(const RingStream& stream, size_t before) {
  const size_t held = stream.held_bytes();
  if (held > before) {
    held_ += held - before;
    context_.recording.held_bytes += held - before;
  }
  const auto is_too_much = [&] {
    return held_ > kMaxHeldBytes || (context_.recording.held_bytes > kMaxHeldBytesOfAll && held_ > kMinHeldBytes);
  };
  if (!is_too_much()) return Status();
  // `held_` only grows between exact counts: the sum over all rings is computed only when it seems too much.
  count_held();
  if (!is_too_much()) return Status();
  for (auto& each : rings_) {
    if (each != nullptr) each->release(context_.writer);
  }
  count_held();
  return is_too_much() ? Status{"arguments of too many calls whose spans did not come"} : Status();
}

void ProcessRings::count_held() {
  context_.recording.held_bytes -= held_;
  held_ = 0;
  for (const auto& stream : rings_) held_ += stream != nullptr ? stream->held_bytes() : 0;
  context_.recording.held_bytes += held_;
}

void ProcessRings::flush() {
  for (auto& stream : rings_) {
    if (stream != nullptr) stream->flush(context_.writer);
  }
}

void ProcessRings::flush_if_due(uint64_t now_ns) {
  for (auto& stream : rings_) {
    if (stream != nullptr) stream->flush_if_due(now_ns, context_.writer);
  }
  count_held();
}

void ProcessRings::finish(bool keep_held) {
  for (auto& stream : rings_) {
    if (stream == nullptr) continue;
    if (keep_held) {
      stream->write_held_tags(context_.writer);
      stream->keep_held_arguments();
    }
    stream->flush(context_.writer);
  }
  rings_.clear();
  count_held();
}

}  // namespace xsp
