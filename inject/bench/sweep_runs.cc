#include "inject/bench/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text_encoding.h"
#include "inject/bench/command_template.h"
#include "inject/bench/decimal.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_message.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/end_message.h"

namespace xsp::bench {
namespace {

using launch::Parameters;
using launch::PlannedRun;
using launch::print_lines;
using launch::RunResult;

std::string point_text(const Parameters& point) {
  std::string text;
  for (const auto& [name, value] : point) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

int status_of(const RunResult& result) {
  if (result.interrupted) return 128 + result.interrupted_by;
  if (result.ending.succeeded()) return launch::kExitOwnFailure;
  return result.ending.by_signal ? 128 + result.ending.code : result.ending.code;
}

/// The parameters that the inputs of a call are made of; else the one parameter that has several numbers, or is
/// doubled.
std::vector<std::string> sizes_of(const Options& options) {
  if (!options.inputs.parameters().empty()) return options.inputs.parameters();
  std::vector<std::string> numeric;
  for (const SweepParameter& parameter : options.parameters) {
    const bool all_numbers = std::all_of(parameter.values.begin(), parameter.values.end(),
                                         [](const std::string& value) { return parse_decimal(value).has_value(); });
    if (all_numbers && parameter.values.size() > 1) numeric.push_back(parameter.name);
  }
  return numeric.size() == 1 ? numeric : std::vector<std::string>();
}

}  // namespace

void say(const Options& options, const std::string& line) {
  if (!options.recording.quiet) fmt::print(stderr, "xsp: {}\n", terminal_text(line));
}

launch::RunPoint run_point(const Options& options, const launch::Parameters& point) {
  return {filled_in(options.recording.command, point), point, options.inputs.at(point)};
}

bool needs_as_much_memory(const launch::Parameters& point, const launch::Parameters& exhausted,
                          const std::vector<std::string>& sizes) {
  if (point.size() != exhausted.size()) return false;
  for (size_t i = 0; i < point.size(); ++i) {
    const auto& [name, value] = point[i];
    const auto& [other_name, other_value] = exhausted[i];
    if (name != other_name) return false;
    if (value == other_value) continue;
    if (std::find(sizes.begin(), sizes.end(), name) == sizes.end()) return false;
    const auto number = parse_decimal(value);
    const auto other_number = parse_decimal(other_value);
    if (!number || !other_number || number->billionths < other_number->billionths) return false;
  }
  return true;
}

SweepRuns::SweepRuns(const Options& options, launch::SetRunner* runner)
    : options_(options), runner_(runner), sizes_(sizes_of(options)) {}

void SweepRuns::add(const std::vector<PlannedRun>& runs) {
  runner_->add(runs);
  planned_.insert(planned_.end(), runs.begin(), runs.end());
}

bool SweepRuns::run_all() {
  while (stopped_by_.empty() && !planned_.empty() && !is_time_over()) {
    const PlannedRun run = planned_.front();
    planned_.pop_front();
    RunResult result;
    if (!runner_->run_next(&result)) break;
    ++made_;
    measured_ += result.is_whole() ? 1 : 0;
    if (result.good()) continue;
    if (result.interrupted || !(result.out_of_memory || (options_.ignore_failure && !result.ending.succeeded()))) {
      stop(result);
    } else {
      give_up(run, result);
    }
  }
  return stopped_by_.empty();
}

bool SweepRuns::was_interrupted() {
  const int signal = runner_->asked_to_end();
  if (signal == 0) return false;
  RunResult result;
  result.interrupted = true;
  result.interrupted_by = signal;
  if (stopped_by_.empty()) stop(result);
  return true;
}

bool SweepRuns::was_given_up(const Parameters& point) const {
  return std::find(given_up_.begin(), given_up_.end(), point) != given_up_.end();
}

bool SweepRuns::is_time_over() {
  const uint64_t limit = options_.recording.time_limit_ns;
  if (limit == 0 || made_ == 0 || std::chrono::steady_clock::now() - begin_ < std::chrono::nanoseconds(limit)) {
    return false;
  }
  stopped_by_ = "--time-limit";
  runner_->drop_planned(stopped_by_);
  print_lines({fmt::format("xsp: stopped by --time-limit: {} runs were not made", planned_.size())});
  planned_.clear();
  return true;
}

void SweepRuns::give_up(const PlannedRun& run, const RunResult& result) {
  given_up_.push_back(run.parameters);
  if (exit_code_ == 0) exit_code_ = status_of(result);
  if (result.out_of_memory) {
    print_lines({fmt::format("xsp: out of memory at {}: {}", point_text(run.parameters), result.problem)});
    drop_points_like(run.parameters, sizes_, fmt::format("out of memory at {}", point_text(run.parameters)));
  } else {
    print_lines({fmt::format("xsp: warning: {}", result.problem)});
    drop_points_like(run.parameters, {}, "the command failed at this point");
  }
}

void SweepRuns::stop(const RunResult& result) {
  print_lines(launch::stop_message(result, true));
  interrupted_by_ = result.interrupted_by;
  stopped_by_ = result.interrupted ? fmt::format("signal {}", result.interrupted_by) : result.problem;
  exit_code_ = status_of(result);
  planned_.clear();
}

void SweepRuns::drop_points_like(const Parameters& point, const std::vector<std::string>& sizes,
                                 const std::string& why) {
  const auto is_like = [&](const PlannedRun& run) { return needs_as_much_memory(run.parameters, point, sizes); };
  std::vector<std::string> others;
  for (const PlannedRun& run : planned_) {
    const std::string text = point_text(run.parameters);
    if (run.parameters == point || !is_like(run) || std::find(others.begin(), others.end(), text) != others.end()) {
      continue;
    }
    others.push_back(text);
  }
  runner_->drop_planned(why, is_like);
  std::erase_if(planned_, is_like);
  if (others.empty()) return;
  std::string text;
  for (const std::string& other : others) text += (text.empty() ? "" : ", ") + other;
  print_lines({fmt::format("xsp: not run, as larger than {}: {}", point_text(point), text)});
}

}  // namespace xsp::bench
