#include "bound/joining/trace_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/study/analysed_trace.h"
#include "analysis/trace/call_arguments.h"
#include "base/units.h"
#include "bound/joining/call_problem.h"

namespace xsp::bound {
namespace {

using analysis::JoinedCall;
using analysis::JoinedCalls;
using analysis::LibraryCall;
using analysis::Study;

/// As many as C1 shows.
constexpr size_t kMostCalls = 200'000;

/// Problems of calls, those of equal arguments made once.
class CallProblems {
 public:
  explicit CallProblems(const analysis::Trace& trace) : trace_(trace) {}

  const CallProblem& of(analysis::Row row) {
    const auto& spans = trace_.spans;
    std::string key = fmt::format("{} {} ", spans.type[row], spans.name[row]);
    key += analysis::CallArguments(trace_, row).comparable();
    const auto [found, added] = known_.try_emplace(std::move(key));
    if (added) found->second = problem_of_call(trace_, row);
    return found->second;
  }

 private:
  const analysis::Trace& trace_;
  std::unordered_map<std::string, CallProblem> known_;
};

/// The least host time in ns of each of the joined calls.
std::vector<int64_t> least_host_ns(const Study& study) {
  const JoinedCalls& joined = study.joined_library_calls;
  const auto& spans = study.trace.spans;
  std::vector<int64_t> least;
  least.reserve(joined.calls.size());
  for (const JoinedCall& call : joined.calls) least.push_back(spans.duration(study.library_calls.calls[call.call].row));
  std::unordered_map<uint32_t, size_t> number_of;
  for (size_t i = 0; i < joined.joined.size(); ++i) number_of.emplace(joined.joined[i], i);
  std::vector<size_t> place(joined.joined.size(), 0);
  for (const LibraryCall& call : study.library_calls.calls) {
    const auto number = number_of.find(call.evaluation);
    if (number == number_of.end()) continue;
    const auto& rows = joined.rows_of(number->second);
    const size_t at = place[number->second]++;
    if (at >= rows.size() || rows[at] >= least.size()) continue;
    least[rows[at]] = std::min(least[rows[at]], spans.duration(call.row));
  }
  return least;
}

}  // namespace

void add_calls(const analysis::AnalysedTrace& trace, JoinedTrace* joined) {
  if (!trace.study) return;
  const Study& study = *trace.study;
  const JoinedCalls& calls = study.joined_library_calls;
  joined->has_library_calls = !calls.calls.empty();
  std::unordered_map<size_t, size_t> position_of;  // in `layers`, by index of A2
  for (size_t i = 0; i < joined->layers.size(); ++i) position_of.emplace(joined->layers[i].index, i);
  const std::vector<int64_t> least = least_host_ns(study);
  CallProblems problems(study.trace);
  const size_t count = std::min(calls.calls.size(), kMostCalls);
  joined->calls.reserve(count);
  for (size_t index = 0; index < count; ++index) {
    const JoinedCall& joined_call = calls.calls[index];
    const LibraryCall& library_call = study.library_calls.calls[joined_call.call];
    const CallProblem& problem = problems.of(library_call.row);
    TraceCall call;
    call.call_index = index;
    call.row = library_call.row;
    const auto layer = position_of.find(study.layer_index(library_call.layer));
    if (layer != position_of.end()) call.layer = layer->second;
    if (joined_call.enclosing != analysis::kNoCall) call.enclosing = joined_call.enclosing;
    call.library = study.trace.text(study.trace.spans.type[library_call.row]);
    call.function = study.trace.text(study.trace.spans.name[library_call.row]);
    call.problem = problem.problem;
    call.implementation = problem.implementation;
    call.layout = problem.layout;
    call.host_ms = joined_call.host_ns / kNsPerMs;
    call.least_host_ms = static_cast<double>(least[index]) / kNsPerMs;
    if (study.library_calls.has_kernels() && !std::isnan(joined_call.kernel_ns))
      call.kernel_ms = joined_call.kernel_ns / kNsPerMs;
    joined->calls.push_back(std::move(call));
  }
  if (count < calls.calls.size())
    joined->notes.push_back(
        fmt::format("only the first {} of {} library calls are looked at", count, calls.calls.size()));
}

}  // namespace xsp::bound
