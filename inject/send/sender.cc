#include "inject/send/sender.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "inject/guard/futex.h"
#include "inject/guard/own_thread.h"
#include "inject/record/thread.h"
#include "inject/record/upward_calls.h"
#include "inject/send/connection.h"
#include "inject/send/cost_report.h"
#include "inject/send/packets.h"
#include "inject/send/process_packets.h"
#include "inject/send/ring_memory.h"
#include "inject/send/ring_records.h"
#include "inject/send/sender_state.h"
#include "proto/packet_writer.h"

namespace xsp::guest {
namespace {

constexpr size_t kStackBytes = size_t{128} * 1024;  // on top of the thread-local storage
constexpr uint64_t kActiveWaitNs = 20'000'000;
constexpr uint64_t kShortestWaitNs = 100'000;
// The default, 50 µs, is half of the shortest wait.
constexpr unsigned long kTimerSlackNs = 10'000;
/// How many records a round should find in the fullest ring. A thread that must wake the sender pays for a system call:
/// it does so only when its ring is three quarters full, which at a steady rate never happens.
constexpr uint64_t kRecordsARound = shm::kRingRecords / 8;
constexpr uint64_t kIdleWaitNs = 250'000'000;
/// Where model calls are sampled: little is recorded, and the rounds themselves are most of the cost.
constexpr uint64_t kSampledWaitNs = 100'000'000;
constexpr int kQuietRoundsBeforeIdle = 10;
constexpr uint64_t kUnfinishedNs = 100'000'000;  // for a record that later ones have passed
/// How long arguments without their span wait: their thread may have lost the processor between the two. While the span
/// is open it will come, on a busy machine after a second; else it was dropped. If that many records came after them,
/// it was dropped in any case.
constexpr uint64_t kArgumentsNs = 20'000'000;
constexpr uint64_t kArgumentsOfOpenSpanNs = 5'000'000'000;
constexpr uint64_t kRecordsBehindArguments = 64;

/// Whether the main thread has ended with pthread_exit, and so have all others but the guest's. The robust list is
/// asked first, as that is cheap and opens no file: a thread that has ended has none. Nor has one in the child of a raw
/// fork, so /proc decides.
bool is_only_thread(int pid) {
  void* robust_list = nullptr;
  size_t length = 0;
  if (syscall(SYS_get_robust_list, pid, &robust_list, &length) != 0 || robust_list != nullptr) return false;
  char text[512];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length_read = read(file, text, sizeof text - 1);
  close(file);
  if (length_read <= 0) return false;
  text[length_read] = '\0';
  const char* at = strrchr(text, ')');
  constexpr int kToThreads = 18;  // blanks from the name to the number of threads; the first precedes the state
  if (at == nullptr || at[1] != ' ' || at[2] != 'Z') return false;
  for (int i = 0; i < kToThreads && at != nullptr; ++i) at = strchr(at + 1, ' ');
  const int of_guest = 1 + upward_calls.own_threads();
  const char threads = static_cast<char>('1' + of_guest);
  return at != nullptr && at[1] == threads && at[2] == ' ';
}

/// What the sender knows of the process. Lives on the sender's stack.
class Sender {
 public:
  /// `buffer`: kBufferBytes.
  Sender(Process& process, uint8_t* buffer)
      : process_(process),
        joined_(reinterpret_cast<shm::Record*>(buffer)),
        writer_(buffer + kJoinedBytes, kPacketBytes),
        cost_(process),
        memory_(process) {}
  static constexpr size_t kJoinedBytes = kBatchRecords * sizeof(shm::Record);
  static constexpr size_t kBufferBytes = kJoinedBytes + kPacketBytes;

  void run() {
    int quiet_rounds = 0;
    while (true) {
      // Read before the work: a wake-up that comes during the round makes the futex return at once.
      const uint32_t seen = process_.wake_word.load(std::memory_order_acquire);
      const bool last = process_.of<SenderState>().stop_requested.load(std::memory_order_acquire) != 0;
      // Before the round, so that the gaps and notices that these post go out with it.
      uint64_t window_ns = update_window(process_);
      window_ns = std::min(window_ns, update_sampling(process_, nanoseconds(CLOCK_MONOTONIC)));
      memory_.fault_in_busy_rings();
      const size_t records = send_round(last);
      memory_.keep_overflow_areas();
      const uint64_t pace_ns = next_pace();
      if (lost_ || last) break;
      quiet_rounds = records == 0 ? quiet_rounds + 1 : 0;
      // Only in quiet rounds: a program that has lost its last thread records nothing.
      if (quiet_rounds > 0 && is_only_thread(process_.pid)) end_process();
      process_.sender_sleeping.store(1, std::memory_order_seq_cst);
      const uint64_t wait_ns = quiet_rounds > kQuietRoundsBeforeIdle ? kIdleWaitNs : pace_ns;
      futex_wait(&process_.wake_word, seen, std::min(wait_ns, window_ns));
      process_.sender_sleeping.store(0, std::memory_order_relaxed);
    }
    // Last: the goodbye promises that everything before it has been sent.
    if (!lost_) say_goodbye();
  }

