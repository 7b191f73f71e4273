#include "inject/launch/experiment/set_runner.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/text_encoding.h"
#include "inject/launch/experiment/memory_end.h"
#include "inject/launch/experiment/run_number.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/run_streams.h"
#include "inject/launch/experiment/set_folder.h"
#include "inject/launch/experiment/set_index.h"
#include "inject/launch/experiment/set_outlook.h"
#include "inject/launch/experiment/set_progress.h"
#include "inject/launch/experiment/unrecorded_command.h"
#include "inject/launch/experiment/written_files.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/command_lookup.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/output_name.h"
#include "inject/launch/run/preload_link.h"
#include "inject/launch/run/recording.h"

namespace xsp::launch {
namespace {

constexpr const char* kWarmUpLog = "warm-up.log";

bool is_file(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::vector<std::string> same_in_every_run(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) {
    if (!has_run_number({word})) words.push_back(word);
  }
  return words;
}

std::string problem_of_trace(const TraceOutcome& outcome, bool strict) {
  if (outcome.end == PrivateCollector::End::kBackground) return "its trace was not waited for";
  if (outcome.end == PrivateCollector::End::kDied) {
    return fmt::format("xsp-collector ended early ({})", outcome.how_collector_died);
  }
  if (!outcome.status.error.empty()) return "its trace is not complete: " + outcome.status.error;
  if (strict && !is_whole(outcome)) return "--strict: its trace is incomplete or without spans";
  return {};
}

}  // namespace

struct SetRunner::State {
  /// A run that has not begun: its entry in the index, or none for a warm-up.
  struct Pending {
    PlannedRun run;
    std::optional<size_t> entry;
  };

  SetOptions options;
  InstallLayout layout;
  std::string auditor;
  std::string folder;
  OwnedFd lock;  // on the folder
  SetIndex index;
  std::unique_ptr<SignalInbox> signals;
  std::unique_ptr<RunStreams> streams;
  std::vector<Pending> pending;
  SetProgress progress;
  SetOutlook outlook;
  bool shown_one = false;

  void say(const std::string& line) const {
    if (options.recording.quiet) return;
    std::fputs(("xsp: " + terminal_text(line) + "\n").c_str(), stderr);
    std::fflush(stderr);
  }

  std::string path_of(const std::string& name) const { return folder + "/" + name; }

