#include "inject/launch/concurrency/threads_plan.h"

#include <fmt/format.h>

#include "base/processors.h"
#include "base/quantity_text.h"
#include "inject/launch/concurrency/advised_threads.h"
#include "inject/launch/concurrency/measuring_run.h"
#include "inject/launch/concurrency/threads_outcome.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/end_message.h"
#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

void say(const Options& options, const std::string& line) {
  if (!options.quiet) print_lines({"xsp: concurrency: " + line});
}

/// The program runs as it is.
void leave_alone(const std::string& why, ThreadsPlan* plan) {
  say(plan->options, fmt::format("nothing to apply ({}): the program runs unchanged", why));
  plan->options.concurrency = Concurrency::kNone;
}

void take_over(const Advice& advice, ThreadsPlan* plan) {
  plan->policy = advice.policy;
  if (plan->policy.is_empty()) return leave_alone(advice.why_nothing, plan);
  const char* const warning = "results may differ in their last bits";
  if (!advice.of_runs) {
    say(plan->options,
        fmt::format("applying {}, in turns with the program's own number; {}", text_of(plan->policy), warning));
    return;
  }
  plan->is_by_variables = true;
  plan->options.variables = thread_variables(plan->policy.whole, *advice.of_runs);
  const bool is_inter = *advice.of_runs == ThreadKind::kInter;
  say(plan->options, fmt::format("applying {} to the whole run, by {}; {}", plural(plan->policy.whole, "thread"),
                                 is_inter ? "sessions of ONNX Runtime that run operators side by side"
                                          : "OMP_NUM_THREADS and the like, and sessions of ONNX Runtime",
                                 warning));
}

void measure_and_take_over(const InstallLayout& layout, const std::string& auditor, SignalInbox* signals,
                           ThreadsPlan* plan) {
  const Options& options = plan->options;
  say(options,
      "the command runs twice: first without its output, to measure numbers of threads, and then with those found "
      "best");
  const MeasuringRun first = measure_first(options, layout, auditor, plan->choose_output, signals);
  if (!first.started.ok()) {
    plan->refused = first.started;
    return;
  }
  if (!first.problem.empty()) {
    print_lines({fmt::format("xsp: concurrency: the measuring run: {}; it is not run again", first.problem)});
    plan->stopped = first.ending;
    return;
  }
  // A command that ends well after a signal has still been asked to end.
  if (const int signal = signals->asked_to_end(); signal != 0) {
    plan->stopped = Ending{true, signal};
    return;
  }
  say(options, fmt::format("measured, into {}", first.trace));
  plan->choose_output = [output = first.output](pid_t /*pid*/, std::string* chosen) {
    *chosen = output;
    return Status();
  };
  const Advice advice = ask_advice(layout.report, first.trace, options.usable_cores);
  if (advice.refused.ok()) return take_over(advice, plan);
  leave_alone(advice.refused.error, plan);
}

}  // namespace

ThreadsPlan plan_threads(const Options& options, const InstallLayout& layout, const std::string& auditor,
                         const ChooseOutput& choose_output, SignalInbox* signals) {
  ThreadsPlan plan = {.options = options, .choose_output = choose_output};
  if (options.concurrency == Concurrency::kNone) return plan;
  plan.options.usable_cores = usable_cores(read_processors());
  if (!options.advice_set.empty()) {
    const Advice advice = ask_advice(layout.report, options.advice_set, plan.options.usable_cores);
    if (advice.refused.ok()) {
      take_over(advice, &plan);
    } else {
      plan.refused = {"--concurrency apply: " + advice.refused.error, advice.refused.hint};
    }
    return plan;
  }
  if (options.level == "model") say(options, "with --level model only the whole model is measured, not its layers");
  const bool measures_only = options.concurrency == Concurrency::kMeasure;
  if (plan.options.usable_cores == 1) {
    if (!measures_only) {
      leave_alone("one core can be used", &plan);
    } else {
      say(options, "one core can be used: there is no other number of threads to try");
    }
    return plan;
  }
  if (measures_only) return plan;
  if (layout.report.empty()) {
    plan.refused = {"--concurrency apply: traces are read by xsp-report, which is not beside xsp-run",
                    "install all of XSP"};
    return plan;
  }
  measure_and_take_over(layout, auditor, signals, &plan);
  return plan;
}

std::string policy_of_guest(const ThreadsPlan& plan) {
  return plan.policy.is_empty() || plan.is_by_variables ? std::string() : policy_text(plan.policy);
}

std::string threads_line(const ThreadsPlan& plan, const TraceOutcome& outcome, const std::string& report) {
  const Options& options = plan.options;
  if (options.concurrency == Concurrency::kNone || options.quiet || report.empty()) return {};
  if (!outcome.is_finished() || outcome.is_streamed() || outcome.status.spans == 0) return {};
  if (plan.is_by_variables) return whole_run_line(plan.policy.whole);
  const bool applies = options.concurrency == Concurrency::kApply;
  if (!applies && options.usable_cores == 1) return {};
  namespace advice = report_columns::thread_advice;
  const auto json = captured_output({report, "-a", advice::kTable, "--format", "json", outcome.output}, true);
  if (applies) return applied_line(json.value_or(""));
  return measured_line(json.value_or(""), report_command(report, outcome.output).substr(2) + " -a E1,E2");
}

}  // namespace xsp::launch
