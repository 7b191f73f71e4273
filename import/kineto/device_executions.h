#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// What devices did. The events name the device and the stream, not the process: they go to the first process of the
/// host, and the writer moves those whose launch is in another one.
class DeviceExecutions {
 public:
  /// An event of one of the device's categories, with a time and a duration.
  void add(const ProfilerEvent& event, wire::Kind kind);
  /// From now on executions go to this process, as do those that came before.
  void set_home(ImportedProcess* home);
  bool has_home() const { return home_ != nullptr; }
  ImportedProcess* home() const { return home_; }
  size_t size() const { return count_; }
  /// How many events appeared twice in a row.
  uint64_t duplicates() const { return duplicates_; }

 private:
  uint32_t text(std::string_view text) { return home_ != nullptr ? home_->text(text) : waiting_texts_.intern(text); }
  uint32_t name_of(const ProfilerEvent& event, wire::Kind kind);
  uint32_t configuration_of(const ProfilerEvent& event);

  ImportedProcess* home_ = nullptr;
  std::vector<ImportedExecution> waiting_;
  StringPool waiting_texts_;
  ImportedExecution last_;
  size_t count_ = 0;
  uint64_t duplicates_ = 0;
  std::string buffer_;
};

}  // namespace xsp::kineto
