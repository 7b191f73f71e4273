#include "import/kineto/host_threads.h"

#include <algorithm>

namespace xsp::kineto {
namespace {

/// Ids assigned to places whose own do not fit.
constexpr uint32_t kFirstNamed = 0xF0000000;

}  // namespace

uint32_t HostThreads::id_of(const Place& place) {
  if (place.number.is_known && place.number.value >= 0 && place.number.value < kFirstNamed) {
    return static_cast<uint32_t>(place.number.value);
  }
  // torch.autograd.profiler knows only one process and does not say which.
  if (!place.number.is_known && (place.text.empty() || place.text == "CPU functions")) return 0;
  const std::string name = place.number.is_known ? std::to_string(place.number.value) : std::string(place.text);
  return names_.emplace(name, kFirstNamed + static_cast<uint32_t>(names_.size())).first->second;
}

uint32_t HostThreads::process_of(uint32_t pid, bool is_python) {
  if (is_python && pid == 0 && !processes_.empty()) return 0;
  const auto [found, added] = process_numbers_.emplace(pid, static_cast<uint32_t>(processes_.size()));
  if (added) processes_.push_back(std::make_unique<HostProcess>(timeline_->process(pid)));
  return found->second;
}

uint32_t HostThreads::find(const Place& pid, const Place& tid, bool is_python) {
  const uint64_t key = uint64_t{id_of(pid)} << 32 | id_of(tid);
  if (key == last_key_ && !is_python) return last_;
  const uint32_t process = process_of(static_cast<uint32_t>(key >> 32), is_python);
  const auto id = static_cast<uint32_t>(key);
  const auto [found, added] =
      thread_numbers_.emplace(uint64_t{process} << 32 | id, static_cast<uint32_t>(threads_.size()));
  if (added) {
    HostThread thread;
    thread.host = processes_[process].get();
    thread.process = process;
    thread.index = thread.host->process.thread(id);
    threads_.push_back(std::move(thread));
  }
  if (!is_python) {
    last_key_ = key;
    last_ = found->second;
  }
  return found->second;
}

uint32_t HostThreads::add(uint32_t thread, const ImportedSpan& span) {
  HostThread& to = threads_[thread];
  const ImportedSpanId id = to.host->process.add_span(to.index, span);
  to.spans = id.number + 1;
  to.latest_ns = std::max(to.latest_ns, span.end_ns);
  return id.number;
}

}  // namespace xsp::kineto
