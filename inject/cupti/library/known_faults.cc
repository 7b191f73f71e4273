#include "inject/cupti/library/known_faults.h"

#include <atomic>

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/notice_severity.h"
#include "inject/guard/fixed_text.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// Versions as cuptiGetVersion returns them: the first that has the fault, and the first after it that does not.
/// From 13.0 on the last two digits count CUPTI's own patches, which "need not align" with CUDA's updates (release
/// notes of 13.0).
struct KnownFault {
  CuptiFault shows;
  uint32_t first;
  uint32_t mended;
  const char* what;
  const char* advised;  // the first CUDA that is without this fault and those that it would be exchanged for
};

constexpr KnownFault kFaults[] = {
    // Release notes of 13.0 Update 1: cuptiActivityDisable of kernels could deadlock, cuptiActivityFlushAll crash.
    {CuptiFault::kFromStart, 130000, 130001, "may hang when recording is switched off, and may crash when flushing",
     "13.1 Update 1"},
    // Release notes of 13.3: since 13.2, whatever is called repeatedly.
    {CuptiFault::kFromStart, 130200, 130300, "slows the program down more with every call that is recorded", "13.3"},
    // Release notes of 13.4 Update 1: its use of the CPU grows without bound.
    {CuptiFault::kFromStart, 130400, 130401, "uses more and more CPU time in a long recording", "13.4 Update 1"},
    // Release notes of 13.1 Update 1; kineto#1165.
    {CuptiFault::kGraphIds, 0, cupti::kGraphIdsVersion,
     "matches kernels of CUDA graphs to the wrong launches once recording has been interrupted, so they are recorded "
     "without a launch",
     "13.1 Update 1"},
    {CuptiFault::kGraphIdsOfOthers, 0, cupti::kGraphIdsVersion,
     "may match kernels of CUDA graphs to the wrong launches in what the program's own profiler records, because XSP "
     "recorded first (with --level library XSP leaves CUPTI alone)",
     "13.1 Update 1"},
    // Release notes of 13.1: since 12.6 Update 2, whose version is that of 12.6.
    {CuptiFault::kZeroTimes, 24, 130100, "leaves some kernels without timestamps after another profiler's session",
     "13.1 Update 1"},
    // Release notes of 12.6 Update 2 (with a driver of 565 or newer) and 12.8; kineto#1062 has the first run of a body.
    {CuptiFault::kConditionalNodes, 0, 26, "may miss kernels in the bodies of conditional graph nodes",
     "12.8 with a driver of 565 or newer"},
};

/// "; upgrade ...". A program of CUDA 12 cannot use the CUPTI of CUDA 13.
void put_advice(const KnownFault& fault, uint32_t version, FixedText<600>& text) {
  constexpr uint32_t kCuda13 = 130000;
  if (version < kCuda13 && fault.mended >= kCuda13) {
    text.put("; fixed in CUDA ").put(fault.advised);
    return;
  }
  text.put("; fixed in CUDA ").put(fault.advised);
  text.put(
      ": upgrade the CUPTI that the program loads (pip's nvidia-cuda-cupti, or the toolkit's), or point XSP_CUPTI "
      "at a newer libcupti.so");
}

constinit std::atomic<uint32_t> told{0};

}  // namespace

bool has_cupti_fault(uint32_t version, CuptiFault fault) {
  for (const KnownFault& known : kFaults) {
    if (known.shows == fault && version >= known.first && version < known.mended) return true;
  }
  return false;
}

void tell_cupti_fault(uint32_t version, CuptiFault fault) {
  const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(fault);
  if ((told.load(std::memory_order_relaxed) & bit) != 0) return;
  if ((told.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  for (const KnownFault& known : kFaults) {
    if (known.shows != fault || version < known.first || version >= known.mended) continue;
    FixedText<600> text;
    text.put("this program's CUPTI (API version ").put_number(version).put(") ").put(known.what);
    put_advice(known, version, text);
    notify(kNoticeWarning, "cupti", text.view());
  }
}

}  // namespace xsp::guest
