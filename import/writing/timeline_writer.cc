#include "import/writing/timeline_writer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "collector/writing/process_description.h"
#include "collector/writing/ring_stream.h"
#include "collector/writing/trace_fields.h"
#include "import/writing/span_nesting.h"

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

/// A function of Python, which calls the other spans of its thread.
bool is_python(const ImportedSpan& span) {
  return span.kind == wire::Kind::kPythonFunction || span.kind == wire::Kind::kTorchModule;
}

/// An annotation begins in one function (__enter__) and ends in another one (__exit__).
bool may_cross(const ImportedSpan& a, const ImportedSpan& b) {
  return (is_python(a) && b.kind == wire::Kind::kAnnotation) || (is_python(b) && a.kind == wire::Kind::kAnnotation);
}

/// Of spans that begin together puts those whose turn is told into that order, in the places that they have.
template <typename Spans, typename Calls>
void sort_by_turn(const Spans& spans, const Calls& calls, std::vector<uint32_t>* order) {
  const auto turn_of = [&](uint32_t number) { return number < calls.size() ? calls[number].turn : 0; };
  std::vector<size_t> places;
  std::vector<uint32_t> numbers;
  for (size_t begin = 0, end = 0; begin < order->size(); begin = end) {
    for (end = begin + 1; end < order->size() && spans[(*order)[end]].begin_ns == spans[(*order)[begin]].begin_ns;)
      ++end;
    for (const bool of_python : {false, true}) {
      places.clear();
      numbers.clear();
      for (size_t place = begin; end - begin > 1 && place < end; ++place) {
        const uint32_t number = (*order)[place];
        if (turn_of(number) == 0 || is_python(spans[number]) != of_python) continue;
        places.push_back(place);
        numbers.push_back(number);
      }
      std::sort(numbers.begin(), numbers.end(), [&](uint32_t a, uint32_t b) { return turn_of(a) < turn_of(b); });
      for (size_t i = 0; i < places.size(); ++i) (*order)[places[i]] = numbers[i];
    }
  }
}

/// An executed node of a graph, which its scope places.
bool is_node(const ImportedSpan& span) { return span.scope != 0 && span.level == wire::Level::kLayer; }

}  // namespace

ImportTotals TimelineWriter::write(const std::vector<std::string>& files, const ImportChoices& choices) {
  written_.resize(timeline_.processes_.size());
  check_times();
  write_header(files, choices);
  for (size_t process = 0; process < written_.size(); ++process) write_spans(process);
  write_executions();
  write_losses();
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

std::vector<uint32_t> TimelineWriter::order_of(const ImportedProcess::Thread& thread) const {
  const auto& spans = thread.spans;
  const auto is_before = [](const ImportedSpan& a, const ImportedSpan& b) {
    if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
    return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : is_python(a) && !is_python(b);
  };
  std::vector<uint32_t> order;
  const auto is_left_out = [](const ImportedSpan& span) { return span.begin_ns == kNowhere || is_node(span); };
  const bool is_sorted = std::is_sorted(spans.begin(), spans.end(), is_before);
  const bool is_told = !thread.calls.empty();
  if (is_sorted && !is_told && std::none_of(spans.begin(), spans.end(), is_left_out)) return order;
  order.resize(spans.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(std::remove_if(order.begin(), order.end(), [&](uint32_t i) { return is_left_out(spans[i]); }),
              order.end());
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return is_before(spans[a], spans[b]); });
  if (is_told) sort_by_turn(spans, thread.calls, &order);
  return order;
}

