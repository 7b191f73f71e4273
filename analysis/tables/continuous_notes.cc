#include "analysis/tables/continuous_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr int64_t kNsPerWholeSecond = 1'000'000'000;

/// "03:12:44".
std::string clock_text(int64_t ns) {
  const int64_t seconds = std::max<int64_t>(ns, 0) / kNsPerWholeSecond;
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// How a process samples at present: "1 in 100", or nothing where processes differ.
std::string sampling_rate(const Trace& trace) {
  uint32_t every = 0;
  bool is_adaptive = false;
  for (const Process& process : trace.processes) {
    if (!process.sampling || process.sampling->every == 0) continue;
    if (every != 0 && every != process.sampling->every) return {};
    every = process.sampling->every;
    is_adaptive |= process.sampling->is_adaptive;
  }
  if (every == 0) return {};
  return fmt::format("1 in {}{}", grouped_digits(every), is_adaptive ? " at present, as --max-overhead allows" : "");
}

/// The latest time that a segment tells of.
int64_t end_of(const Trace& trace, uint32_t segment) {
  int64_t end = trace.segments[segment].end_ns;
  if (trace.segments[segment].parts) {
    for (const LoadedPart& part : trace.segments[segment].parts->parts) {
      end = std::max({end, part.end_ns, part.begin_ns});
    }
  }
  for (const auto& [process, aggregates] : trace.aggregates.processes) {
    if (trace.processes[process].segment == segment) end = std::max(end, aggregates.end);
  }
  return end;
}

/// When what a segment tells of began: the recording itself where totals or its first part say so.
int64_t begin_of(const Trace& trace, uint32_t segment) {
  int64_t begin = trace.segments[segment].begin_ns;
  for (const auto& [process, aggregates] : trace.aggregates.processes) {
    const int64_t first = std::min(aggregates.begin, aggregates.before_begin);
    if (trace.processes[process].segment != segment || first == INT64_MAX) continue;
    begin = begin == 0 ? first : std::min(begin, first);
  }
  return begin;
}

std::string missing_note(const RecordingParts& parts) {
  const uint64_t missing = parts.missing_before() + parts.missing_between() -
                           std::min<uint64_t>(parts.not_asked_for, parts.missing_before() + parts.missing_between());
  if (missing == 0) return {};
  return fmt::format(
      "{} of {} part{} of the recording {} missing, usually removed to keep within --max-size; Q2 counts all of them",
      missing, parts.known(), parts.known() == 1 ? "" : "s", missing == 1 ? "is" : "are");
}

/// Times in which a level and those below it were counted only.
std::string not_stored_note(const Trace& trace) {
  uint64_t times = 0;
  double ns = 0;
  bool goes_on = false;
  Level level = Level::kDevice;
  for (const Gap& gap : trace.gaps) {
    if (gap.reason != GapReason::kNotStored) continue;
    ++times;
    goes_on |= gap.end == 0;
    level = std::min(level, gap.level);
    if (gap.end != 0) ns += static_cast<double>(gap.end - gap.begin);
  }
  if (times == 0) return {};
  std::string note = fmt::format("spans were counted but not stored, to keep within --max-size or --max-rate, {}",
                                 times == 1 ? "once" : fmt::format("{} times", times));
  if (ns > 0) note += fmt::format(", {:.4g} s in all", ns / kNsPerSecond);
  if (level > Level::kModel) note += fmt::format(", from level {} on", kLevelNames[static_cast<size_t>(level)]);
  if (goes_on) note += ", and are not at the end";
  return note + ": Q2 counts all of them, the other tables show the stored ones";
}

}  // namespace

SampledCalls sampled_calls(const EvaluationGroup& group) {
  SampledCalls calls;
  for (const GroupRun& run : group.runs) (run.shallow ? calls.shallow : calls.full) += run.evaluations.size();
  return calls;
}

std::string grouped_digits(uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ',');
  }
  return digits;
}

std::string sampling_note(const Study& study, bool of_latencies) {
  SampledCalls calls;
  bool by_shallow = true;
  const auto add = [&](const EvaluationGroup& group) {
    const SampledCalls of_group = sampled_calls(group);
    calls.full += of_group.full;
    calls.shallow += of_group.shallow;
    if (of_group.shallow == 0) return;
    const std::vector<LevelSet> sets = timing_sets(study, group);
    by_shallow &= !sets.empty() && !sets.front().runs.empty() && group.runs[sets.front().runs.front()].shallow;
  };
  if (of_latencies) {
    for (const uint32_t group : study.groups) add(study.evaluations.groups[group]);
  } else if (study.subject) {
    add(study.evaluations.groups[*study.subject]);
  }
  if (calls.shallow == 0) return {};
  const std::string rate = sampling_rate(study.trace);
  std::string note = fmt::format("{}model calls recorded in full: {} of {}", rate.empty() ? "" : rate + " ",
                                 grouped_digits(calls.full), grouped_digits(calls.all()));
  if (study.options.per_trace) {
    return note + (of_latencies ? "; totals include all of them" : "; totals include only those");
  }
  if (!of_latencies) return note + "; times inside calls come from those, the model's latency from the others";
  if (!by_shallow) {
    return note + "; latencies come from those, as the others are too few, or end before the GPU is done";
  }
  return note + "; latencies come from the others, in which nothing else was recorded";
}

std::vector<std::string> continuous_notes(const Study& study) {
  std::vector<std::string> notes;
  for (const Segment& segment : study.trace.segments) {
    if (!segment.parts) continue;
    if (std::string note = missing_note(*segment.parts); !note.empty()) notes.push_back(std::move(note));
    if (const uint32_t left_out = segment.parts->not_asked_for; left_out != 0) {
      notes.push_back(fmt::format("{} earlier part{} of the recording left out, as --last asks", left_out,
                                  left_out == 1 ? "" : "s"));
    }
  }
  if (std::string note = not_stored_note(study.trace); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

std::string continuous_fact(const Trace& trace) {
  size_t recordings = 0;
  uint64_t loaded = 0;
  uint64_t known = 0;
  int64_t ns = 0;
  bool goes_on = false;
  uint64_t counted = 0;
  for (uint32_t i = 0; i < trace.segments.size(); ++i) {
    const auto& parts = trace.segments[i].parts;
    if (!parts) continue;
    ++recordings;
    loaded += parts->parts.size();
    known += parts->known();
    ns += std::max<int64_t>(end_of(trace, i) - begin_of(trace, i), 0);
    goes_on |= !trace.segments[i].ended;
  }
  if (recordings == 0) return {};
  std::string fact = recordings == 1 ? "" : fmt::format("{} recordings, ", recordings);
  fact += fmt::format("{} part{} of {}, {} recorded", grouped_digits(loaded), loaded == 1 ? "" : "s",
                      grouped_digits(known), clock_text(ns));
  uint64_t stored = 0;
  for (const auto& [process, aggregates] : trace.aggregates.processes) {
    stored += trace.processes[process].spans;
    for_each_total(trace, process, [&](const SpanTotalsKey&, const SpanTotals& totals) { counted += totals.spans; });
  }
  if (counted != 0) {
    fact += fmt::format(", stored {} of {} spans", grouped_digits(stored), grouped_digits(std::max(counted, stored)));
  }
  if (goes_on) fact += "; the last part is not finished";
  return fact;
}

}  // namespace xsp::analysis
