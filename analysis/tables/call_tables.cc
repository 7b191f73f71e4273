#include "analysis/tables/call_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/study/step_study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/library_calls.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/shallow_recording.h"
#include "analysis/tables/study_notes.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

std::string whole_trace_note(const Study& study, size_t calls) {
  if (study.options.per_trace && !study.without_models)
    return fmt::format("{} of the whole recording, nothing left out", plural(calls, "call"));
  return fmt::format("no step is marked: counts and times are for the whole recording ({})", plural(calls, "call"));
}

/// Libraries whose work is done by kernels.
bool uses_a_gpu(const Study& study) {
  if (!study.runtime_calls.calls.empty()) return true;
  const auto& calls = study.library_calls.calls;
  return std::any_of(calls.begin(), calls.end(), [&](const LibraryCall& call) {
    const std::string_view library = study.trace.text(study.trace.spans.type[call.row]);
    return library.starts_with("cu") || library == "nccl";
  });
}

void add_kernel_note(const Study& study, const LibraryCalls& all, Table* table) {
  if (all.has_kernels()) return;
  if (!uses_a_gpu(study)) {
    table->notes.emplace_back("no kernels in the trace: these libraries compute on the CPU");
    return;
  }
  table->lacks_data = true;
  table->notes.push_back(no_kernels_note(study));
}

/// Calls that are in no evaluation, so that a table of evaluations lacks them.
uint64_t calls_outside(const LibraryCalls& all) {
  return static_cast<uint64_t>(std::count_if(all.calls.begin(), all.calls.end(),
                                             [](const LibraryCall& call) { return call.evaluation == kNoEvaluation; }));
}

}  // namespace

std::vector<CalledFunction> called_functions(const Trace& trace, const LibraryCalls& all, const JoinedCalls& joined) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> numbers;
  std::vector<CalledFunction> functions;
  for (const JoinedCall& call : joined.calls) {
    const Row row = all.calls[call.call].row;
    const std::pair key(trace.spans.type[row], trace.spans.name[row]);
    const auto [found, added] = numbers.try_emplace(key, functions.size());
    if (added) functions.push_back({.library = key.first, .function = key.second});
    CalledFunction& function = functions[found->second];
    ++function.count;
    function.host_ns += call.host_ns;
    function.self_ns += call.self_ns;
    if (!std::isnan(call.kernel_ns)) function.kernel_ns += call.kernel_ns;
    function.failed += call.failed;
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.host_ns > b.host_ns; });
  return functions;
}

Cell mean_count(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return static_cast<int64_t>(value);
  return cell(value);
}

std::string no_library_calls_note(const Study& study) {
  if (std::string note = shallow_recording_note(study, Level::kLibrary, "library calls"); !note.empty()) return note;
  if (has_imports(study.trace)) return "the profile has no calls of compute libraries";
  return "no library calls in the trace: the program called no library that XSP knows, or Q1 (unintercepted) says why "
         "they were not seen";
}

void finish_call_table(const Study& study, const LibraryCalls& all, const JoinedCalls& joined, Table* table) {
  if (all.calls.empty()) {
    table->lacks_data = true;
    table->notes.push_back(no_library_calls_note(study));
    for (std::string& note : loss_notes(study)) table->notes.push_back(std::move(note));
    return;
  }
  if (study.has_single_calls()) {
    table->notes.push_back(whole_trace_note(study, joined.calls.size()));
  } else if (joined.evaluations != 0) {
    const bool of_libraries = &all == &study.library_calls;
    table->notes.push_back(subject_note(study, of_libraries ? Level::kLibrary : Level::kRuntime, joined.evaluations));
    if (study.levels.leveled && all.has_kernels() && of_libraries) {
      table->notes.push_back(fmt::format("kernel_ms and kernel_count come from {}", study.levels.kernel.label));
    }
    for (std::string& note : divergence_notes(study, {Level::kLibrary})) table->notes.push_back(std::move(note));
  }
  if (std::string note = set_note(study); !note.empty()) table->notes.push_back(std::move(note));
  if (joined.same.size() != joined.joined.size()) {
    std::string note = fmt::format(
        "{} of {} have other library calls than the rest (first at call {}): n of C1 counts the calls of the "
        "model that have a library call",
        joined.joined.size() - joined.same.size(), plural(joined.joined.size(), subject_noun(study)),
        joined.first_difference);
    if (joined.left_out != 0) {
      note += fmt::format("; {} that fewer than half have {} left out ({:.3g} ms per call on average)",
                          plural(joined.left_out, "call"), joined.left_out == 1 ? "is" : "are",
                          joined.left_out_ns / kNsPerMs);
    }
    table->notes.push_back(std::move(note));
  }
  if (joined.diverging != 0 && divergence_notes(study, {Level::kLibrary}).empty()) {
    table->notes.push_back(
        fmt::format("the calls of {} differ from those of the {} used here, first at call {}; they are left out",
                    plural(joined.diverging, subject_noun(study)), joined.evaluations, joined.first_difference));
  }
  const uint64_t outside = study.has_single_calls() ? 0 : calls_outside(all);
  if (outside != 0) {
    table->notes.push_back(fmt::format(
        "{} outside every step and call (before or between them, or on other threads): --per trace shows all",
        plural(outside, "call")));
  }
  const bool nested = std::any_of(joined.calls.begin(), joined.calls.end(),
                                  [](const JoinedCall& call) { return call.enclosing != kNoCall; });
  if (nested) {
    table->notes.emplace_back("host_ms includes the library calls made inside a call, self_ms does not");
  }
  const auto varying = static_cast<uint64_t>(std::count_if(joined.calls.begin(), joined.calls.end(),
                                                           [](const JoinedCall& call) { return call.arguments_vary; }));
  if (varying != 0 && table->definition == &kC1) {
    table->notes.push_back(fmt::format(
        "the arguments of {} differ between calls of the model: the table shows the first", plural(varying, "call")));
  }
  add_kernel_note(study, all, table);
  if (const uint64_t damaged = study.trace.arguments.damaged_layouts(); damaged != 0) {
    table->notes.push_back(
        fmt::format("{} of arguments damaged: the values after the damage are left out", plural(damaged, "layout")));
  }
  for (std::string& note : loss_notes(study)) table->notes.push_back(std::move(note));
}

}  // namespace xsp::analysis
