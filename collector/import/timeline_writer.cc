#include "collector/import/timeline_writer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "collector/import/span_nesting.h"
#include "collector/process_description.h"
#include "collector/ring_stream.h"
#include "collector/trace_fields.h"

namespace xsp {
namespace {

/// Times lie between these, about 73 years before and 146 behind the input's origin, so that no difference overflows.
constexpr int64_t kEarliest = -(int64_t{1} << 61);
constexpr int64_t kLatest = int64_t{1} << 62;
/// Begin of a span or execution without a time that can be used.
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();
constexpr size_t kRowsPerBatch = 1024;
/// A call can lie in calls of other libraries, not in many.
constexpr int kMaxCallDepth = 16;

/// An executed node of a graph, which its scope places.
bool is_node(const ImportedSpan& span) { return span.scope != 0 && span.level == wire::Level::kLayer; }

}  // namespace

ImportTotals TimelineWriter::write(const std::vector<std::string>& files, const ImportChoices& choices) {
  written_.resize(timeline_.processes_.size());
  check_times();
  write_header(files, choices);
  for (size_t process = 0; process < written_.size(); ++process) write_spans(process);
  write_executions();
  write_notes();
  write_ends();
  return totals_;
}

bool TimelineWriter::check_interval(int64_t* begin, int64_t* end) {
  if (*begin < kEarliest || *begin > kLatest || *end < kEarliest || *end > kLatest) {
    ++without_time_;
    *begin = *end = kNowhere;
    return false;
  }
  if (*end < *begin) {
    ++inverted_;
    *end = *begin;
  }
  return true;
}

void TimelineWriter::check_times() {
  int64_t first = kLatest;
  for (ImportedProcess& process : timeline_.processes_) {
    for (auto& thread : process.threads_) {
      for (ImportedSpan& span : thread.spans) {
        if (check_interval(&span.begin_ns, &span.end_ns)) first = std::min(first, span.begin_ns);
      }
    }
    for (ImportedExecution& execution : process.executions_) {
      if (check_interval(&execution.begin_ns, &execution.end_ns)) first = std::min(first, execution.begin_ns);
    }
  }
  origin_ = first == kLatest ? 0 : first;
}

std::vector<uint32_t> TimelineWriter::order_of(const std::deque<ImportedSpan>& spans) const {
  const auto is_before = [](const ImportedSpan& a, const ImportedSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  };
  std::vector<uint32_t> order;
  const auto is_left_out = [](const ImportedSpan& span) { return span.begin_ns == kNowhere || is_node(span); };
  const bool is_sorted = std::is_sorted(spans.begin(), spans.end(), is_before);
  if (is_sorted && std::none_of(spans.begin(), spans.end(), is_left_out)) return order;
  order.resize(spans.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(std::remove_if(order.begin(), order.end(), [&](uint32_t i) { return is_left_out(spans[i]); }),
              order.end());
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return is_before(spans[a], spans[b]); });
  return order;
}

void TimelineWriter::find_forwards(size_t process, const std::vector<std::vector<uint32_t>>& orders) {
  forwards_.clear();
  auto& links = timeline_.processes_[process].forwards_;
  const auto& threads = timeline_.processes_[process].threads_;
  std::stable_sort(links.begin(), links.end(),
                   [](const auto& a, const auto& b) { return a.second.thread < b.second.thread; });
  std::vector<uint32_t> ids;  // of the thread's spans, by number
  uint32_t thread = UINT32_MAX;
  for (const auto& [backward, forward] : links) {
    if (forward.thread >= threads.size() || forward.number >= threads[forward.thread].spans.size()) continue;
    if (thread != forward.thread) {
      thread = forward.thread;
      ids.assign(threads[thread].spans.size(), 0);
      const auto& order = orders[thread];
      for (size_t i = 0; i < (order.empty() ? ids.size() : order.size()); ++i) {
        ids[order.empty() ? i : order[i]] = static_cast<uint32_t>(i + 1);
      }
    }
    const ImportedSpan& span = threads[thread].spans[forward.number];
    const uint32_t id = span.begin_ns == kNowhere || is_node(span) ? 0 : ids[forward.number];
    if (id != 0) forwards_.push_back({backward, {kProfileRingBase + 1 + thread + 1, id}});
  }
  links = {};
  std::stable_sort(forwards_.begin(), forwards_.end(), [](const Forward& a, const Forward& b) {
    return a.backward.thread != b.backward.thread ? a.backward.thread < b.backward.thread
                                                  : a.backward.number < b.backward.number;
  });
}

