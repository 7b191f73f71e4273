#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/kineto/operator_arguments.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// A process of the host, as the events name it.
struct HostProcess {
  explicit HostProcess(ImportedProcess& of) : process(of), arguments(of) {}

  ImportedProcess& process;
  OperatorArgumentTable arguments;
};

/// A thread of the host.
struct HostThread {
  HostProcess* host = nullptr;
  uint32_t process = 0;        // number in HostThreads::processes()
  uint32_t index = 0;          // in the ImportedProcess
  uint32_t spans = 0;          // added so far
  int64_t latest_ns = 0;       // latest time of all that was added
  std::vector<uint32_t> open;  // spans with a "B" but no "E" yet
};

/// Finds processes and threads by "pid" and "tid", which may be strings or numbers of any size.
class HostThreads {
 public:
  explicit HostThreads(ProfileTimeline* timeline) : timeline_(timeline) {}

  /// The number of an event's thread, created on first use. Python functions of threads unknown to the profiler have
  /// pid 0, which then stands for the first process.
  uint32_t find(const Place& pid, const Place& tid, bool is_python = false);
  HostThread& thread(uint32_t number) { return threads_[number]; }
  std::vector<HostThread>& threads() { return threads_; }
  const std::vector<std::unique_ptr<HostProcess>>& processes() const { return processes_; }

  ImportedSpan& span(uint32_t thread, uint32_t number) {
    return threads_[thread].host->process.span({threads_[thread].index, number});
  }
  /// Adds a span and returns its number in the thread.
  uint32_t add(uint32_t thread, const ImportedSpan& span);

 private:
  uint32_t id_of(const Place& place);
  uint32_t process_of(uint32_t pid, bool is_python);

  ProfileTimeline* timeline_;
  std::vector<std::unique_ptr<HostProcess>> processes_;
  std::unordered_map<uint32_t, uint32_t> process_numbers_;  // by pid
  std::vector<HostThread> threads_;
  std::unordered_map<uint64_t, uint32_t> thread_numbers_;  // by process and tid
  std::unordered_map<std::string, uint32_t> names_;        // of places that are not 32-bit numbers
  uint64_t last_key_ = UINT64_MAX;
  uint32_t last_ = 0;
};

}  // namespace xsp::kineto
