#include "analysis/export/exported_spans.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "analysis/study/process_labels.h"
#include "analysis/study/study.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

using What = ExportedTrack::What;

constexpr size_t kWhats = 5;

/// Whether a name needs no repair, as nearly every one.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

enum Checked : uint8_t { kUnchecked, kValid, kRepaired };

/// Only work runs one after another in a stream.
What what_of(Kind kind) {
  switch (kind) {
    case Kind::kKernel:
    case Kind::kMemcpy:
    case Kind::kMemset:
      return What::kStream;
    case Kind::kSynchronization:
    case Kind::kStreamInterval:
      return What::kWaiting;
    case Kind::kAnnotation:
    case Kind::kNvtxRange:
      return What::kRange;
    default:
      return What::kOther;
  }
}

std::string run_label(const Trace& trace, uint32_t process) {
  const Segment& segment = trace.segments[trace.processes[process].segment];
  if (!segment.run) return {};
  std::string label = "run " + std::to_string(segment.run->index);
  if (!segment.requested_level.empty()) label += ", " + segment.requested_level;
  if (const std::string point = point_label(*segment.run); !point.empty()) label += ", " + point;
  return label + ": ";
}

}  // namespace

ExportedSpans::ExportedSpans(const AnalysedTrace& analysed)
    : analysed_(analysed),
      trace_(analysed.trace),
      kernel_names_(analysed.trace),
      checked_(analysed.trace.strings.size()),
      around_(analysed.trace, analysed.parents, analysed.evaluations) {
  index_executions();
  find_tracks();
  find_clock();
  name_processes();
}

void ExportedSpans::name_processes() {
  constexpr uint32_t kBeyondPids = 10'000'000;  // Linux counts to 4,194,304
  std::set<uint32_t> taken;
  for (uint32_t process = 0; process < trace_.processes.size(); ++process) {
    process_labels_.push_back(valid_utf8(run_label(trace_, process) + xsp::analysis::process_label(trace_, process)));
    uint32_t id = trace_.processes[process].pid;
    while (id == 0 || !taken.insert(id).second) id += kBeyondPids;
    process_ids_.push_back(id);
  }
}

void ExportedSpans::index_executions() {
  const ExecutionTable& executions = trace_.executions;
  if (executions.size() == 0) return;
  execution_.assign(size(), kNoExecution);
  next_launched_.assign(executions.size(), kNoExecution);
  // From the end, so that those of a launch are found in order.
  for (auto i = static_cast<uint32_t>(executions.size()); i-- > 0;) {
    execution_[executions.row[i]] = i;
    const Row launch = analysed_.executions.placed[i].launch;
    if (launch == kNoRow || trace_.spans.level[launch] == Level::kDevice) continue;
    next_launched_[i] = execution_[launch];
    execution_[launch] = i;
  }
}