void TimelineWriter::write_spans(size_t process) {
  auto& threads = timeline_.processes_[process].threads_;
  const auto has_spans = [](const auto& thread) { return !thread.spans.empty(); };
  if (!std::any_of(threads.begin(), threads.end(), has_spans)) return;
  write_hello(process);
  write_strings(process);
  const bool has_forwards = !timeline_.processes_[process].forwards_.empty();
  std::vector<std::vector<uint32_t>> orders(threads.size());
  if (has_forwards) {
    for (size_t i = 0; i < threads.size(); ++i) orders[i] = order_of(threads[i].spans);
    find_forwards(process, orders);
  }
  for (uint32_t i = 0; i < threads.size(); ++i) {
    if (!has_forwards) orders[i] = order_of(threads[i].spans);
    write_thread(process, i, orders[i]);
    write_nodes(process, i);
    orders[i] = {};
    threads[i].spans = {};
  }
  written_[process].launches.finish();
  forwards_ = {};
}

SpanRow TimelineWriter::row_of(const ImportedProcess& process, const ImportedSpan& span) const {
  SpanRow row;
  row.begin = to_ns(span.begin_ns);
  row.end = to_ns(span.end_ns);
  row.bytes = span.bytes;
  row.name = span.name;
  row.type = span.type;
  row.shape = span.shape;
  row.input = span.input;
  row.scope = span.scope;
  row.correlation = span.correlation;
  row.level = static_cast<uint8_t>(span.level);
  row.kind = static_cast<uint8_t>(span.kind);
  row.has_bytes = process.knows_bytes_;
  row.failed = span.failed;
  return row;
}

void TimelineWriter::hold_arguments(const ImportedProcess& process, const ImportedSpan& span, uint32_t tid, uint32_t id,
                                    RingStream* stream) {
  if (span.arguments == 0) return;
  const std::string_view entry = process.arguments_.text(span.arguments);
  uint32_t layout = 0;
  for (size_t i = 0; i < sizeof layout; ++i) layout |= uint32_t{static_cast<uint8_t>(entry[i])} << (8 * i);
  stream->hold_arguments(tid, id, layout, entry.substr(sizeof layout));
}

/// Nodes have a ring of their own, since they end among the other spans of their thread, and no parent.
void TimelineWriter::write_nodes(size_t process, uint32_t thread) {
  const ImportedProcess& from = timeline_.processes_[process];
  Written& written = written_[process];
  const auto& spans = from.threads_[thread].spans;
  const uint32_t tid = from.threads_[thread].tid;
  const uint32_t ring = kProfileRingBase + 1 + static_cast<uint32_t>(from.threads_.size()) + thread;
  std::vector<uint32_t> nodes;  // numbers, in order of their begin: ids
  for (uint32_t i = 0; i < spans.size(); ++i) {
    if (is_node(spans[i]) && spans[i].begin_ns != kNowhere) nodes.push_back(i);
  }
  if (nodes.empty()) return;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](uint32_t a, uint32_t b) { return spans[a].begin_ns < spans[b].begin_ns; });
  std::vector<uint32_t> by_end(nodes.size());  // ids - 1
  std::iota(by_end.begin(), by_end.end(), 0);
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](uint32_t a, uint32_t b) { return spans[nodes[a]].end_ns < spans[nodes[b]].end_ns; });

  RingStream stream(written.number, ring);
  std::vector<SpanRow> rows;
  for (const uint32_t place : by_end) {
    const ImportedSpan& span = spans[nodes[place]];
    SpanRow row = row_of(from, span);
    row.id = place + 1;
    hold_arguments(from, span, tid, row.id, &stream);
    if (span.correlation != 0) written.launches.add(span.correlation, {ring + 1, row.id});
    end_ns_ = std::max(end_ns_, row.end);
    rows.push_back(row);
    if (rows.size() < kRowsPerBatch && place != by_end.back()) continue;
    stream.append(tid, static_cast<uint32_t>(rows.size()), rows.data(), rows.size(), 0, writer_);
    rows.clear();
  }
  stream.flush(writer_);
  totals_.spans += nodes.size();
  written.spans += nodes.size();
}