void TimelineWriter::resolve_links(size_t process, const std::vector<std::vector<uint32_t>>& orders) {
  ImportedProcess& from = timeline_.processes_[process];
  const auto& threads = from.threads_;
  std::vector<std::vector<uint32_t>> ids(threads.size());  // of the spans that are named, by thread and number
  const auto reference_to = [&](ImportedSpanId span) -> SpanReference {
    if (span.thread >= threads.size() || span.number >= threads[span.thread].spans.size()) return {};
    const ImportedSpan& named = threads[span.thread].spans[span.number];
    if (named.begin_ns == kNowhere || is_node(named)) return {};
    const auto& order = orders[span.thread];
    auto& of_thread = ids[span.thread];
    if (of_thread.empty() && !order.empty()) {
      of_thread.resize(threads[span.thread].spans.size());
      for (uint32_t i = 0; i < order.size(); ++i) of_thread[order[i]] = i + 1;
    }
    return {kProfileRingBase + 1 + span.thread + 1, order.empty() ? span.number + 1 : of_thread[span.number]};
  };
  forwards_.clear();
  for (const auto& [backward, forward] : from.forwards_) {
    if (const SpanReference known = reference_to(forward); known.ring != 0) forwards_.push_back({backward, known});
  }
  std::stable_sort(forwards_.begin(), forwards_.end(), [](const Forward& a, const Forward& b) {
    return a.backward.thread != b.backward.thread ? a.backward.thread < b.backward.thread
                                                  : a.backward.number < b.backward.number;
  });
  auto& launches = written_[process].told_launches;
  for (const auto& [execution, launch] : from.launches_) {
    if (const SpanReference known = reference_to(launch); known.ring != 0) launches.emplace_back(execution, known);
  }
  std::stable_sort(launches.begin(), launches.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  from.forwards_ = {};
  from.launches_ = {};
}

void TimelineWriter::write_spans(size_t process) {
  auto& threads = timeline_.processes_[process].threads_;
  const auto has_spans = [](const auto& thread) { return !thread.spans.empty(); };
  if (!std::any_of(threads.begin(), threads.end(), has_spans)) return;
  write_hello(process);
  write_strings(process);
  const ImportedProcess& from = timeline_.processes_[process];
  const bool has_links = !from.forwards_.empty() || !from.launches_.empty();
  std::vector<std::vector<uint32_t>> orders(threads.size());
  if (has_links) {
    for (size_t i = 0; i < threads.size(); ++i) orders[i] = order_of(threads[i]);
    resolve_links(process, orders);
  }
  for (uint32_t i = 0; i < threads.size(); ++i) {
    if (!has_links) orders[i] = order_of(threads[i]);
    write_thread(process, i, orders[i]);
    write_nodes(process, i);
    orders[i] = {};
    threads[i].spans = {};
    threads[i].parents = {};
    threads[i].calls = {};
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

  const auto count = static_cast<uint32_t>(order.empty() ? spans.size() : order.size());
  const auto add_launch = [&](uint32_t id) { written.launches.add(spans[number_of(id)].correlation, {ring + 1, id}); };
  if (from.threads_[thread].parents.empty()) {
    nest_by_time(from.threads_[thread], order, close, add_launch);
  } else {
    nest_as_told(from.threads_[thread], order, close, add_launch);
  }
  append();
  stream.flush(writer_);
  totals_.spans += count;
  written.spans += count;
}

template <typename Close, typename AddLaunch>
void TimelineWriter::nest_by_time(const ImportedProcess::Thread& thread, const std::vector<uint32_t>& order,
                                  Close&& close, AddLaunch&& add_launch) {
  const auto count = static_cast<uint32_t>(order.empty() ? thread.spans.size() : order.size());
  const auto number_of = [&](uint32_t id) { return order.empty() ? id - 1 : order[id - 1]; };
  const auto span_of = [&](uint32_t id) -> const ImportedSpan& { return thread.spans[number_of(id)]; };
  const auto call_of = [&](uint32_t id) {
    const uint32_t number = number_of(id);
    return number < thread.calls.size() ? thread.calls[number] : ImportedProcess::Call();
  };
  std::vector<uint32_t> ids;  // by number, for callers
  if (!thread.calls.empty()) {
    ids.resize(thread.spans.size());
    for (uint32_t id = 1; id <= count; ++id) ids[number_of(id)] = id;
  }
  SpanNesting nesting(timeline_.resolution_ns_);
  for (uint32_t id = 1; id <= count; ++id) {
    const ImportedSpan& span = span_of(id);
    const ImportedProcess::Call call_here = call_of(id);
    const bool has_caller = call_here.caller != 0 && call_here.caller <= ids.size();
    const size_t keep = has_caller ? nesting.place_of(ids[call_here.caller - 1]) : 0;
    const auto has_ended_there = [&](const SpanNesting::Open& open) {
      return call_here.turn != 0 && call_of(open.id).turn != 0 && is_python(span_of(open.id)) == is_python(span);
    };
    bool is_odd = false;
    const auto close_one = [&](const SpanNesting::Open& open) {
      const ImportedSpan& closed = span_of(open.id);
      is_odd |= closed.end_ns > span.begin_ns && !may_cross(closed, span);
      close(open);
    };
    const bool crosses = nesting.close_before(span.begin_ns, span.end_ns, keep, has_ended_there, close_one);
    if (crosses && is_odd) ++totals_.overlapping;
    const bool is_call = span.level == wire::Level::kRuntime;
    nesting.open(span.end_ns, id, is_call);
    if (span.correlation == 0 || (!is_call && span.level != wire::Level::kModel)) continue;
    // The driver's call inside a call of the runtime has the same id.
    const auto& open = nesting.open();
    bool is_part = false;
    uint32_t call = open.size() < 2 ? 0 : open[open.size() - 2].call;
    for (int depth = 0; call != 0 && depth < kMaxCallDepth && !is_part; ++depth) {
      is_part = span_of(open[call - 1].id).correlation == span.correlation;
      call = call < 2 ? 0 : open[call - 2].call;
    }
    if (!is_part) add_launch(id);
  }
  nesting.close_all(close);
}

template <typename Close, typename AddLaunch>
void TimelineWriter::nest_as_told(const ImportedProcess::Thread& thread, const std::vector<uint32_t>& order,
                                  Close&& close, AddLaunch&& add_launch) {
  const auto& spans = thread.spans;
  const auto count = static_cast<uint32_t>(order.empty() ? spans.size() : order.size());
  const auto number_of = [&](uint32_t id) { return order.empty() ? id - 1 : order[id - 1]; };
  std::vector<uint32_t> ids(spans.size());
  for (uint32_t id = 1; id <= count; ++id) ids[number_of(id)] = id;
  std::vector<SpanNesting::Open> closing;
  closing.reserve(count);
  for (uint32_t id = 1; id <= count; ++id) {
    const uint32_t number = number_of(id);
    const ImportedSpan& span = spans[number];
    const uint32_t told = number < thread.parents.size() ? thread.parents[number] : 0;
    const uint32_t parent = told == 0 || told > ids.size() ? 0 : ids[told - 1];
    // A parent has the smaller id.
    if (parent >= id) ++children_before_parents_;
    closing.push_back({span.end_ns, id, parent < id ? parent : 0, 0});
    if (span.level == wire::Level::kRuntime && span.correlation != 0) add_launch(id);
  }
  std::sort(closing.begin(), closing.end(), [](const SpanNesting::Open& a, const SpanNesting::Open& b) {
    return a.end != b.end ? a.end < b.end : a.id > b.id;
  });
  for (const SpanNesting::Open& span : closing) close(span);
}

ImportTotals write_timeline(ProfileTimeline* timeline, std::string_view format, const std::vector<std::string>& files,
                            const ImportChoices& choices, TraceWriter& writer) {
  return TimelineWriter(*timeline, format, writer).write(files, choices);
}

}  // namespace xsp
