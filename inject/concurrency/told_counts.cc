#include "inject/concurrency/told_counts.h"

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/process.h"
#include "proto/packet_writer.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kCallsOfAPacket = 32;
constexpr uint64_t kLongestWaitNs = 100'000'000;
constexpr size_t kPacketBytes = 6144;
static_assert(kCallsOfAPacket * (8 + wire::capacity(wire::ThreadCount()) + wire::capacity(wire::ThreadSwitch())) + 200 <
              kPacketBytes);

struct ToldCounts {
  SpinLock<LockOrder::kThreadCounts> lock;
  wire::ThreadCounts totals;
  wire::ThreadCount calls[kCallsOfAPacket];
  uint32_t count;
  bool is_changed;  // something else than calls waits
  uint64_t since_ns;
};
constinit ForkWiped<ToldCounts> told_counts;

template <typename Switches>
void post(ToldCounts& told, Switches&& write_switches) {
  uint8_t buffer[kPacketBytes];
  WireWriter writer(buffer, sizeof buffer);
  write_packet(writer, wire::ThreadCounts::kBody, [&] {
    const auto write_calls = [&] {
      for (uint32_t i = 0; i < told.count; ++i) write_nested(writer, wire::ThreadCounts::kCall, told.calls[i]);
    };
    wire::write(writer, told.totals, write_calls, [&] { write_switches(writer); });
  });
  // If the outbox is full these calls are not told: which numbers they had is then not known.
  if (!writer.failed()) post_packet(writer.data(), writer.size());
  told.count = 0;
  told.is_changed = false;
  told.totals.sessions = told.totals.sessions_intra = told.totals.sessions_inter = 0;
}

void post_without_switches(ToldCounts& told) {
  post(told, [](WireWriter&) {});
}

/// change(told) under the lock; what waits is posted if it is enough, or has waited long enough.
template <typename Change>
void change_told(Change&& change) {
  ToldCounts* told = told_counts.get();
  if (told == nullptr) return;
  const ErrnoGuard errno_guard;
  const LockGuard lock(told->lock);
  const uint64_t at = nanoseconds(CLOCK_MONOTONIC);
  if (told->count == 0 && !told->is_changed) told->since_ns = at;
  change(*told);
  if (told->count == kCallsOfAPacket || at - told->since_ns >= kLongestWaitNs) post_without_switches(*told);
}

}  // namespace

void prepare_thread_counts() { told_counts.make(); }

void tell_thread_count(const wire::ThreadCount& call) {
  change_told([&](ToldCounts& told) { told.calls[told.count++] = call; });
}

void tell_switches(const wire::ThreadSwitch* changes, uint32_t count) {
  change_told([&](ToldCounts& told) {
    for (uint32_t first = 0; first < count; first += kCallsOfAPacket) {
      post(told, [&](WireWriter& writer) {
        for (uint32_t i = first; i < count && i < first + kCallsOfAPacket; ++i) {
          write_nested(writer, wire::ThreadCounts::kSwitch, changes[i]);
        }
      });
    }
  });
}

void tell_cores(uint32_t cores) {
  change_told([&](ToldCounts& told) {
    told.totals.cores = cores;
    told.is_changed = true;
  });
}

void tell_own_threads(uint32_t threads) {
  change_told([&](ToldCounts& told) {
    told.totals.own = threads;
    told.is_changed = true;
  });
}

void tell_ended(wire::ThreadCountsEnded why) {
  change_told([&](ToldCounts& told) {
    told.totals.ended = static_cast<uint32_t>(why);
    told.is_changed = true;
  });
}

void tell_session(uint32_t intra, uint32_t inter) {
  change_told([&](ToldCounts& told) {
    told.totals.sessions_intra = intra;
    told.totals.sessions_inter = inter;
    ++told.totals.sessions;
    told.is_changed = true;
  });
}

void flush_thread_counts(Process&) {
  change_told([](ToldCounts& told) {
    if (told.count != 0 || told.is_changed) post_without_switches(told);
  });
}

}  // namespace xsp::guest
