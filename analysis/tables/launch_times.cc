#include "analysis/tables/launch_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace xsp::analysis {
namespace {

std::string find_launch_times(const Study& study) {
  if (study.latencies.has_kernels) return {};
  // Execution providers whose nodes return before the device is done.
  constexpr std::string_view kAsynchronous[] = {"CUDAExecutionProvider", "TensorrtExecutionProvider",
                                                "NvTensorRTRTXExecutionProvider", "ROCMExecutionProvider",
                                                "MIGraphXExecutionProvider"};
  const SpanTable& spans = study.trace.spans;
  std::map<uint32_t, uint64_t> nodes;  // by provider's string
  uint64_t all = 0;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != Kind::kOrtNode) continue;
    ++all;
    if (spans.input[row] != 0) ++nodes[spans.input[row]];
  }
  std::string text;
  for (const auto& [provider, count] : nodes) {
    const std::string_view name = study.trace.text(provider);
    if (std::find(std::begin(kAsynchronous), std::end(kAsynchronous), name) == std::end(kAsynchronous)) continue;
    text += fmt::format("{}{} of {} nodes ran on {}", text.empty() ? "" : ", ", count, all, name);
  }
  if (text.empty()) return text;
  return text +
         ", which works beside the host: their times are those of the launch, as the trace has no kernels "
         "(xsp-run --level kernel)";
}

}  // namespace

std::string launch_times_note(const Study& study) {
  if (!study.launch_times) study.launch_times = find_launch_times(study);
  return *study.launch_times;
}

}  // namespace xsp::analysis
