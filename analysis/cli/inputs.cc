#include "analysis/cli/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "analysis/cli/messages.h"
#include "analysis/compare/model_match.h"
#include "analysis/export/exporter.h"
#include "analysis/report/redaction.h"
#include "analysis/tables/model_baseline.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/trace/loader.h"
#include "base/log.h"
#include "base/shell_words.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

void log_input(const Trace& trace) {
  for (const TraceFile& file : trace.files)
    log::info("read " + file.path + ", " + std::to_string(file.bytes) + " bytes");
  log::info(std::to_string(trace.spans.size()) + " spans of " + std::to_string(trace.processes.size()) +
            " processes, " + std::to_string(trace.executions.size()) + " executions");
}

bool is_there(const std::string& path) {
  std::error_code failure;
  return path == "-" || std::filesystem::exists(path, failure);
}

/// The file of the same folder that a name is probably a typo of.
std::string similar_file(const std::string& path) {
  const std::filesystem::path given(path);
  const std::filesystem::path folder = given.has_parent_path() ? given.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code failure;
  constexpr size_t kMostNames = 1000;
  for (std::filesystem::directory_iterator entry(folder, failure), end; entry != end && names.size() < kMostNames;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".pb")) names.push_back(name);
  }
  const std::string nearest = nearest_word(given.filename().string(), names);
  if (nearest.empty()) return {};
  return given.has_parent_path() ? (folder / nearest).string() : nearest;
}

/// What the first input that does not exist was probably meant for: an option, a table, a format, another file.
std::string meant_for(std::span<const std::string> paths) {
  const auto missing = std::find_if_not(paths.begin(), paths.end(), is_there);
  if (missing == paths.end()) return {};
  const std::string& word = *missing;
  if (word.empty()) return "name a trace, for example: xsp-report run.pb";
  const auto names = option_names();
  if (std::find(names.begin(), names.end(), "--" + word) != names.end()) return "did you mean --" + word + "?";
  std::vector<const TableDefinition*> tables;
  if (choose_analyses({word}, &tables).ok()) return "did you mean -a " + word + "?";
  if (find_exporter(word) != nullptr) return "did you mean --export " + word + "?";
  const std::string similar = similar_file(word);
  return similar.empty() ? similar : "did you mean " + shell_command({similar}) + "?";
}

/// `like`: what tables should be of, if the input has it.
ExitCode read_input(const Options& options, std::span<const std::string> paths, std::optional<SubjectWish> like,
                    AnalysedTrace* input) {
  if (Status status = load_paths(paths, {.last_ns = options.last_ns}, &input->trace); !status.ok()) {
    if (const std::string meant = meant_for(paths); !meant.empty()) status.hint = meant;
    complain(status);
    return kBadInput;
  }
  log_input(input->trace);
  warn(options, input->trace);
  if (options.redact) redact(&input->trace);
  StudyOptions study = options.study;
  study.like = std::move(like);
  Status status = analyse(options.roles, study, input);
  if (status.ok()) return kDone;
  if (options.diff) status.error = (paths.data() == options.traces.data() ? "BASE: " : "NEW: ") + status.error;
  complain(status);
  return kUsage;
}

std::vector<ReportInput> describe_input(const Trace& trace) {
  std::vector<ReportInput> inputs;
  for (const TraceFile& file : trace.files) {
    inputs.push_back({.path = file.path, .complete = file.corrupt_packets == 0 && file.unreadable_bytes == 0});
  }
  for (const Segment& segment : trace.segments) {
    if (segment.parts) {
      for (const LoadedPart& part : segment.parts->parts) {
        inputs[part.file].complete &= part.ended && part.complete && part.spans >= part.announced_spans;
        inputs[part.file].spans += part.spans;
      }
      continue;
    }
    inputs[segment.file].complete &= segment.ended && segment.complete && segment.spans >= segment.announced_spans;
    inputs[segment.file].spans += segment.spans;
  }
  for (const Process& process : trace.processes) {
    inputs[trace.segments[process.segment].file].processes += process.said_hello || process.spans != 0 ? 1 : 0;
  }
  return inputs;
}

}  // namespace

ExitCode read_inputs(const Options& options, Inputs* inputs) {
  const std::span<const std::string> traces = options.traces;
  const size_t bases = options.diff ? 1 : 0;
  if (options.diff) {
    const ExitCode read = read_input(options, traces.first(bases), {}, &inputs->base);
    if (read != kDone) return read;
  }
  const auto like = options.diff ? same_subject(*inputs->base.study) : std::nullopt;
  if (const ExitCode read = read_input(options, traces.subspan(bases), like, &inputs->input); read != kDone)
    return read;
  if (!options.bounds.empty()) {
    inputs->bounds.emplace();
    Status status = read_given_bounds(options.bounds, &*inputs->bounds);
    if (status.ok()) status = check_given_bounds(*inputs->input.study, *inputs->bounds);
    if (!status.ok()) {
      complain(status);
      return kBadInput;
    }
  }
  const Status status = check_baseline(options.study.baseline, model_sweeps(*inputs->input.study));
  if (status.ok()) return kDone;
  complain(status);
  return kUsage;
}

std::vector<ReportInput> describe_inputs(const Options& options, const Inputs& inputs) {
  std::vector<ReportInput> described = options.diff ? describe_input(inputs.base.trace) : std::vector<ReportInput>();
  for (ReportInput& input : described) input.side = "base";
  for (ReportInput& input : describe_input(inputs.input.trace)) {
    if (options.diff) input.side = "new";
    described.push_back(std::move(input));
  }
  return described;
}

}  // namespace xsp::analysis
