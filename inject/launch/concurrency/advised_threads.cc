#include "inject/launch/concurrency/advised_threads.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/quantity_text.h"
#include "inject/launch/concurrency/swept_threads.h"
#include "inject/launch/run/captured_output.h"
#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

namespace columns = report_columns::thread_advice;

/// Why E2 advises no change.
std::string reason_of(const ReportTable& advice) {
  size_t busy = 0;
  size_t noise = 0;
  for (size_t row = 0; row < advice.count(); ++row) {
    const std::string verdict = advice.text_at(row, columns::kVerdict);
    busy += verdict == columns::kMachineBusy;
    noise += verdict == columns::kWithinNoise;
  }
  if (busy > 0) return "the machine was busy as it was measured";
  if (noise > 0) return "no other number of threads was faster by more than noise";
  return "no other number of threads was faster";
}

}  // namespace

Advice ask_advice(const std::string& report, const std::string& set, uint32_t cores) {
  if (report.empty())
    return {{"traces are read by xsp-report, which is not beside xsp-run", "install all of XSP"}, {}, {}};
  const std::string path = std::filesystem::absolute(set).string();
  const auto json = captured_output({report, "-a", columns::kTable, "--format", "json", path}, true);
  if (!json) return {{"xsp-report cannot read " + set, fmt::format("xsp-report {} says why", set)}, {}, {}};
  const auto table = ReportTable::read(*json, columns::kTable);
  if (!table || table->count() == 0) {
    return {{fmt::format("{} has no model that was computed with several numbers of threads", set),
             "xsp-run --concurrency measure and xsp-bench --threads write such traces"},
            {},
            {}};
  }
  const auto measured = table->number_beside(columns::kCores);
  if (measured && cores != 0 && *measured > 0 && *measured != static_cast<double>(cores)) {
    return {{fmt::format("{} was measured with {}, and here {} can be used", set,
                         plural(static_cast<size_t>(*measured), "core"), cores),
             "measure again here: --concurrency apply without a trace"},
            {},
            {}};
  }
  Advice advice;
  advice.policy = policy_of(*table);
  if (advice.policy.is_empty()) advice.why_nothing = reason_of(*table);
  const auto swept = read_swept_threads(path);
  if (!swept || advice.policy.whole == 0) return advice;
  if (!swept->by_variables) {
    advice.why_nothing =
        fmt::format("{} has them as a parameter of its command; best is threads={}", set, advice.policy.whole);
    advice.policy = {};
    return advice;
  }
  advice.of_runs = swept->kind;
  return advice;
}

}  // namespace xsp::launch
