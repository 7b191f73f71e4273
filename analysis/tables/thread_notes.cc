#include "analysis/tables/thread_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/study_notes.h"
#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

using ThreadNotes = std::vector<std::string>;

constexpr const char* kHowToMeasure =
    "to measure: xsp-run --concurrency measure -- COMMAND (PyTorch, in one run), or xsp-bench --threads -- COMMAND "
    "(any program, a run for each number)";

/// Why a process tried no number of threads.
struct Reason {
  ThreadsEnded ended;
  const char* note;
};
constexpr Reason kEndReasons[] = {
    {ThreadsEnded::kOneCore, "the program may use one core: there is no number of threads to choose"},
    {ThreadsEnded::kNoFunction,
     "the framework has no function that sets its number of threads; xsp-bench --threads sets it for whole runs"},
    {ThreadsEnded::kSetByProgram, "the program changed its own number of threads meanwhile, so no other one was tried"},
};

/// `ended`: as the trace has it.
const char* reason_of(uint32_t ended) {
  for (const Reason& reason : kEndReasons) {
    if (static_cast<uint32_t>(reason.ended) == ended) return reason.note;
  }
  return nullptr;
}

std::string busy_note(const MachineLoad& load) {
  std::string what = "the machine was busy";
  if (load.runnable && load.online != 0) {
    what += fmt::format(": {:.3g} tasks wanted {}", *load.runnable, plural(load.online, "processor"));
  }
  if (load.waited_pct) what += fmt::format("; calls waited for a processor {:.0f} % of their time", *load.waited_pct);
  return what +
         "; nothing is advised from such times. First set OMP_WAIT_POLICY=passive, with which threads that wait do not "
         "take processors from others, and measure again on an idle machine";
}

size_t most_runs(const ThreadSweep& sweep) {
  size_t most = 0;
  for (const ThreadPoint& point : sweep.points) {
    const auto runs =
        std::count_if(point.model_ns.begin(), point.model_ns.end(), [](const auto& r) { return !r.empty(); });
    most = std::max(most, static_cast<size_t>(runs));
  }
  return most;
}

std::string how_measured(const ThreadSweep& sweep) {
  if (sweep.is_applied) return {};
  if (sweep.in_process) {
    return "calls of one process took turns with the numbers of threads; how much runs differ is not in the intervals";
  }
  const size_t runs = most_runs(sweep);
  if (runs == 1) {
    return "each number of threads was measured in one run; how much runs differ is not in the intervals (xsp-bench "
           "--runs)";
  }
  return runs == 0 ? std::string() : fmt::format("each number of threads was measured in up to {} runs", runs);
}

void add_shared_notes(const SweptCurves& swept, ThreadNotes* notes) {
  const ThreadSweep* sweep = swept.sweep;
  if (sweep == nullptr) {
    notes->emplace_back("times are those of --curves, not of a trace");
    return;
  }
  if (std::string note = how_measured(*sweep); !note.empty()) notes->push_back(std::move(note));
  if (swept.curves.layers.empty() && !sweep->is_applied) {
    notes->emplace_back(
        "no layers were recorded: only the model as a whole is told (xsp-run and xsp-bench: --level layer)");
  }
  if (sweep->is_set_by_program) {
    notes->emplace_back(
        "the program sets its number of threads itself: it had the same one at all points, so that nothing here shows "
        "what "
        "another one does");
  }
}

/// Whether curves with values are known well enough for intervals.
bool lacks_values(const ThreadAdvice& advice) {
  return advice.verdict == AdviceVerdict::kWithinNoise && !is_known(advice.gain);
}

void add_own_note(const SweptCurves& swept, ThreadNotes* notes) {
  const uint32_t own = swept.curves.own;
  if (swept.is_given) {
    notes->push_back(fmt::format("threads_now is {}, all cores (--cores)", own));
  } else if (own == 0) {
    notes->emplace_back("how many threads the program has by itself was not recorded, so no gain over it is known");
  } else if (swept.is_own_assumed) {
    notes->push_back(
        fmt::format("threads_now was not recorded: {} is the number of cores, which programs take by themselves", own));
  }
}

