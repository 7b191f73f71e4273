#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "collector/clocks/clock_map.h"
#include "collector/clocks/cupti_clock.h"
#include "collector/continuous/span_account.h"
#include "collector/correlation/api_calls.h"
#include "collector/correlation/execution_join.h"
#include "collector/messages/library_use.h"
#include "collector/messages/shared_memory_reader.h"
#include "collector/messages/unintercepted.h"
#include "collector/process/guest_totals.h"
#include "collector/profile/profile_files.h"
#include "collector/recording/recording.h"
#include "collector/writing/device_description.h"
#include "collector/writing/process_description.h"
#include "collector/writing/ring_stream.h"
#include "proto/pbf.h"

namespace xsp {

/// One process in the trace: takes the packets that its guest sends, converts and writes them, and when it ends takes
/// what it left behind in its shared memory.
///
///     ProcessTrace process(recording, 1, hello, std::move(memory));
///     process.receive(body, bytes);                      // per packet
///     process.end(EndHow::kDisconnected, "");
///     while (process.work()) {}                          // profiles are converted in slices
class ProcessTrace {
 public:
  /// Writes the process's description. `number` is Packet.process; `memory` may be null.
  ProcessTrace(Recording& recording, uint32_t number, const ProcessDescription& hello,
               std::unique_ptr<SharedMemoryReader> memory);
  ~ProcessTrace();
  ProcessTrace(const ProcessTrace&) = delete;
  ProcessTrace& operator=(const ProcessTrace&) = delete;

  /// Takes one packet's body. An error means that the peer must be cut off. Throws protozero::exception on broken
  /// protobuf, which means the same.
  Status receive(Body body, protozero::data_view bytes);
  bool said_goodbye() const { return said_goodbye_; }

  /// The guest sends no more: recovers its rings and prepares the end. Further calls do nothing.
  void end(EndHow how, std::string_view why);
  /// Converts a slice of the profile files that are whole, and after end() closes the process when they are done.
  /// Returns whether there is more to do.
  bool work();
  /// Ends and closes the process as it is: there is no memory for what work() has left to do.
  void give_up();

  /// Writes spans that have waited long enough.
  void flush_if_due(uint64_t now_ns);
  /// Writes what is told once a minute, if it is due or `at_once`.
  void write_minute(uint64_t now_ns, bool at_once);
  /// Tells since when spans are counted and not stored, or until when they were.
  void write_storage_gap(bool is_closing);

  /// A part of the recording ends, or begins: says in it what is needed to read it alone.
  void end_part(uint64_t now_ns);
  void begin_part(uint64_t now_ns);

 private:
  Status receive_strings(protozero::data_view bytes);
  Status receive_spans(protozero::data_view bytes);
  Status receive_tags(protozero::data_view bytes);
  Status receive_arguments(protozero::data_view bytes);
  Status receive_activities(protozero::data_view bytes);
  Status receive_graph_nodes(protozero::data_view bytes);
  void receive_gap(protozero::data_view bytes);
  void receive_device(protozero::data_view bytes);
  Status receive_counters(protozero::data_view bytes);
  Status receive_unintercepted(protozero::data_view bytes);
  Status receive_loaded_files(protozero::data_view bytes);
  void keep_unintercepted(UninterceptedLibrary library);
  void report_static_libraries();
  Status receive_used_library(protozero::data_view bytes);
  void keep_used_library(LibraryUse used);
  Status receive_profile_file(protozero::data_view bytes);
  void receive_clock(protozero::data_view bytes);
  void receive_loss(protozero::data_view bytes);
  void receive_notice(protozero::data_view bytes);
  void receive_end(protozero::data_view bytes);
  /// Holds a call's arguments; counts them as corrupt if their layout is not known. False: too many.
  bool hold_arguments(RingStream& stream, uint32_t thread, uint32_t span, uint32_t layout, std::string_view values);
  void notice(Severity severity, std::string_view component, std::string_view text);