void TimelineWriter::write_thread(size_t process, uint32_t thread, const std::vector<uint32_t>& order) {
  ImportedProcess& from = timeline_.processes_[process];
  Written& written = written_[process];
  const auto& spans = from.threads_[thread].spans;
  const uint32_t tid = from.threads_[thread].tid;
  const uint32_t ring = kProfileRingBase + 1 + thread;
  const auto number_of = [&](uint32_t id) { return order.empty() ? id - 1 : order[id - 1]; };
  if (spans.empty() || (order.empty() && (spans.front().begin_ns == kNowhere || is_node(spans.front())))) return;

  const auto by_number = [](const Forward& forward, const ImportedSpanId& id) {
    return forward.backward.thread != id.thread ? forward.backward.thread < id.thread
                                                : forward.backward.number < id.number;
  };
  RingStream stream(written.number, ring);
  std::vector<SpanRow> rows;
  rows.reserve(kRowsPerBatch);
  const auto append = [&] {
    stream.append(tid, static_cast<uint32_t>(rows.size()), rows.data(), rows.size(), 0, writer_);
    rows.clear();
  };
  const auto close = [&](const SpanNesting::Open& open) {
    const uint32_t number = number_of(open.id);
    const ImportedSpan& span = spans[number];
    SpanRow row = row_of(from, span);
    row.id = open.id;
    row.parent = open.parent;
    if (!forwards_.empty()) {
      const ImportedSpanId id{thread, number};
      const auto forward = std::lower_bound(forwards_.begin(), forwards_.end(), id, by_number);
      if (forward != forwards_.end() && forward->backward.thread == thread && forward->backward.number == number) {
        row.forward_ring = forward->forward.ring;
        row.forward = forward->forward.id;
      }
    }
    hold_arguments(from, span, tid, open.id, &stream);
    end_ns_ = std::max(end_ns_, row.end);
    rows.push_back(row);
    if (rows.size() == kRowsPerBatch) append();
  };

  SpanNesting nesting(timeline_.resolution_ns_);
  const auto count = static_cast<uint32_t>(order.empty() ? spans.size() : order.size());
  for (uint32_t id = 1; id <= count; ++id) {
    const ImportedSpan& span = spans[number_of(id)];
    if (nesting.close_before(span.begin_ns, span.end_ns, close)) ++totals_.overlapping;
    const bool is_call = span.level == wire::Level::kRuntime;
    nesting.open(span.end_ns, id, is_call);
    if (span.correlation == 0 || (!is_call && span.level != wire::Level::kModel)) continue;
    // The driver's call inside a call of the runtime has the same id.
    const auto& open = nesting.open();
    bool is_part = false;
    uint32_t call = open.size() < 2 ? 0 : open[open.size() - 2].call;
    for (int depth = 0; call != 0 && depth < kMaxCallDepth && !is_part; ++depth) {
      is_part = spans[number_of(open[call - 1].id)].correlation == span.correlation;
      call = call < 2 ? 0 : open[call - 2].call;
    }
    if (!is_part) written.launches.add(span.correlation, {ring + 1, id});
  }
  nesting.close_all(close);
  append();
  stream.flush(writer_);
  totals_.spans += count;
  written.spans += count;
}

ImportTotals write_timeline(ProfileTimeline* timeline, std::string_view format, const std::vector<std::string>& files,
                            const ImportChoices& choices, TraceWriter& writer) {
  return TimelineWriter(*timeline, format, writer).write(files, choices);
}

}  // namespace xsp
