#include "analysis/tables/library_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "analysis/work/span_work.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// What the calls of a function compute, and where.
struct CalledWork {
  double flops = 0;  ///< of all calls of an evaluation, or of the trace, by their arguments; NaN: not known of each
  std::string file;  ///< the library file that they went to, or several, separated by ", "; empty: not told
};

/// Flops of each of `joined.calls`: the mean of the evaluations that have it, as sizes may vary.
std::vector<double> flops_of(const Study& study, const LibraryCalls& all, const JoinedCalls& joined) {
  std::vector<double> flops(joined.calls.size(), kUnknownValue);
  if (study.trace.arguments.size() == 0) return flops;
  SpanWork works(study.trace, study.parents);
  const auto flops_of_call = [&](const LibraryCall& call) {
    const uint32_t number = study.trace.spans.has_failed(call.row) ? 0 : works.number_of(call.row);
    return number == 0 ? kUnknownValue : works.work(number).work.flops;
  };
  if (joined.joined.empty()) {
    for (size_t i = 0; i < flops.size(); ++i) flops[i] = flops_of_call(all.calls[joined.calls[i].call]);
    return flops;
  }
  // The n-th call of an evaluation stands in the n-th of its rows; a call in no row was not joined.
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

/// By string ids of library and function: of the calls that C2 sums.
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

/// Of the time of its kernels, or of its own where it computes on the host; the same as Gflop/s. NaN: not known.
double flop_per_ns(std::string_view library, const CalledFunction& function, const CalledWork& work) {
  if (function.kernel_ns > 0) return work.flops / function.kernel_ns;
  const bool computes_on_host = !library.starts_with("cu") && library != "nccl";
  return computes_on_host ? work.flops / function.host_ns : std::numeric_limits<double>::quiet_NaN();
}

void add_rows(const Study& study, const LibraryCalls& all, const JoinedCalls& joined, Table* table) {
  const Trace& trace = study.trace;
  const auto name = [&](uint32_t id) { return id == 0 ? Cell() : Cell(std::string(trace.text(id))); };
  auto works = called_work(study, all, joined);
  for (const CalledFunction& function : called_functions(trace, all, joined)) {
    CalledWork& work = works[{function.library, function.function}];
    TableRow row = table->add_row();
    row.set(kC2.library, name(function.library));
    row.set(kC2.function, name(function.function));
    row.set(kC2.count, count_cell(function.count));
    row.set(kC2.host_ms, cell(function.host_ns / kNsPerMs));
    if (all.has_kernels()) {
      row.set(kC2.kernel_ms, cell(function.kernel_ns / kNsPerMs));
      row.set(kC2.kernel_pct, percent(function.kernel_ns, joined.kernel_ns));
    }
    row.set(kC2.failed, mean_count(function.failed));
    row.set(kC2.self_ms, cell(function.self_ns / kNsPerMs));
    row.set(kC2.gflops, cell(work.flops / kFlopsPerGflop));
    row.set(kC2.gflop_per_s, cell(flop_per_ns(trace.text(function.library), function, work)));
    if (!work.file.empty()) row.set(kC2.file, std::move(work.file));
  }
}

/// Copies of one direction, or memsets.
struct CopySum {
  std::string function;
  size_t count = 0;
  double device_ns = 0;
  double bytes = 0;
};

/// By function, those with most time on the device first.
std::vector<CopySum> sum_copies(const Study& study) {
  const Trace& trace = study.trace;
  std::vector<CopySum> sums;
  std::map<std::pair<Kind, uint32_t>, size_t> numbers;
  for (const JoinedKernel& copy : study.copies.kernels) {
    const Row row = trace.executions.row[copy.execution];
    const bool is_memset = trace.spans.kind[row] == Kind::kMemset;
    const std::pair key(trace.spans.kind[row], is_memset ? 0 : trace.spans.name[row]);
    const auto [found, added] = numbers.try_emplace(key, sums.size());
    if (added) {
      const std::string_view direction = trace.text(key.second);
      const std::string_view function = is_memset ? "memset" : "memcpy";
      sums.push_back({.function = fmt::format("{}{}{}", function, direction.empty() ? "" : " ", direction)});
    }
    CopySum& sum = sums[found->second];
    ++sum.count;
    sum.device_ns += copy.latency_ns;
    sum.bytes += copy.bytes;
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.device_ns > b.device_ns; });
  return sums;
}

void add_copies(const Study& study, Table* table) {
  const auto copies = sum_copies(study);
  for (const CopySum& copy : copies) {
    TableRow row = table->add_row();
    row.set(kC2.library, "device memory");
    row.set(kC2.function, copy.function);
    row.set(kC2.count, count_cell(copy.count));
    row.set(kC2.kernel_ms, cell(copy.device_ns / kNsPerMs));
    row.set(kC2.bytes, mean_count(copy.bytes));
  }
  if (copies.empty()) return;
  table->notes.emplace_back(
      "copies and memsets are listed in their own rows (GPU time as kernel_ms), not in the calls that start them; "
      "kernel_pct covers kernels only");
  if (study.copies.diverging != 0) {
    table->notes.push_back(fmt::format("the copies of {} calls differ from those of the {} used here",
                                       study.copies.diverging, study.copies.evaluations.size()));
  }
}

}  // namespace

Table library_functions(const Study& study) {
  Table table = make_table(kC2, study);
  add_rows(study, study.library_calls, study.joined_library_calls, &table);
  add_rows(study, study.runtime_calls, study.joined_runtime_calls, &table);
  add_copies(study, &table);
  const bool runtime = study.library_calls.calls.empty();
  finish_call_table(study, runtime ? study.runtime_calls : study.library_calls,
                    runtime ? study.joined_runtime_calls : study.joined_library_calls, &table);
  if (!study.runtime_calls.calls.empty()) {
    table.notes.emplace_back(
        "calls of the CUDA runtime and driver follow the library calls; many are made inside those");
  }
  return table;
}

}  // namespace xsp::analysis