  RingStream& ring(uint32_t index);
  /// A ring grew that held `before` bytes: writes early what it can if that is too much.
  Status check_held(const RingStream& stream, size_t before);
  void count_held();
  uint32_t known_string(uint32_t id);
  uint64_t to_ns(uint32_t clock, uint64_t time) const;
  void convert(uint32_t clock, SpanRow& row);
  /// Whether a batch's records are the next of its ring. What is missing before them is counted; behind a batch that
  /// repeats some, the ring goes on.
  bool are_next(const BatchHead& head);
  /// False: the row is no call of the API. The calls of a batch are taken before the executions that they launch.
  bool take_api_call(uint32_t clock, ActivityRow& row, uint64_t now_ns);
  void take_activity(uint32_t clock, ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns);
  bool convert(uint32_t clock, ActivityRow& row, uint64_t now_ns);
  void add_launch(uint32_t ring, const SpanRow& row);
  void add_graph_node(uint32_t ring, uint64_t node, uint64_t original, uint32_t span);
  void add_cupti_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns);
  void guess_cupti_clock(uint64_t ticks);
  void take_left_activities(uint64_t now_ns);
  void complete_clock();

  void recover(uint64_t now_ns);
  void recover_strings();
  void recover_records(uint32_t index, uint32_t thread, uint64_t head, uint64_t now_ns);
  void recover_open_spans(uint32_t index, const shm::RingHeader& ring);
  void recover_losses();
  void recover_used_libraries(const shm::SharedHeader& header);
  void count_unreadable();

  void write_hello_packet();
  void write_strings_again();
  void write_losses();
  void write_clocks();
  void keep_counts();
  bool is_of_other_user();
  void write_strings(uint32_t first_id, const std::vector<std::string_view>& texts);
  void write_clock(uint32_t clock, const ClockMap& map, uint64_t error_ns);
  void close();

  Recording& recording_;
  TraceWriter& writer_;
  uint32_t number_;
  ProcessDescription hello_;  // said again in each part
  SpanAccount account_;
  GuestTotals sampling_{Body::kSampling, 4};
  GuestTotals overhead_{Body::kOverhead, 6};
  uint64_t storage_gap_begin_ns_ = 0;
  std::vector<RecordingGap> open_gaps_;
  uint32_t pid_;
  uint32_t clock_;
  std::unique_ptr<SharedMemoryReader> memory_;
  ClockMap clock_map_;
  CuptiClock cupti_clock_;
  bool cupti_clock_is_guessed_ = false;
  uint32_t strings_ = 0;  // ids 1..strings_ are in the trace
  uint64_t string_bytes_ = 0;
  bool unknown_string_used_ = false;
  std::vector<std::unique_ptr<RingStream>> rings_;
  size_t held_ = 0;  // in them; never less than it is
  LossTable losses_;
  ExecutionJoin executions_;
  ApiCalls api_calls_;
  std::vector<shm::ActivityRecord> left_activities_;  // found in the rings of an ended process
  RecordingGap last_gap_;
  size_t gaps_ = 0;
  std::vector<DeviceDescription> devices_;
  size_t notices_ = 0;
  std::vector<UninterceptedLibrary> unintercepted_;
  std::vector<std::string> loaded_files_;
  std::vector<LibraryUse> used_libraries_;
  uint32_t used_libraries_received_ = 0;
  ProfileFiles profiles_;
  uint64_t spans_ = 0;
  uint64_t recovered_ = 0;
  uint64_t guest_cpu_ns_ = 0;
  bool told_foreign_ = false;
  bool said_goodbye_ = false;
  bool ended_ = false;
  bool closed_ = false;
  EndHow how_ = EndHow::kDisconnected;
  std::string why_;
  uint64_t end_ns_ = 0;  // that the process told: for ProcessEnd and no decision
};

}  // namespace xsp
