#include "analysis/report/report_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/path_names.h"
#include "analysis/report/recording_facts.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/evaluation_modes.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_calls.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/study_notes.h"
#include "analysis/timeline/model_spans.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kTitleWidth = 100;

/// "python3.11 infer.py": the program, and the script that it runs where it says which.
std::string program_of(const Trace& trace) {
  std::string program;
  for (const Process& process : trace.processes) {
    if (program.empty() && !process.executable.empty()) program = base_name(process.executable);
  }
  for (const Segment& segment : trace.segments) {
    if (segment.command.empty()) continue;
    if (program.empty()) program = base_name(segment.command[0]);
    const auto script = std::find_if(segment.command.begin() + 1, segment.command.end(),
                                     [](const std::string& word) { return !word.starts_with('-'); });
    // An option's value looks the same, so only a name that is a file or module is told.
    if (script != segment.command.end() && script->find('.') != std::string::npos &&
        script->find_first_of(" \n;(") == std::string::npos) {
      return program + " " + base_name(*script);
    }
    break;
  }
  return program;
}

std::string title_of(const Study& study) {
  std::string title;
  const EvaluationGroup* group = study.subject ? &study.evaluations.groups[*study.subject] : nullptr;
  // A step of the profiler is no model.
  if (group != nullptr && study.trace.text(group->model) != kProfilerStep) title = model_label(study.trace, *group);
  const std::string program = program_of(study.trace);
  if (!title.empty() && !program.empty()) title += ", ";
  title += program;
  return title.empty() ? "XSP report" : shorten(printable(title), kTitleWidth);
}

void add_once(std::string text, std::vector<std::string>* to) {
  if (!text.empty() && std::find(to->begin(), to->end(), text) == to->end()) to->push_back(std::move(text));
}

/// What users call a profile of this format of xsp-import.
std::string profile_of(const std::string& source) {
  if (source == "kineto") return "PyTorch profiler trace";
  if (source == "nsight-systems") return "Nsight Systems report";
  if (source == "onnxruntime") return "ONNX Runtime profile";
  return "imported from " + source;
}

/// "PyTorch profiler trace": what a reader has to know of where the numbers come from.
std::string origin_of(const Trace& trace) {
  std::vector<std::string> profiles;
  for (const Segment& segment : trace.segments) {
    if (!segment.source.empty()) add_once(profile_of(segment.source), &profiles);
  }
  return fmt::format("{}", fmt::join(profiles, ", "));
}

/// "rank 0 of 128": the others are not in the report. Empty of a program that runs alone.
std::string rank_of_many(const Process& process) {
  const std::string* rank = process.variable("RANK");
  const std::string* ranks = process.variable("WORLD_SIZE");
  if (rank == nullptr || ranks == nullptr || *ranks == "1") return {};
  return fmt::format("rank {} of {}", printable(*rank), printable(*ranks));
}

std::string header_line(const Study& study) {
  std::string line;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) line += (line.empty() ? "" : " · ") + part;
  };
  if (study.subject && !study.without_models) {
    const EvaluationGroup& group = study.evaluations.groups[*study.subject];
    if (group.phases.mode != Mode::kUnknown) add(std::string(mode_word(group.phases.mode)));
    const Cell batch = batch_size_cell(study, group);
    if (const auto* count = std::get_if<int64_t>(&batch)) add(fmt::format("batch {}", *count));
    add(gpus_of(study, group));
    const ModelCalls calls = calls_of_model(study, group);
    const size_t all = study.options.per_trace ? group.evaluations.size() : calls.count;
    const std::string_view noun = evaluation_noun(study, group);
    add(study.options.per_trace ? fmt::format("totals of {} {}{}", all, noun, all == 1 ? "" : "s")
                                : fmt::format("{} of {} {}{} used{}", study.used.size(), all, noun, all == 1 ? "" : "s",
                                              which_calls(study, group)));
    const std::string rank = rank_of_many(study.trace.processes[group.process]);
    const size_t others = study.groups.size() - calls.groups.size();
    const bool are_of_others = std::any_of(study.groups.begin(), study.groups.end(), [&](uint32_t number) {
      return study.evaluations.groups[number].process != group.process;
    });
    if (are_of_others || !rank.empty()) add(rank.empty() ? process_label(study.trace, group) : rank);
    if (others != 0) {
      add(fmt::format("{} more in A1", others));
    }
  }
  add(origin_of(study.trace));
  return line;
}

/// What is not in the trace, was left out, or is doubtful.
std::vector<std::string> losses_of(const Study& study) {
  constexpr size_t kMostNotices = 5;
  const Trace& trace = study.trace;
  std::vector<std::string> losses = loss_notes(study);
  add_once(failed_note(study), &losses);
  if (const size_t libraries = trace.unintercepted.size(); libraries != 0) {
    losses.push_back(fmt::format("calls of {} are missing, all or in part (Q1)",
                                 libraries == 1 ? "1 library" : fmt::format("{} libraries", libraries)));
  }
  size_t notices = 0;
  for (const Notice& notice : trace.notices) {
    if (notice.severity == 0) continue;
    if (++notices <= kMostNotices) add_once(notice.component + ": " + notice.text, &losses);
  }
  if (notices > kMostNotices) losses.push_back(fmt::format("and {} more notices (Q1)", notices - kMostNotices));
  return losses;
}

}  // namespace

ReportHeader report_header(const Study& study) {
  return {.title = title_of(study),
          .line = header_line(study),
          .facts = recording_facts(study),
          .losses = losses_of(study)};
}

}  // namespace xsp::analysis
