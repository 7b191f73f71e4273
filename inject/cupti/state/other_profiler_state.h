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

}  // namespace xsp::guest
