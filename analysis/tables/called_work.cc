#include "analysis/tables/called_work.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "analysis/work/span_work.h"

namespace xsp::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Flops of each of `joined.calls`: the mean of the evaluations that have it, as sizes may vary.
std::vector<double> flops_of(const Study& study, const LibraryCalls& all, const JoinedCalls& joined) {
  std::vector<double> flops(joined.calls.size(), kUnknown);
  if (study.trace.arguments.size() == 0) return flops;
  SpanWork works(study.trace, study.parents);
  const auto flops_of_call = [&](const LibraryCall& call) {
    const uint32_t number = study.trace.spans.has_failed(call.row) ? 0 : works.number_of(call.row);
    return number == 0 ? kUnknown : works.work(number).work.flops;
  };
  if (joined.joined.empty()) {
    for (size_t i = 0; i < flops.size(); ++i) flops[i] = flops_of_call(all.calls[joined.calls[i].call]);
    return flops;
  }
  std::fill(flops.begin(), flops.end(), 0);
  std::map<uint32_t, size_t> number_of;
  for (size_t i = 0; i < joined.joined.size(); ++i) number_of.emplace(joined.joined[i], i);
  std::vector<size_t> places(joined.joined.size(), 0);
  for (const LibraryCall& call : all.calls) {
    const auto number = number_of.find(call.evaluation);
    if (number == number_of.end()) continue;
    const uint32_t row = joined.rows_of(number->second)[places[number->second]++];
    if (row != kNoPlace) flops[row] += flops_of_call(call) / joined.calls[row].n;
  }
  return flops;
}

std::string files_of(const Trace& trace, std::string_view library, const std::set<uint32_t>& processes) {
  std::set<std::string_view> files;
  for (const UsedLibrary& used : trace.used_libraries) {
    if (used.library == library && processes.contains(used.process)) files.insert(used.file);
  }
  std::string text;
  for (const std::string_view file : files) text.append(text.empty() ? "" : ", ").append(file);
  return text;
}

}  // namespace

std::map<std::pair<uint32_t, uint32_t>, CalledWork> called_work(const Study& study, const LibraryCalls& all,
                                                                const JoinedCalls& joined) {
  const Trace& trace = study.trace;
  const std::vector<double> flops = flops_of(study, all, joined);
  std::map<std::pair<uint32_t, uint32_t>, CalledWork> works;
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> processes;
  for (size_t i = 0; i < joined.calls.size(); ++i) {
    const Row row = all.calls[joined.calls[i].call].row;
    const std::pair key(trace.spans.type[row], trace.spans.name[row]);
    works[key].flops += flops[i];
    processes[key].insert(trace.process_of(row));
  }
  for (auto& [key, work] : works) work.file = files_of(trace, trace.text(key.first), processes[key]);
  return works;
}

}  // namespace xsp::analysis