  /// Called by the process's exit handler, when that runs on the sender's own thread.
  void finish() {
    memory_.fault_in_busy_rings();
    send_round(true);
    if (!lost_) say_goodbye();
  }

  bool said_goodbye() const { return !lost_; }

 private:
  /// Ends the process: without the guest it would have ended with the program's last thread.
  [[noreturn]] void end_process() {
    process_.sender_running.store(0, std::memory_order_release);
    // For stop_sender(), which exit handlers call on this thread: it would wait for itself.
    process_.of<SenderState>().lone_sender.store(this, std::memory_order_release);
    exit(0);
  }

  void flush() {
    if (!lost_ && writer_.size() > 0) lost_ = writer_.failed() || !send_all(process_, writer_.data(), writer_.size());
    writer_.clear();
  }

  /// The time in which the fullest ring gets kRecordsARound records, at the rate since the last round. After a rest the
  /// records come at the rate of before: so the time at most doubles, and the next burst need not wake the sender.
  uint64_t next_pace() {
    const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
    const uint64_t since = time - round_ns_;
    round_ns_ = time;
    const uint64_t longest = is_sampling.load(std::memory_order_relaxed) ? kSampledWaitNs : kActiveWaitNs;
    const uint64_t at_rate = fullest_ == 0 ? longest : std::min(since, kIdleWaitNs) * kRecordsARound / fullest_;
    pace_ns_ = std::clamp(std::min(at_rate, 2 * pace_ns_), kShortestWaitNs, longest);
    return pace_ns_;
  }

  /// Heads first, then the clock, then strings: so every time in the round is earlier than the clock's reading, and
  /// every name is sent before its use.
  size_t send_round(bool last) {
    const shm::SharedHeader* header = process_.region.header();
    const uint32_t rings = header->rings_used.load(std::memory_order_acquire);
    size_t records = 0;
    fullest_ = 0;
    for (uint32_t i = 0; i < rings; ++i) {
      heads_[i] = process_.ring(i)->head.load(std::memory_order_acquire);
      const uint64_t unsent = heads_[i] - process_.ring(i)->sent.load(std::memory_order_relaxed);
      fullest_ = std::max(fullest_, unsent);
      records += unsent;
    }
    if (records > 0) {
      send_clock();
      send_strings();
    }
    send_outbox();
    send_used_libraries();
    for (uint32_t i = 0; i < rings && !lost_; ++i) send_ring(i, heads_[i], last);
    // After the rings have been sent: emptying them is what makes them free.
    look_for_free_rings(rings);
    send_losses(rings);
    cost_.write(writer_, read_clock_pair(), last);
    flush();
    return records;
  }

  void send_clock() {
    const ClockPair clock = read_clock_pair();
    shm::SharedHeader* header = process_.region.header();
    // A seqlock: the collector reads these two after a kill, which may have come in the middle. An odd number says so.
    header->clock_sequence.fetch_add(1, std::memory_order_acq_rel);
    header->clock_ticks[1].store(clock.ticks, std::memory_order_relaxed);
    header->clock_ns[1].store(clock.monotonic_ns, std::memory_order_relaxed);
    header->clock_sequence.fetch_add(1, std::memory_order_release);
    if (!first_clock_sent_) write_clock(writer_, process_.first_clock);
    first_clock_sent_ = true;
    write_clock(writer_, clock);
    flush();
  }

  void send_strings() {
    const uint32_t count = process_.region.header()->string_count.load(std::memory_order_acquire);
    while (strings_sent_ < count && !lost_) {
      strings_sent_ = write_strings(writer_, process_.region, strings_sent_ + 1, count, &arena_sent_);
      flush();
    }
  }

  /// Sent after the strings that its packets may name.
  void send_outbox() {
    size_t length;
    {
      const LockGuard lock(process_.lock);
      length = process_.outbox_used;
    }
    if (length == 0) return;
    send_strings();
    {
      // Other threads may have posted more meanwhile: only what was there before the strings were sent is taken.
      const LockGuard lock(process_.lock);
      std::copy_n(process_.outbox, length, const_cast<uint8_t*>(writer_.data()));
      std::copy(process_.outbox + length, process_.outbox + process_.outbox_used, process_.outbox);
      process_.outbox_used -= length;
    }
    if (!lost_) lost_ = !send_all(process_, writer_.data(), length);
    // Also when the connection is lost: nobody should wait for bytes that will never be sent.
    process_.sent_bytes.fetch_add(length, std::memory_order_release);
  }

