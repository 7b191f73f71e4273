#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/guard/fixed_text.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/spin_lock.h"
#include "inject/library/call.h"

namespace xsp::guest {

/// What another profiler holds of CUPTI, as its calls have shown: the hooks around them write it
/// (other_profiler_hooks), our own thread goes on by it (other_profiler.h).

inline constexpr size_t kMaxCopies = 4;
inline constexpr uint32_t kMaxKinds = 256;

/// What another profiler does with one loaded file of CUPTI.
struct CuptiCopy {
  std::atomic<uintptr_t> low;  // of the file in memory; 0: free
  std::atomic<uint64_t> kinds[kMaxKinds / 64];
  std::atomic<bool> is_unflushed;  // a kind was disabled since it flushed
  // What it registered last, to be registered again where we have taken over in between.
  std::atomic<void*> registered_by;
  std::atomic<void*> subscriber;  // of cuptiActivityRegisterCallbacks_v2
  std::atomic<void*> requested;
  std::atomic<void*> completed;
  bool is_v2;
};

/// Nothing here waits for a lock that is held across a call of CUPTI.
struct OtherProfiler {
  CuptiCopy copies[kMaxCopies];
  std::atomic<bool> is_subscribing;
  std::atomic<bool> is_subscribed;
  std::atomic<bool> has_buffers;
  std::atomic<bool> to_settle;
  std::atomic<uint64_t> called_at_ns;  // it was seen last
  SpinLock<LockOrder::kProfilerName> name_lock;
  FixedText<128> name;
};

extern constinit ForkWiped<OtherProfiler> other_page;

/// Where the loaded file with this address begins in memory; 0: it is in none.
uintptr_t low_of(const void* address);

/// Null when there are more files of CUPTI than are told apart.
CuptiCopy* copy_at(OtherProfiler& other, uintptr_t low);

/// Names it by the file that calls.
std::string_view set_name(OtherProfiler& other, const xsp_around& around);

bool has_kinds(const OtherProfiler& other);
void set_kind(CuptiCopy& copy, int kind, bool enabled);

/// Has our own thread see whether it can go on.
void ask_to_settle(OtherProfiler& other);

/// The buffers are let go of once it has no kinds any more and, if a flush is due, has flushed since it disabled one.
void release_buffers_if_done(OtherProfiler& other, bool is_flush_due);

/// What is registered in place of its own completion callback, and passes its buffers on.
void* completion_of(const OtherProfiler& other, const CuptiCopy& copy);

/// Its callbacks are in place again where ours have been since it registered.
void register_again(const CuptiCopy& copy);

/// Has our session leave. Whether it had them before.
bool take_buffers(OtherProfiler& other, const xsp_around& around);

}  // namespace xsp::guest
