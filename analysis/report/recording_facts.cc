#include "analysis/report/recording_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "analysis/report/path_names.h"
#include "analysis/study/recorded_processors.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/level_tables.h"
#include "analysis/timeline/used_devices.h"
#include "base/quantity_text.h"
#include "base/shell_words.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Distinct texts in the order in which they come, at most some of them.
class Listing {
 public:
  void add(std::string text) {
    if (text.empty()) return;
    const auto found =
        std::find_if(texts_.begin(), texts_.end(), [&](const auto& known) { return known.first == text; });
    if (found != texts_.end()) {
      ++found->second;
    } else {
      texts_.emplace_back(std::move(text), 1);
    }
  }

  /// "a; b; and 3 more", each with `counted` as "2 × a".
  std::string text(bool counted = false) const {
    constexpr size_t kMost = 4;
    std::string all;
    for (size_t i = 0; i < std::min(texts_.size(), kMost); ++i) {
      const auto& [text, count] = texts_[i];
      all += all.empty() ? "" : "; ";
      all += counted && count > 1 ? fmt::format("{} × {}", count, text) : text;
    }
    if (texts_.size() > kMost) all += fmt::format("; and {} more", texts_.size() - kMost);
    return all;
  }

 private:
  std::vector<std::pair<std::string, size_t>> texts_;
};

std::string model_of(const Study& study) {
  if (!study.subject) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  std::string text = model_label(study.trace, group);
  if (group.input != 0) text.append(", input ").append(study.trace.text(group.input));
  if (study.groups.size() > 1) text += fmt::format("; {} more in A1", study.groups.size() - 1);
  return text;
}

std::string programs_of(const Trace& trace) {
  Listing programs;
  for (const Process& process : trace.processes) {
    if (process.said_hello || process.spans != 0) programs.add(base_name(process.executable));
  }
  return programs.text(true);
}

std::string commands_of(const Trace& trace) {
  Listing commands;
  for (const Segment& segment : trace.segments) commands.add(shell_command(segment.command));
  return commands.text();
}

std::string utc(int64_t ns) {
  constexpr int64_t kNsPerS = 1'000'000'000;
  const auto seconds = static_cast<std::time_t>(ns / kNsPerS);
  std::tm fields = {};
  if (gmtime_r(&seconds, &fields) == nullptr) return {};
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fields);
}

/// "2026-11-21 22:37:01 UTC", of several recordings the first and the last.
std::string recorded_when(const Trace& trace) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  size_t recordings = 0;
  for (const Segment& segment : trace.segments) {
    if (segment.realtime_offset_ns == 0 || segment.begin_ns == 0) continue;
    int64_t begin = 0;
    if (__builtin_add_overflow(segment.realtime_offset_ns, segment.begin_ns, &begin) || begin < 0) continue;
    first = std::min(first, begin);
    last = std::max(last, begin);
    ++recordings;
  }
  if (recordings == 0) return {};
  if (recordings == 1) return utc(first) + " UTC";
  return fmt::format("{} recordings, {} to {} UTC", recordings, utc(first), utc(last));
}

std::string machines_of(const Trace& trace) {
  Listing machines;
  for (const Segment& segment : trace.segments) {
    std::string machine = segment.hostname;
    const auto add = [&](const std::string& part) {
      if (!part.empty()) machine.append(machine.empty() ? "" : ", ").append(part);
    };
    if (!segment.cpu_model.empty()) add(segment.cpu_model);
    if (segment.cpu_count != 0) add(plural(segment.cpu_count, "logical CPU"));
    if (segment.processors) add(restriction_text(*segment.processors));
    if (!segment.kernel.empty()) add(segment.kernel);
    machines.add(std::move(machine));
  }
  return machines.text();
}

/// Every process lists all devices that it sees: each counts once, by its number on its machine. Of several, only those
/// on which something ran are named: "1 of 8 NVIDIA A100".
std::string gpus_of(const Trace& trace) {
  const std::set<DevicePlace> used = used_devices(trace);
  std::map<DevicePlace, const Device*> devices;
  for (const Device& device : trace.devices) devices.try_emplace(place_of(trace, device), &device);
  const auto count = static_cast<size_t>(
      std::count_if(devices.begin(), devices.end(), [&](const auto& entry) { return used.contains(entry.first); }));
  Listing gpus;
  std::set<std::string> names;
  for (const auto& [place, device] : devices) {
    names.insert(device->name);
    if (count != 0 && !used.contains(place)) continue;
    std::string gpu = device->name.empty() ? "GPU without a name" : device->name;
    if (device->driver_version != 0) {
      gpu += fmt::format(", driver for CUDA {}.{}", device->driver_version / 1000, device->driver_version % 1000 / 10);
    }
    if (device->cupti_version != 0) gpu += fmt::format(", CUPTI {}", device->cupti_version);
    gpus.add(std::move(gpu));
  }
  if (count == devices.size()) return gpus.text(true);
  if (count == 0) return gpus.text(true) + (has_imports(trace) ? "; nothing ran on them" : "");
  const bool alike = names.size() == 1;
  return fmt::format("{} of {}{} {}", count, devices.size(), alike ? "" : ":", gpus.text(!alike));
}