  Status find_parts();
  std::vector<PlannedRun> planned() const;
  size_t recorded_in_plan() const;
  Options options_of(const PlannedRun& run, uint32_t number) const;
  std::string name_of(const Pending& next) const;
  bool was_interrupted(RunResult* result) const;
  void prepare(const PlannedRun& run, uint32_t number, RunResult* result) const;
  void warm_up(const Pending& next, RunResult* result);
  void record_one(const Pending& next, RunResult* result);
  void record_into(SetIndex::Run* entry, RunResult* result);
};

Status SetRunner::State::find_parts() {
  layout = find_install_layout();
  if (Status status = missing_part(layout, true); !status.ok()) return status;
  if (Status status = make_preloadable(&layout.library); !status.ok()) return status;
  if (options.recording.audit) return find_auditor(layout, &auditor);
  return {};
}

std::vector<PlannedRun> SetRunner::State::planned() const {
  std::vector<PlannedRun> runs;
  for (const Pending& next : pending) runs.push_back(next.run);
  return runs;
}

/// Except those that were dropped.
size_t SetRunner::State::recorded_in_plan() const {
  size_t count = 0;
  for (const SetIndex::Run& run : index.runs) count += run.state != RunState::kDropped;
  return count;
}

Options SetRunner::State::options_of(const PlannedRun& run, uint32_t number) const {
  Options of_run = options.recording;
  of_run.command = with_run_number(run.command, number);
  of_run.level = run.level;
  of_run.variables = run.variables;
  of_run.serialize |= run.purpose == RunPurpose::kSerialised;
  if (run.purpose != RunPurpose::kCounters) of_run.metrics.clear();
  return of_run;
}

std::string SetRunner::State::name_of(const Pending& next) const {
  if (!next.entry) return text_of(next.run);
  return fmt::format("run {}/{}: {}", index.runs[*next.entry].index, recorded_in_plan(), text_of(next.run));
}

bool SetRunner::State::was_interrupted(RunResult* result) const {
  while (signals->take()) {
  }
  result->interrupted_by = signals->asked_to_end();
  result->interrupted = result->interrupted_by != 0;
  return result->interrupted;
}

void SetRunner::State::prepare(const PlannedRun& run, uint32_t number, RunResult* result) const {
  if (options.prepare.empty()) return;
  result->problem = prepare_run(options.prepare, run, number, folder, signals.get());
  // What failed is not the command of the user's set.
  if (!result->problem.empty()) result->ending = {false, kExitOwnFailure};
}

void SetRunner::State::warm_up(const Pending& next, RunResult* result) {
  result->log = path_of(kWarmUpLog);
  index.warm_up_log = kWarmUpLog;
  const CommandStreams files = streams->begin(result->log);
  const auto begin = std::chrono::steady_clock::now();
  const Status status =
      run_unrecorded(with_run_number(next.run.command, 0), files, signals.get(), &result->ending, next.run.variables);
  progress.ended(next.run, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  RunStreams::end(result->log, false);
  if (!status.ok()) {
    result->ending = {false, exit_code_of(status)};
    result->problem = status.error;
  } else if (!result->ending.succeeded()) {
    const std::string memory = memory_end(result->ending, result->log);
    result->out_of_memory = !memory.empty();
    result->problem = fmt::format("{}: the command {}{}{}", name_of(next), how_it_ended(result->ending),
                                  memory.empty() ? "" : ": ", memory);
  }
  if (!result->problem.empty()) return;
  unlink(result->log.c_str());
  result->log.clear();
  index.warm_up_log.clear();
}

void SetRunner::State::record_into(SetIndex::Run* entry, RunResult* result) {
  const Options of_run = options_of(entry->planned, entry->index);
  const std::string trace = path_of(entry->trace);
  const auto choose_output = [&](pid_t /*pid*/, std::string* output) {
    *output = trace;
    return Status();
  };
  result->log = path_of(entry->log);
  const CommandStreams files = streams->begin(result->log);
  // Before the run, to be compared with what is there after it.
  const WrittenFiles written(same_in_every_run(entry->planned.command));
  const Recording recording = record({.options = of_run,
                                      .layout = layout,
                                      .auditor = auditor,
                                      .choose_output = choose_output,
                                      .counted = entry->planned.purpose == RunPurpose::kCounters,
                                      .run = run_json(index, *entry),
                                      .streams = files},
                                     signals.get());
  RunStreams::end(result->log, options.show_output && !shown_one && recording.started.ok());
  shown_one = true;
  result->ending = recording.started.ok() ? recording.ending : Ending{false, exit_code_of(recording.started)};
  entry->ending = result->ending;
  entry->seconds = recording.seconds;
  // The collector names a trace .partial until it is finished.
  for (const std::string& path : {trace, trace + ".partial"}) {
    if (result->trace.empty() && is_file(path)) result->trace = path;
  }
  if (!recording.started.ok()) {
    const std::string& hint = recording.started.hint;
    result->problem = recording.started.error + (hint.empty() ? hint : "; " + hint);
  } else if (!result->ending.succeeded()) {
    // A command that a signal to this program ended as well did not end for want of memory, whatever it printed.
    const bool asked = signals->asked_to_end() != 0;
    const std::string memory = asked ? std::string() : memory_end(result->ending, result->log);
    result->out_of_memory = !memory.empty();
    result->problem =
        fmt::format("the command {}{}{}", how_it_ended(result->ending), memory.empty() ? "" : ": ", memory);
  } else {
    result->problem = problem_of_trace(recording.outcome, options.recording.strict);
  }
  entry->state = result->problem.empty() ? RunState::kDone
                 : result->out_of_memory ? RunState::kOutOfMemory
                                         : RunState::kFailed;
  if (result->problem.empty()) {
    progress.ended(entry->planned, recording.seconds);
    const SetOutlook::Seen seen =
        outlook.look_at({.run = entry->planned,
                         .index = entry->index,
                         .seconds = recording.seconds,
                         .status = recording.outcome.status,
                         .trace = result->trace,
                         .written = options.prepare.empty() ? written.found() : std::vector<std::string>()},
                        {.runs = pending.size(), .seconds = progress.expected_time(planned()), .folder = folder});
    for (const std::string& line : seen.lines) say(line);
    result->problem = seen.problem;
  }
}

void SetRunner::State::record_one(const Pending& next, RunResult* result) {
  SetIndex::Run& entry = index.runs[*next.entry];
  // On the disk before the run begins: whoever finds the folder after a crash sees which run it was.
  entry.state = RunState::kRunning;
  if (const Status status = write_index(folder, index); !status.ok()) result->problem = status.error;
  if (result->problem.empty()) prepare(next.run, entry.index, result);
  // Between the preparation and the run: it has not begun, and the index is to say so.
  if (was_interrupted(result)) {
    entry.state = RunState::kPlanned;
  } else if (!result->problem.empty()) {
    entry.ending = result->ending;
    entry.state = RunState::kFailed;
  } else {
    record_into(&entry, result);
  }
  was_interrupted(result);
  if (!result->problem.empty()) {
    result->problem =
        fmt::format("run {} of {} ({}): {}", entry.index, recorded_in_plan(), text_of(next.run), result->problem);
  }
  const Status status = write_index(folder, index);
  if (result->problem.empty()) result->problem = status.error;
}

SetRunner::SetRunner(SetOptions options) : state_(std::make_unique<State>()) { state_->options = std::move(options); }

SetRunner::~SetRunner() = default;

Status SetRunner::open(const std::vector<std::string>& command) {
  State& state = *state_;
  const Options& recording = state.options.recording;
  // First what can be refused without a change on the disk, then the folder with its lock, then what is written into
  // it.
  if (Status status = check_command(with_run_number(command, 1)); !status.ok()) return status;
  if (Status status = state.find_parts(); !status.ok()) return status;
  const std::string& input = state.options.input_file;
  if (!input.empty()) {
    if (Status status = check_input(input); !status.ok()) return status;
  }
  state.streams = std::make_unique<RunStreams>(input);
  if (Status status = choose_folder(recording.output, command, getpid(), &state.folder); !status.ok()) return status;
  if (Status status = check_folder(state.folder, recording.force); !status.ok()) return status;
  if (Status status = make_folder(state.folder, &state.lock); !status.ok()) return status;
  state.index = new_index(state.options.program, command);
  if (Status status = write_index(state.folder, state.index); !status.ok()) return status;
  // Up to here ^C simply ends this program; from here on it ends the set, with an index that says so.
  state.signals = std::make_unique<SignalInbox>();
  if (state.streams->leaves_input_out()) {
    state.say("the runs get no input: all are alike, and none has this terminal or pipe (--input FILE gives them one)");
  }
  return {};
}

void SetRunner::add(const std::vector<PlannedRun>& runs) {
  for (const PlannedRun& run : runs) {
    std::optional<size_t> entry;
    if (run.purpose != RunPurpose::kWarmUp) {
      entry = state_->index.runs.size();
      state_->index.add(run);
    }
    state_->pending.push_back({run, entry});
  }
}

bool SetRunner::run_next(RunResult* result) {
  State& state = *state_;
  *result = RunResult();
  if (state.pending.empty()) return false;
  const std::string left = state.progress.time_left(state.planned());
  const State::Pending next = state.pending.front();
  state.pending.erase(state.pending.begin());
  if (state.was_interrupted(result)) return true;
  state.say(state.name_of(next) + left);
  if (next.entry) {
    state.record_one(next, result);
    return true;
  }
  state.prepare(next.run, 0, result);
  if (result->problem.empty() && !state.was_interrupted(result)) state.warm_up(next, result);
  state.was_interrupted(result);
  return true;
}

void SetRunner::drop_planned(const std::string& why, const std::function<bool(const PlannedRun&)>& which) {
  std::erase_if(state_->pending, [&](const State::Pending& next) {
    if (which && !which(next.run)) return false;
    if (next.entry) {
      state_->index.runs[*next.entry].state = RunState::kDropped;
      state_->index.runs[*next.entry].why = why;
    }
    return true;
  });
  // It is written again at the end of the set, which says so if it cannot be.
  (void)write_index(state_->folder, state_->index);
}

int SetRunner::asked_to_end() {
  RunResult result;
  state_->was_interrupted(&result);
  return result.interrupted_by;
}

void SetRunner::close(const std::string& stopped_by) {
  state_->index.state = stopped_by.empty() ? set_index::kSetIsComplete : set_index::kSetIsStopped;
  state_->index.stopped_by = stopped_by;
  const Status status = write_index(state_->folder, state_->index);
  if (status.ok()) return;
  fmt::print(stderr, "xsp: error: {}: the index does not tell how the set ended\n", terminal_text(status.error));
}

const std::string& SetRunner::folder() const { return state_->folder; }

const std::string& SetRunner::report() const { return state_->layout.report; }

}  // namespace xsp::launch
