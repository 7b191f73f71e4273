#include "inject/cupti/counting/counter_notices.h"

#include "inject/counters/counter_remedies.h"
#include "inject/cupti/library/notice_severity.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr std::string_view kComponent = "counters";
constexpr std::string_view kInstead = "; flops and bytes are taken from the arguments of calls instead";

}  // namespace

void tell_counters_begin(uint32_t device, const char* chip, const CounterHost& host, std::string_view left_out) {
  FixedText<1200> text;
  text.put_number(host.metrics->count()).put(" metrics in ").put_number(host.passes);
  text.put(host.passes == 1 ? " pass a kernel on " : " passes a kernel on ").put(chip);
  text.put(" (device ").put_number(device).put("), by kernel replay");
  if (!left_out.empty()) text.put("; not known there: ").put(left_out);
  notify(left_out.empty() ? kNoticeInfo : kNoticeWarning, kComponent, text.view());
}

void tell_no_counters(uint32_t device, std::string_view what, cupti::Result result, const char* result_text) {
  FixedText<1200> text;
  text.put("no hardware counters on device ").put_number(device).put(": ").put(what);
  if (result != cupti::kSuccess && result != cupti::kInvalidMetricName) {
    text.put(" failed with ").put(result_text).put(" (").put_number(static_cast<uint64_t>(result)).put(")");
  }
  const std::string_view remedy = counter_remedy(result);
  if (!remedy.empty()) text.put(": ").put(remedy);
  notify(kNoticeWarning, kComponent, text.put(kInstead).view());
}

void tell_no_counters(std::string_view why) {
  FixedText<1200> text;
  notify(kNoticeWarning, kComponent, text.put("no hardware counters: ").put(why).put(kInstead).view());
}

void tell_left_out(std::string_view kernel) {
  FixedText<600> text;
  text.put(
      "kernels that may wait for other kernels or ranks are not measured, because on their own they might never "
      "finish");
  text.put(kernel.empty() ? ": a graph that has such kernels, or kernels that are not known" : ": ").put(kernel);
  notify(kNoticeInfo, kComponent, text.view());
}

void tell_stuck(uint32_t device, std::string_view kernel, uint64_t seconds) {
  FixedText<800> text;
  text.put("device ")
      .put_number(device)
      .put(": a launch that is being measured has not returned for ")
      .put_number(seconds);
  text.put(" s").put(kernel.empty() ? "" : ": ").put(kernel);
  text.put(
      "; if it waits for another kernel, it never will: end the program, and leave such kernels out with "
      "--metrics-leave-out NAME");
  notify(kNoticeWarning, kComponent, text.view());
}

void tell_mixed_ranges(uint32_t device, uint64_t ranges, uint64_t launches) {
  FixedText<400> text;
  text.put("device ").put_number(device).put(": CUPTI returned counters of ").put_number(ranges).put(" kernels where ");
  text.put_number(launches).put(" were launched; they are left out, because they cannot be matched to kernels");
  notify(kNoticeWarning, kComponent, text.view());
}

}  // namespace xsp::guest