/// The levels that have spans, and how deep the recording was to go where that was said.
std::string levels_of(const Trace& trace) {
  std::array<uint64_t, kLevelCount> spans = {};
  for (const Level level : trace.spans.level) ++spans[static_cast<size_t>(level)];
  std::string text;
  for (size_t level = 1; level < kLevelCount; ++level) {
    if (spans[level] == 0) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kLevelNames[level], spans[level]);
  }
  Listing asked;
  for (const Segment& segment : trace.segments) asked.add(segment.requested_level);
  if (const std::string list = asked.text(); !list.empty()) text += "; asked for: " + list;
  return text;
}

std::string amounts_of(const Trace& trace) {
  const auto processes = std::count_if(trace.processes.begin(), trace.processes.end(),
                                       [](const Process& process) { return process.said_hello || process.spans != 0; });
  const auto kernels = std::count(trace.spans.kind.begin(), trace.spans.kind.end(), Kind::kKernel);
  std::string text =
      fmt::format("{} of {}", plural(trace.spans.size(), "span"), plural(static_cast<uint64_t>(processes), "process"));
  if (kernels != 0) text += ", " + plural(static_cast<uint64_t>(kernels), "kernel");
  return text;
}

std::string evaluations_of(const Study& study) {
  if (!study.subject) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  if (study.options.per_trace)
    return fmt::format("{}, totals of all", plural(group.evaluations.size(), evaluation_noun(study, group)));
  const TimedLevel& model = study.levels.model;
  std::string text = fmt::format("{} of {} used, {}", study.used.size(), group.evaluations.size(),
                                 study.options.statistic.description());
  if (model.warm_up != 0) text += fmt::format("; {} left out as warm-up", model.warm_up);
  const size_t others =
      group.evaluations.size() - std::min(group.evaluations.size(), model.warm_up + study.used.size());
  if (others != 0) {
    text += sampled_calls(group).shallow != 0 ? fmt::format("; {} recorded in full", grouped_digits(others))
                                              : fmt::format("; {} in runs that time other levels", others);
  }
  return text;
}

/// Where times come from, and flops and bytes.
std::string origin_of(const Study& study) {
  Listing imported;
  bool own = false;
  for (const Segment& segment : study.trace.segments) {
    imported.add(segment.source);
    own |= segment.source.empty();
  }
  const std::string formats = imported.text();
  std::string text = own || formats.empty() ? "times measured by XSP" : "";
  if (!formats.empty()) text.append(text.empty() ? "" : ", others ").append("imported from ").append(formats);
  switch (study.metrics.source) {
    case MetricSource::kCounters:
      return text + "; flops and bytes measured by hardware counters";
    case MetricSource::kAnalytic:
      return text + "; flops and bytes estimated from the arguments of calls (analytic)";
    case MetricSource::kNone:
      break;
  }
  return text;
}

std::string versions_of(const Trace& trace) {
  Listing producers;
  for (const Segment& segment : trace.segments) producers.add(segment.producer);
  const std::string text = producers.text();
  return fmt::format("xsp-report {}{}{}", XSP_VERSION, text.empty() ? "" : ", recorded by ", text);
}

}  // namespace

std::vector<Fact> recording_facts(const Study& study) {
  const Trace& trace = study.trace;
  std::vector<Fact> facts;
  for (auto& [name, value] : std::to_array<std::pair<const char*, std::string>>({{"Model", model_of(study)},
                                                                                 {"Program", programs_of(trace)},
                                                                                 {"Command", commands_of(trace)},
                                                                                 {"Recorded", recorded_when(trace)},
                                                                                 {"Machine", machines_of(trace)},
                                                                                 {"GPU", gpus_of(trace)},
                                                                                 {"Continuous", continuous_fact(trace)},
                                                                                 {"Levels", levels_of(trace)},
                                                                                 {"Runs", runs_of_set(study)},
                                                                                 {"Amount", amounts_of(trace)},
                                                                                 {"Evaluations", evaluations_of(study)},
                                                                                 {"Numbers", origin_of(study)},
                                                                                 {"Version", versions_of(trace)}})) {
    if (!value.empty()) facts.push_back({name, std::move(value)});
  }
  return facts;
}

}  // namespace xsp::analysis
