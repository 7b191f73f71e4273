#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/writing/ring_stream.h"
#include "collector/writing/trace_writer.h"
#include "import/frame/profile_timeline.h"
#include "import/writing/launch_index.h"

namespace xsp {

/// Writes one timeline as a segment of a trace: checks its times, nests the spans of each thread, finds the launches.
class TimelineWriter {
 public:
  TimelineWriter(ProfileTimeline& timeline, std::string_view format, TraceWriter& writer)
      : timeline_(timeline), format_(format), writer_(writer) {}

  ImportTotals write(const std::vector<std::string>& files, const ImportChoices& choices);

 private:
  /// What was written of a process.
  struct Written {
    uint32_t number = 0;  // in the trace; 0: nothing yet
    uint32_t strings = 0;
    uint64_t spans = 0;
    LaunchIndex launches;
    std::vector<std::pair<uint64_t, SpanReference>> told_launches;  // by number of the execution
  };
  /// An execution: the process that it was added to, and its number there.
  struct Source {
    uint32_t process;
    uint32_t number;
  };

  void check_times();
  bool check_interval(int64_t* begin, int64_t* end);
  uint64_t to_ns(int64_t time) const { return static_cast<uint64_t>(time - origin_) + kFirstNs; }

  void write_header(const std::vector<std::string>& files, const ImportChoices& choices);
  void write_hello(size_t process);
  void write_device(size_t process, const ImportedDevice& device);
  void write_strings(size_t process);
  void write_spans(size_t process);
  void write_thread(size_t process, uint32_t thread, const std::vector<uint32_t>& order);
  template <typename Close, typename AddLaunch>
  void nest_by_time(const ImportedProcess::Thread& thread, const std::vector<uint32_t>& order, Close&& close,
                    AddLaunch&& add_launch);
  template <typename Close, typename AddLaunch>
  void nest_as_told(const ImportedProcess::Thread& thread, const std::vector<uint32_t>& order, Close&& close,
                    AddLaunch&& add_launch);
  void write_nodes(size_t process, uint32_t thread);
  SpanRow row_of(const ImportedProcess& process, const ImportedSpan& span) const;
  void hold_arguments(const ImportedProcess& process, const ImportedSpan& span, uint32_t tid, uint32_t id,
                      RingStream* stream);
  std::vector<uint32_t> order_of(const ImportedProcess::Thread& thread) const;
  void resolve_links(size_t process, const std::vector<std::vector<uint32_t>>& orders);
  void write_executions();
  std::vector<std::vector<Source>> place_executions();
  void write_executions(size_t process, std::vector<Source>& sources);
  void write_counters(size_t process, const std::vector<Source>& sources);
  void write_losses();
  void write_notes();
  void write_ends();

  static constexpr uint64_t kFirstNs = 1'000'000;

  ProfileTimeline& timeline_;
  std::string_view format_;
  TraceWriter& writer_;
  std::vector<Written> written_;  // by process
  /// Of the backward spans of the process that is being written: (thread, number) and what they belong to.
  struct Forward {
    ImportedSpanId backward;
    SpanReference forward;
  };
  std::vector<Forward> forwards_;
  uint32_t processes_ = 0;
  int64_t origin_ = 0;
  uint64_t end_ns_ = kFirstNs;
  uint64_t without_time_ = 0;
  uint64_t inverted_ = 0;
  uint64_t ambiguous_ = 0;
  uint64_t children_before_parents_ = 0;
  ImportTotals totals_;
};

}  // namespace xsp
