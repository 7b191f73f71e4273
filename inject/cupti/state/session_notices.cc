#include "inject/cupti/state/session_notices.h"

#include "inject/cupti/library/notice_severity.h"
#include "inject/record/clock.h"
#include "inject/record/posted_packets.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

const char* result_text(const cupti::Functions& cupti, cupti::Result result) {
  const char* text = nullptr;
  return cupti.get_result_string(result, &text) == cupti::kSuccess && text != nullptr ? text : "no text";
}

bool is_new_holder(SessionNotices& notices, std::string_view holder) {
  if (!notices.holder_told.empty() && notices.holder_told.view() == holder) return false;
  notices.holder_told.clear();
  notices.holder_told.put(holder);
  return true;
}

void post_gap(wire::GapReason reason, uint64_t begin_ns, uint64_t end_ns, std::string_view detail) {
  uint8_t bytes[700];
  WireWriter writer(bytes, sizeof bytes);
  const auto level = reason == wire::GapReason::kNoCallbacks ? wire::Level::kDevice : wire::Level::kRuntime;
  write_gap(writer, reason, level, begin_ns, end_ns, detail.substr(0, 500));
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

}  // namespace

void tell_failure(SessionNotices& notices, const cupti::Functions& cupti, const char* what, cupti::Result result) {
  if (notices.failure_told) return;
  notices.failure_told = true;
  FixedText<700> text;
  text.put("kernels and CUDA calls are not recorded: ").put(what).put(" failed with ");
  text.put(result_text(cupti, result)).put(" (").put_number(static_cast<uint64_t>(result)).put(")");
  if (result == cupti::kUnknown) {
    text.put("; there is no working NVIDIA driver here, look at what nvidia-smi says");
  } else if (result == cupti::kNotInitialized) {
    text.put("; the libcupti may not fit the driver: name another one in XSP_CUPTI, or update the driver");
  } else if (result == cupti::kInsufficientPrivileges) {
    text.put("; the driver allows only administrators to profile: run with CAP_SYS_ADMIN, which root may lack in a ");
    text.put("container, or have the nvidia module's option NVreg_RestrictProfilingToAdminUsers=0 set");
  } else {
    text.put("; library calls are recorded all the same");
  }
  notify(kNoticeWarning, "cupti", text.view());
}

void tell_refused_kinds(SessionNotices& notices, const cupti::Functions& cupti, std::string_view kinds,
                        cupti::Result result) {
  if (notices.refusals_told) return;
  notices.refusals_told = true;
  FixedText<500> text;
  text.put("not recorded, as CUPTI answers ").put(result_text(cupti, result)).put(":").put(kinds);
  notify(kNoticeWarning, "cupti", text.view());
}

void tell_end_of_session(std::string_view why) {
  FixedText<700> text;
  text.put("kernels and CUDA calls are no longer recorded: CUPTI hit a fatal error and shut itself down: ").put(why);
  text.put("; library calls are still recorded");
  notify(kNoticeWarning, "cupti", text.view());
}

void tell_unreadable_records(const cupti::Functions& cupti, cupti::Result result) {
  FixedText<500> text;
  text.put("a CUPTI buffer holds a record that CUPTI itself cannot read (").put(result_text(cupti, result));
  text.put(", ")
      .put_number(static_cast<uint64_t>(result))
      .put("): the rest of that buffer is lost, and counts as one lost record");
  notify(kNoticeWarning, "cupti", text.view());
}

void tell_graphs_without_times() {
  notify(
      kNoticeWarning, "cupti",
      "CUPTI gave kernels of CUDA graphs no timestamps, as may happen when its device memory is full in long runs of "
      "large graphs: they are left out and counted as lost; record only a part of the run (--range, --duration)");
}

void tell_profiler_in_program(SessionNotices& notices, std::string_view holder) {
  if (!is_new_holder(notices, holder)) return;
  FixedText<700> text;
  text.put("a profiler in the program (")
      .put(holder)
      .put(") has CUPTI's one subscriber: until it is done, CUDA calls ");
  text.put("come from activity records, and the kernels of CUDA graphs have no layer");
  notify(kNoticeInfo, "cupti", text.view());
}

void tell_other_tool(SessionNotices& notices, std::string_view holder) {
  if (!is_new_holder(notices, holder)) return;
  FixedText<700> text;
  text.put("kernels and CUDA calls are not recorded: CUPTI has one subscriber, and ").put(holder).put(" is it; end ");
  text.put("that tool to have them; library calls are recorded all the same");
  notify(kNoticeWarning, "cupti", text.view());
}

void begin_gap(SessionGaps& gaps, wire::GapReason reason, std::string_view detail) {
  const auto index = static_cast<size_t>(reason);
  gaps.begin_ns[index] = nanoseconds(CLOCK_MONOTONIC);
  gaps.detail[index].clear();
  gaps.detail[index].put(detail);
  post_gap(reason, gaps.begin_ns[index], 0, detail);
}

void end_gap(SessionGaps& gaps, wire::GapReason reason) {
  const auto index = static_cast<size_t>(reason);
  if (gaps.begin_ns[index] == 0) return;
  post_gap(reason, gaps.begin_ns[index], nanoseconds(CLOCK_MONOTONIC), gaps.detail[index].view());
  gaps.begin_ns[index] = 0;
}

}  // namespace xsp::guest