void ExportedSpans::find_tracks() {
  using Key = std::tuple<uint32_t, What, uint32_t, uint32_t, uint32_t>;
  std::map<Key, uint32_t> numbers;
  const auto number_of = [&](const Key& key, const ExportedTrack& track) {
    const auto [found, added] = numbers.try_emplace(key, static_cast<uint32_t>(tracks_.size()));
    if (added) tracks_.push_back(track);
    return found->second;
  };
  std::vector<uint32_t> of_track(trace_.tracks.size(), UINT32_MAX);
  std::array<uint32_t, ExportedTrack::kWhats> none;
  none.fill(UINT32_MAX);
  std::vector<std::array<uint32_t, ExportedTrack::kWhats>> of_queue(trace_.queues.size(), none);
  const auto track_of = [&](Row row) {
    const uint32_t execution = execution_.empty() ? kNoExecution : execution_[row];
    if (trace_.spans.level[row] == Level::kDevice && execution != kNoExecution) {
      const uint32_t queue = trace_.executions.queue[execution];
      const What what = what_of(trace_.spans.kind[row]);
      uint32_t& number = of_queue[queue][static_cast<size_t>(what)];
      if (number == UINT32_MAX) {
        const Queue& q = trace_.queues[queue];
        number = number_of({q.process, what, q.device, q.context, q.stream},
                           {.what = what, .process = q.process, .queue = q});
      }
      return number;
    }
    uint32_t& number = of_track[trace_.spans.track[row]];
    if (number == UINT32_MAX) {
      const Track& track = trace_.tracks[trace_.spans.track[row]];
      number = number_of({track.process, What::kThread, track.thread, 0, 0},
                         {.process = track.process, .thread = track.thread});
    }
    return number;
  };
  std::vector<uint32_t> track(size());
  for (Row row = 0; row < size(); ++row) {
    track[row] = track_of(row);
    ++tracks_[track[row]].count;
  }
  std::vector<size_t> next(tracks_.size());
  size_t first = 0;
  for (const auto& [key, number] : numbers) {
    tracks_[number].first = next[number] = first;
    first += tracks_[number].count;
  }
  rows_.resize(size());
  for (Row row = 0; row < size(); ++row) rows_[next[track[row]]++] = row;
  std::sort(tracks_.begin(), tracks_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  sorted_.resize(tracks_.size());
}

void ExportedSpans::find_clock() {
  is_realtime_ = size() != 0;
  for (const ExportedTrack& track : tracks_) {
    is_realtime_ &= trace_.segments[trace_.processes[track.process].segment].realtime_offset_ns != 0;
  }
  offset_of_.resize(trace_.processes.size());
  if (is_realtime_) {
    for (uint32_t process = 0; process < offset_of_.size(); ++process) {
      offset_of_[process] = trace_.segments[trace_.processes[process].segment].realtime_offset_ns;
    }
  }
  if (size() == 0) return;
  begin_ns_ = std::numeric_limits<int64_t>::max();
  for (Row row = 0; row < size(); ++row) {
    begin_ns_ = std::min(begin_ns_, trace_.spans.begin[row] + offset_of_[trace_.process_of(row)]);
  }
  if (begin_ns_ >= 0) return;
  // An imported profile may count from anywhere.
  is_realtime_ = false;
  for (int64_t& offset : offset_of_) offset -= begin_ns_;
  begin_ns_ = 0;
}

ExportedSpan ExportedSpans::of(Row row) const {
  const SpanTable& spans = trace_.spans;
  const Track& track = trace_.tracks[spans.track[row]];
  const int64_t offset = offset_of_[track.process];
  ExportedSpan span{.row = row,
                    .level = spans.level[row],
                    .kind = spans.kind[row],
                    .process = track.process,
                    .thread = track.thread,
                    .begin = spans.begin[row] + offset,
                    .end = std::max(spans.begin[row], spans.end[row]) + offset,
                    .parent = analysed_.parents.of[row]};
  if (span.level == Level::kDevice && !execution_.empty()) span.execution = execution_[row];
  if (span.execution != kNoExecution) {
    span.correlation = trace_.executions.correlation[span.execution];
  } else {
    span.correlation = spans.correlation_of(row);
    const uint32_t launched = first_launched(row);
    if (span.correlation == 0 && launched != kNoExecution) span.correlation = trace_.executions.correlation[launched];
  }
  return span;
}

std::span<const Row> ExportedSpans::rows(const ExportedTrack& track) {
  const std::span<Row> rows(rows_.data() + track.first, track.count);
  uint8_t& sorted = sorted_[static_cast<size_t>(&track - tracks_.data())];
  if (sorted != 0) return rows;
  sorted = 1;
  struct Begun {
    int64_t begin;
    Row row;
  };
  const SpanTable& spans = trace_.spans;
  // How many spans of the same time contain one: an operator of no level may lie in a layer, and a layer in it.
  const auto depth_of = [&](Row row) {
    constexpr int kMostOfOneTime = 64;
    int depth = 0;
    for (Row above = analysed_.parents.of[row]; above != kNoRow && depth < kMostOfOneTime; ++depth) {
      if (spans.begin[above] != spans.begin[row] || spans.end[above] != spans.end[row]) break;
      above = analysed_.parents.of[above];
    }
    return depth;
  };
  // A span that contains another without being its parent is of a higher level, or was recorded later.
  const auto before = [&](const Begun& a, const Begun& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (spans.end[a.row] != spans.end[b.row]) return spans.end[a.row] > spans.end[b.row];
    const int depth_a = depth_of(a.row);
    const int depth_b = depth_of(b.row);
    if (depth_a != depth_b) return depth_a < depth_b;
    if (spans.level[a.row] != spans.level[b.row]) return spans.level[a.row] < spans.level[b.row];
    return a.row > b.row;
  };
  std::vector<Begun> begun;
  begun.reserve(rows.size());
  for (const Row row : rows) begun.push_back({spans.begin[row], row});
  if (!std::is_sorted(begun.begin(), begun.end(), before)) std::sort(begun.begin(), begun.end(), before);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = begun[i].row;
  return rows;
}

std::string_view ExportedSpans::text(uint32_t id) {
  const std::string_view recorded = trace_.text(id);
  if (checked_[id] == kUnchecked) {
    checked_[id] = kValid;
    if (!is_plain(recorded)) {
      std::string valid = valid_utf8(recorded);
      if (valid != recorded) {
        checked_[id] = kRepaired;
        repaired_[id] = std::move(valid);
      }
    }
  }
  return checked_[id] == kRepaired ? std::string_view(repaired_.find(id)->second) : recorded;
}

std::string_view ExportedSpans::name(Row row) {
  const uint32_t id = trace_.spans.name[row];
  if (trace_.spans.kind[row] != Kind::kKernel) return text(id);
  const std::string& demangled = kernel_names_.text(id);
  if (is_plain(demangled)) return demangled;
  const auto [found, added] = repaired_kernels_.try_emplace(id);
  if (added) found->second = valid_utf8(demangled);
  return found->second;
}

std::string ExportedSpans::track_label(const ExportedTrack& track) const {
  if (track.what == What::kThread) return "thread " + std::to_string(track.thread);
  if (track.what == What::kOther) return "other activities";
  std::string label = "stream " + std::to_string(track.queue.stream);
  const auto shares_number = [&](const ExportedTrack& other) {
    return other.what == track.what && other.process == track.process && other.queue.device == track.queue.device &&
           other.queue.stream == track.queue.stream && other.queue.context != track.queue.context;
  };
  if (std::any_of(tracks_.begin(), tracks_.end(), shares_number)) {
    label += " (context " + std::to_string(track.queue.context) + ")";
  }
  if (track.what == What::kRange) return label + " ranges";
  return track.what == What::kWaiting ? label + " waits" : label;
}

SpanPlace ExportedSpans::place(const ExportedSpan& span) {
  if (span.execution != kNoExecution) {
    const PlacedExecution& placed = analysed_.executions.placed[span.execution];
    return {placed.layer,        placed.layer_ordinal, placed.evaluation, placed.library_call,
            placed.operator_row, placed.launch,        placed.backward};
  }
  const Surroundings& around = around_.of(span.row);
  return {around.layer, around.layer_ordinal, around.evaluation, around.library_call, around.operator_row,
          kNoRow,       around.backward};
}

const KernelMetrics* ExportedSpans::metrics(uint32_t execution) const {
  const std::vector<KernelMetrics>& all = analysed_.study->metrics.of;
  if (execution >= all.size() || all[execution].source == MetricSource::kNone) return nullptr;
  return &all[execution];
}

bool ExportedSpans::argument(const CallArguments& call, const ArgumentField& field, std::string* buffer,
                             SpanArgument* to) const {
  *to = {.name = field.name};
  if (const auto text = call.text(field.name)) {
    to->text = *text;
    if (!is_plain(*text)) {
      *buffer = valid_utf8(*text);
      to->text = *buffer;
    }
    return true;
  }
  if (const auto integer = call.integer(field.name)) {
    to->kind = SpanArgument::Kind::kInteger;
    to->integer = *integer;
    return true;
  }
  const auto number = call.number(field.name);
  if (!number || !std::isfinite(*number)) return false;
  to->kind = SpanArgument::Kind::kNumber;
  to->number = *number;
  return true;
}

}  // namespace xsp::analysis
