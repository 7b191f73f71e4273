#include "collector/correlation/execution_join.h"

#include <algorithm>

#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

/// Long, as a launch's span is sent when it ends, and a synchronous copy's span ends only after the copy itself.
constexpr uint64_t kMaxWaitNs = 30'000'000'000;
/// Short, as nodes are made long before they run: those still missing were made before the recording began.
constexpr uint64_t kMaxNodeWaitNs = 2'000'000'000;
constexpr size_t kRetryAfter = 1024;

}  // namespace

bool ExecutionJoin::is_joined(ActivityRow& row) {
  if (row.launch.ring == 0 && row.correlation != 0) row.launch = launches_.find(row.correlation);
  bool knows_node = true;
  if (row.graph_node != 0 && row.capture.ring == 0) {
    const auto found = nodes_.find(row.graph_node);
    knows_node = found.is_known;
    row.capture = found.span;
  }
  return knows_node && (row.correlation == 0 || row.launch.ring != 0);
}

void ExecutionJoin::write(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns) {
  if (account_ == nullptr || account_->keep(row, now_ns)) stream_.append(row, queue, now_ns);
}

void ExecutionJoin::add(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns) {
  ActivityRow joined = row;
  if (is_joined(joined)) {
    write(joined, queue, now_ns);
    return;
  }
  if (waiting_.size() >= kMaxWaiting) {
    retry(now_ns);
    // A quarter at once, so that the cost of moving the others up is paid once.
    if (waiting_.size() > kMaxWaiting / 4 * 3) release(waiting_.size() - kMaxWaiting / 4 * 3, now_ns);
  }
  waiting_.push_back({joined, queue, now_ns});
}

void ExecutionJoin::retry(uint64_t now_ns) {
  news_ = 0;
  auto kept = waiting_.begin();
  for (Waiting& entry : waiting_) {
    const uint64_t age = now_ns - std::min(now_ns, entry.since_ns);
    const bool joined = is_joined(entry.row);
    const uint64_t patience = entry.row.launch.ring != 0 ? kMaxNodeWaitNs : kMaxWaitNs;
    if (joined || age >= patience) {
      write(entry.row, entry.queue, now_ns);
    } else {
      *kept++ = entry;
    }
  }
  waiting_.erase(kept, waiting_.end());
}

void ExecutionJoin::release(size_t count, uint64_t now_ns) {
  for (size_t i = 0; i < count; ++i) write(waiting_[i].row, waiting_[i].queue, now_ns);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
}

void ExecutionJoin::retry_if_worthwhile(uint64_t now_ns) {
  if (!waiting_.empty() && news_ >= std::max(kRetryAfter, waiting_.size())) retry(now_ns);
}

void ExecutionJoin::flush_if_due(uint64_t now_ns) {
  if (!waiting_.empty()) retry(now_ns);
  if (waiting_.empty() && waiting_.capacity() != 0) waiting_ = std::vector<Waiting>();
  stream_.flush_if_due(now_ns);
  launches_.begin_second();
}

void ExecutionJoin::finish(uint64_t now_ns) {
  retry(now_ns);
  release(waiting_.size(), now_ns);
  stream_.flush();
}

}  // namespace xsp