  void send_used_libraries() {
    const shm::SharedHeader* header = process_.region.header();
    const uint32_t count = header->used_library_count.load(std::memory_order_acquire);
    for (; used_libraries_sent_ < count && !lost_; ++used_libraries_sent_) {
      const shm::UsedLibrary& used = header->used_libraries[used_libraries_sent_];
      const StringTable& strings = process_.strings;
      write_packet(writer_, wire::UsedLibrary{
                                .library = strings.text(process_.region, used.library.load(std::memory_order_relaxed)),
                                .file = strings.text(process_.region, used.file.load(std::memory_order_relaxed))});
      flush();
    }
  }

  /// Whether arguments whose span is missing, at the point reached in the ring, may be left for a later round.
  bool may_wait(uint32_t index, uint64_t sent, uint64_t head) {
    if (waiting_[index].at != sent + 1) return true;
    if (head - sent >= kRecordsBehindArguments) return false;
    const uint64_t waited_ns = nanoseconds(CLOCK_MONOTONIC) - waiting_[index].since_ns;
    return waited_ns < (is_span_open(index, sent) ? kArgumentsOfOpenSpanNs : kArgumentsNs);
  }

  /// Whether the record at `sent` is of the arguments of a span that is open on the ring's stack.
  bool is_span_open(uint32_t index, uint64_t sent) {
    uint64_t behind = sent + 1;
    const RingRecords records = records_of_memory(process_.region, index, sent, &behind);
    if (!records.is_finished(0) || records.type(0) != shm::RecordType::kArguments) return false;
    const uint32_t span = records.arguments_at(0)->span;
    return std::any_of(std::begin(process_.ring(index)->open), std::end(process_.ring(index)->open),
                       [span](const shm::OpenSpan& open) { return open.id.load(std::memory_order_acquire) == span; });
  }

  void send_ring(uint32_t index, uint64_t head, bool last) {
    shm::RingHeader* ring = process_.ring(index);
    uint64_t sent = ring->sent.load(std::memory_order_relaxed);
    while (sent < head && !lost_) {
      const bool waits = !last && may_wait(index, sent, head);
      const size_t covered = write_records(writer_, process_.region, index, sent, head, waits, joined_);
      flush();
      // Whether arguments wait or a record is unfinished, the time counts from the first round that stopped here.
      if (covered == 0 && waiting_[index].at != sent + 1) {
        waiting_[index] = {.at = sent + 1, .since_ns = nanoseconds(CLOCK_MONOTONIC)};
      }
      if (lost_ || (covered == 0 && !is_abandoned(index, sent, head, last))) return;
      sent += covered == 0 ? 1 : covered;
      // Only after the bytes are in the socket: from here on the thread overwrites these records.
      ring->sent.store(sent, std::memory_order_release);
    }
  }

  /// For threads that found no free ring. Which one is free they find out themselves.
  void look_for_free_rings(uint32_t rings) {
    if (process_.no_ring_left.load(std::memory_order_relaxed) == 0) return;
    for (uint32_t i = 0; i < rings; ++i) {
      if (!is_free(*process_.ring(i))) continue;
      process_.no_ring_left.store(0, std::memory_order_release);
      return;
    }
  }

  /// Whether the record at `sent` will never be finished: a signal handler left it by longjmp, or its thread was
  /// cancelled in the middle. A handler that is still at work may also have recorded after it, so it gets some time.
  /// The collector counts what is left out.
  bool is_abandoned(uint32_t index, uint64_t sent, uint64_t head, bool last) {
    const RingRecords records = records_of_memory(process_.region, index, sent, &head);
    if (records.is_finished(0)) return false;
    bool is_passed =
        process_.ring(index)->state.load(std::memory_order_acquire) == static_cast<uint32_t>(shm::RingState::kRetired);
    for (uint64_t at = head - sent - 1; at > 0 && !is_passed; --at) is_passed = records.is_finished(at);
    if (!is_passed) return false;
    Unfinished& unfinished = unfinished_[index];
    // What was in the ring when the wait began has waited as long: one wait is enough for all unfinished records in it.
    if (last || sent < unfinished.given_up) return true;
    const uint64_t now_ns = nanoseconds(CLOCK_MONOTONIC);
    if (unfinished.at != sent + 1) {
      unfinished = {.at = sent + 1, .head = head, .since_ns = now_ns, .given_up = 0};
    } else if (now_ns - unfinished.since_ns >= kUnfinishedNs) {
      unfinished.given_up = unfinished.head;
      return true;
    }
    return false;
  }

