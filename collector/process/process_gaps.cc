#include "collector/process/process_gaps.h"

#include <algorithm>

#include "collector/messages/peer_limits.h"

namespace xsp {

void ProcessGaps::receive(protozero::data_view bytes) {
  RecordingGap gap = read_gap(bytes);
  // The guest may send an ongoing gap more than once.
  if (gap == last_) return;
  if (count_ == kMaxGaps) context_.notice(Severity::kWarning, "collector", "there were more gaps than are kept");
  if (++count_ > kMaxGaps) return;
  write(gap);
  const auto is_same = [&](const RecordingGap& other) {
    return other.reason == gap.reason && other.level == gap.level && other.begin_ns == gap.begin_ns;
  };
  // This may be the end of a gap whose begin arrived earlier.
  std::erase_if(open_, is_same);
  if (gap.end_ns == 0 && open_.size() < kMaxOpenGaps) open_.push_back(gap);
  last_ = std::move(gap);
}

void ProcessGaps::write_again() {
  count_ = 0;
  for (const auto& gap : open_) write(gap);
}

void ProcessGaps::write_of_storage(uint64_t first_not_stored_ns, uint64_t closed_ns) {
  const StorageBudget& budget = context_.recording.storage.budget();
  const auto off_since = budget.off_since_ns();
  RecordingGap gap{.reason = static_cast<uint32_t>(wire::GapReason::kNotStored), .level = kLevelApplication};
  if (off_since) {
    gap.begin_ns = std::max(*off_since, context_.hello.start_ns);
    if (budget.is_full()) gap.begin_ns = std::min(gap.begin_ns, first_not_stored_ns);
    if (closed_ns != 0) gap.end_ns = std::max(closed_ns, gap.begin_ns);
    storage_begin_ns_ = gap.begin_ns;
  } else if (storage_begin_ns_ != 0) {
    gap.begin_ns = storage_begin_ns_;
    gap.end_ns = std::max(budget.on_since_ns(), gap.begin_ns);
    storage_begin_ns_ = 0;
  } else {
    return;
  }
  write(gap);
}

void ProcessGaps::write(const RecordingGap& gap) { context_.writer.write(context_.number, gap); }

}  // namespace xsp