void add_switch_notes(const SweptCurves& swept, const Advices& advices, ThreadNotes* notes) {
  const auto changes = [](const ThreadAdvice& advice) { return advice.switches.count != 0; };
  const bool has_switches = std::any_of(advices.layers.begin(), advices.layers.end(), changes) ||
                            std::any_of(advices.types.begin(), advices.types.end(), changes);
  if (!has_switches) return;
  if (!swept.curves.switches.empty()) {
    notes->emplace_back(
        "switches are those that a row takes by itself; where neighbours have the same number, following several takes "
        "fewer");
    return;
  }
  notes->emplace_back(swept.is_given ? "what switching between numbers of threads costs is not in the file: nothing is "
                                       "advised for single layers or types"
                                     : "what switching between numbers of threads costs was not measured (xsp-run "
                                       "--concurrency measure does): nothing is advised for single layers or types");
}

}  // namespace

bool tells_of_threads(const SweptCurves& swept) { return swept.sweep == nullptr || !swept.sweep->is_set_by_program; }

std::vector<std::string> curve_notes(const SweptCurves& swept, const ClimbState& state) {
  ThreadNotes notes;
  add_shared_notes(swept, &notes);
  if (swept.sweep != nullptr && swept.sweep->load.is_busy) notes.push_back(busy_note(swept.sweep->load));
  if (swept.sweep != nullptr && swept.sweep->in_process && !swept.sweep->is_applied && !state.is_ended) {
    notes.emplace_back("the program ended before every curve did: more calls would show the rest");
  }
  if (!swept.climb.paper && !swept.is_given) {
    notes.emplace_back("a search ends where the time rises by more than noise; with --paper at any rise");
  }
  return notes;
}

std::vector<std::string> advice_notes(const SweptCurves& swept, const Advices& advices, const ThreadPolicy& policy) {
  ThreadNotes notes;
  add_shared_notes(swept, &notes);
  if (!tells_of_threads(swept)) return notes;
  if (swept.curves.is_busy) notes.push_back(busy_note(swept.sweep->load));
  if (swept.cores == 1) notes.emplace_back("one core can be used: more threads than one only take turns on it");
  add_own_note(swept, &notes);
  if (swept.sweep != nullptr && swept.sweep->is_applied) return notes;
  add_switch_notes(swept, advices, &notes);
  const bool is_short = (advices.whole && lacks_values(*advices.whole)) ||
                        std::any_of(advices.layers.begin(), advices.layers.end(), lacks_values);
  if (is_short) notes.emplace_back("too few calls for an interval: no gain can be told from noise");
  if (swept.climb.paper) notes.emplace_back("--paper: any gain counts, even one within noise");
  if (policy.rule != ThreadPolicy::Rule::kNone) {
    notes.emplace_back("another number of threads may change results in their last bits");
  }
  return notes;
}

std::vector<std::string> device_notes(const Study& study, const SweptCurves& swept) {
  ThreadNotes notes;
  if (swept.is_given) return notes;
  if (study.latencies.has_kernels) {
    notes.emplace_back(
        "numbers of threads are of the CPU: what a layer computes on a GPU does not depend on them, only what its call "
        "does on the CPU");
  }
  const bool trains = study.subject && study.evaluations.groups[*study.subject].phases.mode == Mode::kTraining;
  if (trains || has_backward_work(study)) {
    notes.emplace_back(
        "only model calls are measured: what else a training step computes may be best with other numbers");
  }
  return notes;
}

Table without_sweep(const TableDefinition& definition, const Study& study) {
  Table table = make_table(definition);
  table.lacks_data = true;
  for (const Process& process : study.trace.processes) {
    const char* const reason = process.thread_counts ? reason_of(process.thread_counts->totals.ended) : nullptr;
    if (reason == nullptr) continue;
    table.notes.emplace_back(reason);
    return table;
  }
  table.notes.push_back(std::string("the input has no model with two numbers of threads; ") + kHowToMeasure);
  return table;
}

}  // namespace xsp::analysis