  /// Sends the running totals that have changed.
  void send_losses(uint32_t rings) {
    constexpr auto kRingFull = static_cast<size_t>(wire::LossReason::kRingFull);
    constexpr auto kTooDeep = static_cast<size_t>(wire::LossReason::kTooDeep);
    uint64_t totals[wire::kLossReasonCount] = {};
    for (uint32_t reason = 0; reason < wire::kLossReasonCount; ++reason) {
      totals[reason] = process_.region.header()->losses[reason].load(std::memory_order_relaxed);
    }
    for (uint32_t i = 0; i < rings; ++i) {
      totals[kRingFull] += process_.ring(i)->dropped.load(std::memory_order_relaxed);
      totals[kTooDeep] += process_.ring(i)->too_deep.load(std::memory_order_relaxed);
    }
    for (uint32_t reason = 1; reason < wire::kLossReasonCount; ++reason) {
      if (totals[reason] == losses_sent_[reason]) continue;
      losses_sent_[reason] = totals[reason];
      write_loss(writer_, reason, totals[reason]);
    }
    flush();
  }

  void say_goodbye() {
    // Before the packet: the connection may break, and the collector then finds the goodbye in the memory.
    process_.region.header()->goodbye.store(1, std::memory_order_release);
    write_goodbye(writer_);
    flush();
  }

  Process& process_;
  shm::Record* joined_;
  WireWriter writer_;
  CostReport cost_;
  RingMemory memory_;
  bool lost_ = false;
  uint64_t round_ns_ = 0;  // when the last round ended
  uint64_t pace_ns_ = kSampledWaitNs;
  uint64_t fullest_ = 0;  // records of the fullest ring in the last round
  bool first_clock_sent_ = false;
  uint32_t strings_sent_ = 0;
  uint64_t arena_sent_ = 0;
  uint32_t used_libraries_sent_ = 0;
  uint64_t losses_sent_[wire::kLossReasonCount] = {};
  uint64_t heads_[shm::kMaxRings] = {};
  struct Waiting {
    uint64_t at;  // + 1
    uint64_t since_ns;
  };
  Waiting waiting_[shm::kMaxRings] = {};
  struct Unfinished {
    uint64_t at;  // + 1
    uint64_t head;
    uint64_t since_ns;
    uint64_t given_up;  // below: not waited for
  };
  Unfinished unfinished_[shm::kMaxRings] = {};
};

void* sender_main(void* argument) {
  auto& process = *static_cast<Process*>(argument);
  enter_own_thread("xsp-sender");
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  // Too large for this thread's stack; and not from malloc, which may be the program's own.
  void* buffer = mmap(nullptr, Sender::kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool is_lost = false;
  if (buffer != MAP_FAILED) {
    Sender sender(process, static_cast<uint8_t*>(buffer));
    sender.run();
    is_lost = !sender.said_goodbye() && !is_connected(process);
    if (!sender.said_goodbye() && !owns_connection(process)) {
      say_why_off(process,
                  "the program closed the connection to the collector: later spans of this process are missing");
    }
    munmap(buffer, Sender::kBufferBytes);
  }
  if (is_lost) {
    // Only if the collector is gone. As long as it has the other end, it takes from the rings what this process leaves
    // there.
    pause_hooks(PauseReason::kNobodyListens);
    tell_window_listeners();
  }
  // From here on a thread that waits for room (--on-full=block) gives up.
  process.sender_running.store(0, std::memory_order_release);
  auto& done = process.of<SenderState>().done;
  done.store(1, std::memory_order_release);
  futex_wake(&done);
  return nullptr;
}

}  // namespace

void start_sender(Process& process) {
  process.sender_running.store(1, std::memory_order_relaxed);
  // Without the sender the rings fill, and the collector takes what they hold when the process ends.
  if (!start_own_thread(sender_main, &process, kStackBytes)) process.sender_running.store(0);
}

void stop_sender(Process& process) {
  SenderState& sender = process.of<SenderState>();
  if (void* lone = sender.lone_sender.exchange(nullptr, std::memory_order_acq_rel)) {
    static_cast<Sender*>(lone)->finish();
    return;
  }
  if (process.sender_running.load(std::memory_order_acquire) == 0) return;
  sender.stop_requested.store(1, std::memory_order_release);
  wake_sender(process);
  // A collector that hangs must not keep the program from ending. What was not sent by then lies in the rings.
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + 2'000'000'000;
  while (sender.done.load(std::memory_order_acquire) == 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    futex_wait(&sender.done, 0, 100'000'000);
  }
}

}  // namespace xsp::guest
