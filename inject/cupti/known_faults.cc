#include "inject/cupti/known_faults.h"

#include <atomic>

#include "inject/cupti/activity_abi.h"
#include "inject/cupti/session_notices.h"
#include "inject/guard/fixed_text.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// Versions as cuptiGetVersion tells them, from the first that has the fault to the first that has it no more.
/// From 13.0 on the last two digits count CUPTI's own patches, which "need not align" with CUDA's updates (release
/// notes of 13.0).
struct KnownFault {
  CuptiFault shows;
  uint32_t first;
  uint32_t mended;
  const char* what;
  const char* mended_by;
};

constexpr KnownFault kFaults[] = {
    // Release notes of 13.0 Update 1: cuptiActivityDisable of kernels could deadlock, cuptiActivityFlushAll crash.
    {CuptiFault::kFromStart, 130000, 130001, "may hang when recording is switched off, and crash in a flush",
     "13.0 Update 1"},
    // Release notes of 13.3: since 13.2, whatever is called repeatedly.
    {CuptiFault::kFromStart, 130200, 130300, "slows the program down the more often it is called", "13.3"},
    // Release notes of 13.4 Update 1: its use of the CPU grows without bound.
    {CuptiFault::kFromStart, 130400, 130401, "takes ever more CPU time in a long recording", "13.4 Update 1"},
    // Release notes of 13.1 Update 1; kineto#1165.
    {CuptiFault::kGraphIds, 0, cupti::kGraphIdsVersion,
     "gives kernels of CUDA graphs wrong launches once recording was interrupted: they are recorded without a launch",
     "13.1 Update 1"},
    {CuptiFault::kGraphIdsOfOthers, 0, cupti::kGraphIdsVersion,
     "gives the program's own profiler wrong launches of CUDA graphs where XSP recorded before (--level library leaves "
     "CUPTI to it)",
     "13.1 Update 1"},
    // Release notes of 13.1: since 12.6 Update 2, whose version is that of 12.6.
    {CuptiFault::kZeroTimes, 24, 130100, "leaves kernels without times behind the session of another profiler", "13.1"},
    // Release notes of 12.6 Update 2 and 12.8; kineto#1062 has the first run of a body alone.
    {CuptiFault::kConditionalNodes, 0, 26, "may leave out kernels in the bodies of a graph's conditional nodes",
     "12.8"},
};

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
    FixedText<500> text;
    text.put("this program's CUPTI (version ").put_number(version).put(") ").put(known.what);
    text.put("; that of CUDA ").put(known.mended_by).put(" does not: install it, or name one in XSP_CUPTI");
    notify(kNoticeWarning, "cupti", text.view());
  }
}

}  // namespace xsp::guest
