#pragma once

#include <atomic>
#include <cstdint>

#include "inject/ranges/itt_abi.h"
#include "inject/record/thread.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// How many domains may have recorded ranges.
inline constexpr uint32_t kMaxRangeDomains = 128;

/// A domain of NVTX or ITT: who emits a range. Lives as long as the process, and in its children, as programs keep the
/// handle. Zero-initialised: not yet made.
struct RangeDomain {
  enum State : uint32_t { kFree = 0, kBeingMade = 1, kReady = 2 };

  std::atomic<uint32_t> state;
  uint32_t name;    // string id; 0: the default domain
  uint32_t number;  // of RangeThread::levels
  wire::Kind kind;  // kNvtxRange, kIttTask
  bool is_onednn;   // its tasks are calls of oneDNN
  char stage[48];   // of oneDNN's domains but `dnnl::primitive::execute`: " create" and so on
  itt::Domain itt;  // what an ITT library holds
};

/// NVTX's default domain, whose handle is null.
RangeDomain* default_domain();

/// The domain of that name, made at the first call. Null when there are too many, which a notice says once; ranges of
/// those are not recorded.
RangeDomain* range_domain(wire::Kind kind, const char* name, uint32_t name_id);

/// Whether it points to a domain of ours that is ready: programs may pass anything.
bool is_range_domain(const void* domain);

}  // namespace xsp::guest
