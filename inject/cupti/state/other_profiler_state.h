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

/// What another profiler holds of CUPTI, as its calls have shown. The hooks around these calls write it
/// (other_profiler_hooks.cc), and our own thread reads from it when our session may go on (giving_way.h).

inline constexpr size_t kMaxCopies = 4;
inline constexpr uint32_t kMaxKinds = 256;

/// What another profiler does with one loaded file of CUPTI.
struct CuptiCopy {
  std::atomic<uintptr_t> low;  // of the file in memory; 0: free
  std::atomic<uint64_t> kinds[kMaxKinds / 64];
  std::atomic<bool> is_unflushed;  // it has disabled a kind and not flushed since
  // What it registered last, to be registered again if our callbacks have replaced it since.
  std::atomic<void*> registered_by;
  std::atomic<void*> subscriber;  // of cuptiActivityRegisterCallbacks_v2
  std::atomic<void*> requested;
  std::atomic<void*> completed;
  bool is_v2;
};

/// Atomics, so that hooks never wait for a thread that is inside CUPTI.
struct OtherProfiler {
  CuptiCopy copies[kMaxCopies];
  std::atomic<bool> is_subscribing;
  std::atomic<bool> is_subscribed;
  std::atomic<bool> has_buffers;
  std::atomic<bool> to_settle;         // our thread is to see whether the session can go on
  std::atomic<uint64_t> called_at_ns;  // when it last called CUPTI
  SpinLock<LockOrder::kProfilerName> name_lock;
  FixedText<128> name;
};

extern constinit ForkWiped<OtherProfiler> other_page;

/// Where the loaded file with this address begins in memory; 0: it is in none.
uintptr_t low_of(const void* address);

/// What it does with the file that begins there; null when all kMaxCopies are taken by others.
CuptiCopy* copy_at(OtherProfiler& other, uintptr_t low);

/// Names the profiler after the file that the call came from.
std::string_view set_name(OtherProfiler& other, const xsp_around& around);

bool has_kinds(const OtherProfiler& other);
void set_kind(CuptiCopy& copy, int kind, bool enabled);

}  // namespace xsp::guest
