#include "analysis/tables/loss_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/tables/continuous_notes.h"
#include "base/shell_words.h"

namespace xsp::analysis {
namespace {

uint64_t lost(const Process& process, LossReason reason) { return process.losses[static_cast<size_t>(reason)].count; }

uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

template <typename Value>
uint64_t over_processes(const Trace& trace, Value&& value) {
  uint64_t sum = 0;
  for (const Process& process : trace.processes) sum = saturating_add(sum, value(process));
  return sum;
}

uint64_t profile_losses(const Trace& trace) { return losses(trace, LossReason::kProfileFile); }

std::string count_of(uint64_t count, std::string_view noun) {
  if (count != 1 && noun.ends_with("ty")) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

uint64_t executions_without_time(const Trace& trace) {
  return saturating_add(losses(trace, LossReason::kZeroTime), losses(trace, LossReason::kInverted));
}

ptrdiff_t gaps_for(const Trace& trace, GapReason reason) {
  return std::count_if(trace.gaps.begin(), trace.gaps.end(), [=](const Gap& gap) { return gap.reason == reason; });
}

/// The profiled command as a shell takes it.
std::string command_of(const Trace& trace) {
  for (const Segment& segment : trace.segments) {
    if (segment.command.empty()) continue;
    return shell_command(segment.command);
  }
  return "COMMAND";
}

void add_device_notes(const Study& study, std::vector<std::string>* notes) {
  const Trace& trace = study.trace;
  if (const uint64_t without = executions_without_time(trace); without != 0) {
    notes->push_back(
        fmt::format("{} without a valid time from CUPTI left out (Q1)", count_of(without, "GPU activity")));
  }
  if (const uint64_t launches = study.executions.without_execution; launches != 0) {
    notes->push_back(fmt::format("{} of kernels or graphs whose GPU activity is not in the trace (Q1)",
                                 count_of(launches, "launch")));
  }
  if (const uint64_t executions = study.executions.without_launch; executions != 0) {
    notes->push_back(fmt::format("{} (kernels, copies, memsets) without a launch in the trace, so in no layer (Q1)",
                                 count_of(executions, "GPU activity")));
  }
  if (const uint64_t nodes = losses(trace, LossReason::kGraphNodes); nodes != 0) {
    notes->push_back(fmt::format("{} of graphs not kept: their kernels are in no layer (Q1)", count_of(nodes, "node")));
  }
  if (gaps_for(trace, GapReason::kCuptiFailed) != 0) {
    notes->push_back(
        "CUPTI hit a fatal error and shut itself down (Q1): kernels and CUDA calls after that are not in the trace");
  }
  const auto taken = gaps_for(trace, GapReason::kOtherProfiler);
  if (taken != 0) {
    notes->push_back(fmt::format("another profiler used CUPTI {} (Q1): GPU activity of that time is not in the trace",
                                 taken == 1 ? "once" : fmt::format("{} times", taken)));
  }
}

void warn_about_file(const TraceFile& file, std::vector<std::string>* warnings) {
  if (file.corrupt_packets != 0) {
    warnings->push_back(
        fmt::format("{}: {} damaged and left out", file.path, count_of(file.corrupt_packets, "packet")));
  }
  if (file.unreadable_bytes != 0) {
    warnings->push_back(
        fmt::format("{}: torn; the last {} cannot be read", file.path, count_of(file.unreadable_bytes, "byte")));
  }
}

void warn_about_parts(const Trace& trace, const RecordingParts& parts, std::vector<std::string>* warnings) {
  for (const LoadedPart& part : parts.parts) {
    const TraceFile& file = trace.files[part.file];
    const std::string& path = file.path;
    if (file.packets == 0) {
      warnings->push_back(fmt::format("{}: part {} cannot be read ({}); the other parts are used", path, part.index,
                                      file.bytes == 0 ? "it is empty" : "no header"));
    } else if (!part.ended && &part == &parts.parts.back()) {
      warnings->push_back(fmt::format(
          "{}: part {} is unfinished (still recording, or cut off); its readable part is used", path, part.index));
    } else if (!part.ended) {
      warnings->push_back(fmt::format("{}: part {} is incomplete; its readable part is used", path, part.index));
    } else if (!part.complete) {
      warnings->push_back(path + ": stopped early" + (part.end_reason.empty() ? "" : " (" + part.end_reason + ")"));
    }
    if (part.announced_spans > part.spans) {
      warnings->push_back(fmt::format("{}: {} of {} spans are not in the file", path, part.announced_spans - part.spans,
                                      part.announced_spans));
    }
  }
  if (const uint64_t missing = parts.missing_between(); missing != 0) {
    warnings->push_back(fmt::format("{} in between {} missing: give the whole folder", count_of(missing, "part"),
                                    missing == 1 ? "is" : "are"));
  }
  if (parts.given_twice != 0) {
    warnings->push_back(
        fmt::format("{} of the recording given twice, counted once", count_of(parts.given_twice, "part")));
  }
}

void warn_about_segment(const Trace& trace, const Segment& segment, std::vector<std::string>* warnings) {
  const std::string& path = trace.files[segment.file].path;
  if (segment.parts) return warn_about_parts(trace, *segment.parts, warnings);
  if (!segment.has_header) warnings->push_back(path + ": the header is missing");
  if (!segment.ended) {
    warnings->push_back(path + ": incomplete: the recording did not finish; its readable part is used");
  } else if (!segment.complete) {
    warnings->push_back(path + ": stopped early" + (segment.end_reason.empty() ? "" : " (" + segment.end_reason + ")"));
  }
  if (segment.announced_spans > segment.spans) {
    warnings->push_back(fmt::format("{}: {} of {} spans are not in the file", path,
                                    segment.announced_spans - segment.spans, segment.announced_spans));
  }
}

void warn_about_set(const RunSet& set, std::vector<std::string>* warnings) {
  constexpr size_t kMaxProblems = 5;
  const std::string name = "set " + set.folder + ": ";
  const char* const verb = set.missing == 1 ? "is" : "are";
  if (!set.stopped.empty()) {
    const std::string where = fmt::format("run {} of {}", set.last, set.planned);
    // A run that failed identifies itself.
    std::string warning = set.stopped.starts_with(where) ? fmt::format("{}stopped: {}", name, set.stopped)
                                                         : fmt::format("{}stopped in {}: {}", name, where, set.stopped);
    if (set.missing != 0) warning += fmt::format("; {} {} not there", count_of(set.missing, "run"), verb);
    warnings->push_back(std::move(warning));
  } else if (set.missing != 0) {
    warnings->push_back(fmt::format("{}{} of {} {} not there", name, set.missing, count_of(set.planned, "run"), verb));
  }
  for (size_t i = 0; i < std::min(set.problems.size(), kMaxProblems); ++i) {
    warnings->push_back(name + set.problems[i]);
  }
  if (set.problems.size() > kMaxProblems) {
    warnings->push_back(name + "and " + count_of(set.problems.size() - kMaxProblems, "problem") + " more");
  }
}

}  // namespace

std::string resolve_ambiguous(const Study& study) {
  const Trace& trace = study.trace;
  if (!study.parents.told_by.empty()) {
    const std::string& why = study.parents.why_not;
    return "the serialised run (" + study.parents.told_by + ") does not show it" + (why.empty() ? "" : ": " + why);
  }
  const std::string command = command_of(trace);
  const std::string one_more = "xsp-run --resolve -- " + command + " adds a run that shows the parents";
  if (trace.executions.size() == 0) {
    return "run them one after the other, or use one session per thread; if OpenMP threads make them overlap, " +
           one_more;
  }
  return one_more + "; or avoid the overlap: xsp-run --serialize -- " + command;
}

uint64_t losses(const Trace& trace, LossReason reason) {
  return over_processes(trace, [&](const Process& p) { return lost(p, reason); });
}

uint64_t dropped_spans(const Trace& trace) {
  return over_processes(trace, [](const Process& p) {
    uint64_t sum = 0;
    for (const auto reason :
         {LossReason::kUnspecified, LossReason::kRingFull, LossReason::kNoRing, LossReason::kTooDeep,
          LossReason::kCorrupt, LossReason::kDiskFull, LossReason::kActivity}) {
      sum = saturating_add(sum, lost(p, reason));
    }
    return sum;
  });
}

bool is_incomplete(const Trace& trace) {
  return !input_warnings(trace).empty() || dropped_spans(trace) != 0 || profile_losses(trace) != 0 ||
         executions_without_time(trace) != 0 || losses(trace, LossReason::kGraphNodes) != 0 ||
         gaps_for(trace, GapReason::kOtherProfiler) != 0 || gaps_for(trace, GapReason::kCuptiFailed) != 0;
}

std::vector<std::string> input_warnings(const Trace& trace) {
  std::vector<std::string> warnings;
  for (const RunSet& set : trace.sets) warn_about_set(set, &warnings);
  for (const TraceFile& file : trace.files) warn_about_file(file, &warnings);
  for (const Segment& segment : trace.segments) warn_about_segment(trace, segment, &warnings);
  const uint64_t gaps = over_processes(trace, [](const Process& p) { return p.sequence_gaps; });
  if (gaps != 0) {
    const uint64_t packets = over_processes(trace, [](const Process& p) { return p.missing_packets; });
    warnings.push_back(
        fmt::format("{} missing in {} of the packet sequence", count_of(packets, "packet"), count_of(gaps, "gap")));
  }
  if (trace.missing_strings != 0) {
    warnings.push_back(fmt::format("{} whose text is not in the trace", count_of(trace.missing_strings, "name")));
  }
  if (trace.conflicting_strings != 0) {
    warnings.push_back(
        fmt::format("{} defined twice with different texts", count_of(trace.conflicting_strings, "name")));
  }
  return warnings;
}

std::vector<std::string> loss_notes(const Study& study) {
  const Trace& trace = study.trace;
  std::vector<std::string> notes;
  if (const uint64_t dropped = dropped_spans(trace); dropped != 0) {
    notes.push_back(
        fmt::format("{} dropped while recording (Q1); sums and counts are too low by them", count_of(dropped, "span")));
  }
  if (const uint64_t profiles = profile_losses(trace); profiles != 0) {
    notes.push_back(fmt::format("{} of the framework could not be read (Q1)", count_of(profiles, "profile file")));
  }
  if (const uint64_t names = over_processes(trace, [](const Process& p) { return lost(p, LossReason::kStringsFull); });
      names != 0) {
    notes.push_back(fmt::format("{} had no room and are empty", count_of(names, "name")));
  }
  const auto& ambiguous = study.parents.ambiguous;
  if (const uint64_t spans = std::accumulate(ambiguous.begin(), ambiguous.end(), uint64_t{0}); spans != 0) {
    notes.push_back(fmt::format("{} inside several concurrent spans, so the parent is uncertain: {}",
                                count_of(spans, "span"), resolve_ambiguous(study)));
  }
  const auto& outside = study.parents.outside_parent;
  if (const uint64_t spans = std::accumulate(outside.begin(), outside.end(), uint64_t{0}); spans != 0) {
    notes.push_back(
        fmt::format("{} outside the interval of the parent: the trace may be damaged", count_of(spans, "span")));
  }
  add_device_notes(study, &notes);
  for (std::string& note : continuous_notes(study)) notes.push_back(std::move(note));
  for (std::string& warning : input_warnings(trace)) notes.push_back(std::move(warning));
  return notes;
}

}  // namespace xsp::analysis
