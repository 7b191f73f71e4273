#include "import/kineto/memory_events.h"

#include <algorithm>

namespace xsp::kineto {

void MemoryEvents::add(uint32_t thread, int64_t time_ns, int64_t bytes, bool is_device) {
  any_ = true;
  if (bytes <= 0) return;
  if (is_device && !has_device_) {
    has_device_ = true;
    allocations_.clear();
  }
  if (is_device == has_device_) allocations_.push_back({time_ns, static_cast<uint64_t>(bytes), thread});
}

void MemoryEvents::count() {
  if (!any_) return;
  for (const auto& host : threads_->processes()) host->process.know_bytes();
  std::sort(allocations_.begin(), allocations_.end(), [](const Allocation& a, const Allocation& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.time_ns < b.time_ns;
  });
  for (auto first = allocations_.begin(); first != allocations_.end();) {
    const uint32_t thread = first->thread;
    uint64_t sum = 0;
    auto last = first;
    for (; last != allocations_.end() && last->thread == thread; ++last) last->bytes = sum += last->bytes;
    const auto until = [&](int64_t time_ns) {
      const auto behind =
          std::lower_bound(first, last, time_ns, [](const Allocation& a, int64_t time) { return a.time_ns < time; });
      return behind == first ? uint64_t{0} : (behind - 1)->bytes;
    };
    for (uint32_t number = 0; number < threads_->thread(thread).spans; ++number) {
      ImportedSpan& span = threads_->span(thread, number);
      span.bytes = until(span.end_ns) - until(span.begin_ns);
    }
    first = last;
  }
  allocations_ = {};
}

}  // namespace xsp::kineto
