#include "inject/launch/concurrency/threads_outcome.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "inject/launch/concurrency/report_table.h"
#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

namespace columns = report_columns::thread_advice;

constexpr const char* kBegin = "xsp: concurrency: ";
constexpr const char* kNoGain = "no gain could be measured";

/// By turns with and without the advice: percent, positive where it is faster.
std::string gain_text(const ReportTable& advice, double gain) {
  const auto low = advice.number_beside(columns::kMeasuredLowPct);
  const auto high = advice.number_beside(columns::kMeasuredHighPct);
  if (!low || !high || *low <= 0) return kNoGain;
  return fmt::format("the advised setting is {:.1f} % faster ({:.1f} to {:.1f})", gain, *low, *high);
}

}  // namespace

std::string measured_line(const std::string& json, const std::string& see) {
  const auto advice = ReportTable::read(json, columns::kTable);
  if (advice && advice->count() > 0) return fmt::format("{}see {}", kBegin, see);
  return fmt::format(
      "{}no model call could be computed with several numbers of threads; xsp-bench --threads sets them for whole runs",
      kBegin);
}

std::string applied_line(const std::string& json) {
  const auto advice = ReportTable::read(json, columns::kTable);
  if (!advice) return fmt::format("{}{}", kBegin, kNoGain);
  if (advice->beside(columns::kIsSwitchedOff) == nlohmann::json(true)) {
    return fmt::format("{}switched off, it was slower", kBegin);
  }
  const auto gain = advice->number_beside(columns::kMeasuredGainPct);
  return kBegin + (gain ? gain_text(*advice, *gain) : std::string(kNoGain));
}

std::string whole_run_line(uint32_t threads) {
  return fmt::format("{}the whole run had {}; one run cannot measure the gain: xsp-bench --threads", kBegin,
                     plural(threads, "thread"));
}

}  // namespace xsp::launch
