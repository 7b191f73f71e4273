#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "collector/continuous/span_account.h"
#include "collector/process/guest_totals.h"
#include "collector/process/process_activities.h"
#include "collector/process/process_clocks.h"
#include "collector/process/process_context.h"
#include "collector/process/process_devices.h"
#include "collector/process/process_gaps.h"
#include "collector/process/process_libraries.h"
#include "collector/process/process_names.h"
#include "collector/process/process_rings.h"
#include "collector/process/process_spans.h"
#include "collector/process/process_thread_counts.h"
#include "collector/profile/profile_files.h"
#include "collector/recording/recorded_process.h"
#include "proto/pbf.h"

namespace xsp {

/// One process in the trace: passes the packets that its guest sends to the parts that convert and write them, and at
/// its end has them take what it left in its shared memory. Used by one thread; the recording is not owned and must
/// outlive this object.
///
///     ProcessTrace process(recording, 1, hello, std::move(memory));
///     process.receive(body, bytes);                      // per packet
///     process.end(EndHow::kDisconnected, "");
///     while (process.work()) {}                          // profiles are converted in slices
class ProcessTrace final : private RecordedProcess {
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
  /// Converts a slice of the completed profile files; after end(), closes the process when they are done. Returns
  /// whether there is more to do.
  bool work();
  /// Ends and closes the process as it is: memory is too short for what work() has left to do.
  void give_up();

  /// Writes spans that have waited long enough.
  void flush_if_due(uint64_t now_ns);

 private:
  void write_minute(uint64_t now_ns, bool at_once) override;
  void write_storage_gap(bool is_closing) override;
  void end_part(uint64_t now_ns) override;
  void begin_part(uint64_t now_ns) override;

  void receive_end(protozero::data_view bytes);
  void close();
  void write_end();
  void add_to_summary();
  void keep_counts();

  ProcessContext context_;
  SpanAccount account_;
  ProcessNames names_;
  ProcessClocks clocks_;
  ProcessRings rings_;
  ProcessActivities activities_;
  ProcessSpans spans_;
  ProcessGaps gaps_;
  ProcessDevices devices_;
  ProcessLibraries libraries_;
  ProcessThreadCounts thread_counts_;
  ProfileFiles profiles_;
  GuestTotals<wire::Sampling> sampling_;
  GuestTotals<wire::Overhead> overhead_;

  bool said_goodbye_ = false;
  bool ended_ = false;
  bool closed_ = false;
  EndHow how_ = EndHow::kDisconnected;
  std::string why_;
  uint64_t end_ns_ = 0;  // as the process reported it: for ProcessEnd only, no decision depends on it
  uint64_t recovered_ = 0;
  uint64_t guest_cpu_ns_ = 0;
};

}  // namespace xsp
