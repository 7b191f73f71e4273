#include "import/writing/process_spans.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "collector/writing/trace_fields.h"
#include "import/writing/span_nesting.h"

namespace xsp {
namespace {

constexpr size_t kRowsPerBatch = 1024;

bool is_earlier_id(const ImportedSpanId& a, const ImportedSpanId& b) {
  return a.thread != b.thread ? a.thread < b.thread : a.number < b.number;
}

uint32_t ring_of(uint32_t thread) { return kProfileRingBase + 1 + thread; }

}  // namespace

void ProcessSpans::write() {
  auto& threads = from_.threads;
  const auto has_spans = [](const auto& thread) { return !thread.spans.empty(); };
  if (!std::any_of(threads.begin(), threads.end(), has_spans)) return;
  process_.begin();
  process_.write_texts();
  // Links lead from thread to thread, so the ids of all spans must be known before the first is written. Without links,
  // one order at a time is enough, which takes less memory.
  std::vector<SpanOrder> orders;
  if (!from_.forwards.empty() || !from_.launches.empty()) {
    orders = std::vector<SpanOrder>(threads.begin(), threads.end());
    resolve_links(orders);
  }
  for (uint32_t i = 0; i < threads.size(); ++i) {
    write_thread(i, orders.empty() ? SpanOrder(threads[i]) : orders[i]);
    write_nodes(i);
    threads[i].spans = {};
    threads[i].parents = {};
    threads[i].calls = {};
  }
  process_.launches().finish();
}

void ProcessSpans::resolve_links(const std::vector<SpanOrder>& orders) {
  const auto& threads = from_.threads;
  std::vector<std::vector<uint32_t>> ids(threads.size());  // of the threads that links lead to
  const auto reference_to = [&](ImportedSpanId span) -> SpanReference {
    if (span.thread >= threads.size() || span.number >= threads[span.thread].spans.size()) return {};
    const ImportedSpan& named = threads[span.thread].spans[span.number];
    if (named.begin_ns == SegmentTimes::kNowhere || is_node(named)) return {};
    const SpanOrder& order = orders[span.thread];
    auto& of_thread = ids[span.thread];
    if (of_thread.empty() && !order.is_as_added()) of_thread = order.ids();
    return {ring_of(span.thread) + 1, order.is_as_added() ? span.number + 1 : of_thread[span.number]};
  };
  for (const auto& [backward, forward] : from_.forwards) {
    if (const SpanReference known = reference_to(forward); known.ring != 0) forwards_.push_back({backward, known});
  }
  std::stable_sort(forwards_.begin(), forwards_.end(),
                   [](const Forward& a, const Forward& b) { return is_earlier_id(a.backward, b.backward); });
  for (const auto& [execution, launch] : from_.launches) {
    if (const SpanReference known = reference_to(launch); known.ring != 0) process_.launches().tell(execution, known);
  }
  from_.forwards = {};
  from_.launches = {};
}

SpanRow ProcessSpans::row_of(const ImportedSpan& span) const {
  SpanRow row;
  row.begin = segment_.times.to_ns(span.begin_ns);
  row.end = segment_.times.to_ns(span.end_ns);
  row.bytes = span.bytes;
  row.name = span.name;
  row.type = span.type;
  row.shape = span.shape;
  row.input = span.input;
  row.scope = span.scope;
  row.correlation = span.correlation;
  row.level = static_cast<uint8_t>(span.level);
  row.kind = static_cast<uint8_t>(span.kind);
  row.has_bytes = from_.knows_bytes;
  row.failed = span.failed;
  return row;
}

void ProcessSpans::set_forward(ImportedSpanId span, SpanRow* row) const {
  const auto forward = std::lower_bound(
      forwards_.begin(), forwards_.end(), span,
      [](const Forward& known, const ImportedSpanId& id) { return is_earlier_id(known.backward, id); });
  if (forward == forwards_.end() || is_earlier_id(span, forward->backward)) return;
  row->forward_ring = forward->forward.ring;
  row->forward = forward->forward.id;
}

void ProcessSpans::hold_arguments(const ImportedSpan& span, uint32_t tid, uint32_t id, RingStream* stream) {
  if (span.arguments == 0) return;
  const auto [layout, values] = process_.imported().arguments(span.arguments);
  stream->hold_arguments(tid, id, layout, values);
}

/// Nodes get a ring of their own, since they end among the other spans of their thread, and no parent.
void ProcessSpans::write_nodes(uint32_t thread) {
  const auto& spans = from_.threads[thread].spans;
  const uint32_t tid = from_.threads[thread].tid;
  const uint32_t ring = ring_of(static_cast<uint32_t>(from_.threads.size()) + thread);
  std::vector<uint32_t> nodes;  // numbers, in order of begin, as are the ids
  for (uint32_t i = 0; i < spans.size(); ++i) {
    if (is_node(spans[i]) && spans[i].begin_ns != SegmentTimes::kNowhere) nodes.push_back(i);
  }
  if (nodes.empty()) return;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](uint32_t a, uint32_t b) { return spans[a].begin_ns < spans[b].begin_ns; });
  std::vector<uint32_t> by_end(nodes.size());  // ids - 1
  std::iota(by_end.begin(), by_end.end(), 0);
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](uint32_t a, uint32_t b) { return spans[nodes[a]].end_ns < spans[nodes[b]].end_ns; });

  RingStream stream(process_.number(), ring);
  std::vector<SpanRow> rows;
  for (const uint32_t place : by_end) {
    const ImportedSpan& span = spans[nodes[place]];
    SpanRow row = row_of(span);
    row.id = place + 1;
    hold_arguments(span, tid, row.id, &stream);
    if (span.correlation != 0) process_.launches().add(span.correlation, {ring + 1, row.id});
    segment_.times.reach(row.end);
    rows.push_back(row);
    if (rows.size() < kRowsPerBatch && place != by_end.back()) continue;
    stream.append(tid, static_cast<uint32_t>(rows.size()), rows.data(), rows.size(), 0, segment_.writer);
    rows.clear();
  }
  stream.flush(segment_.writer);
  segment_.totals.spans += nodes.size();
  process_.count(nodes.size());
}

void ProcessSpans::write_thread(uint32_t thread, const SpanOrder& order) {
  if (order.count() == 0) return;
  const ImportedProcess::Thread& from = from_.threads[thread];
  const uint32_t ring = ring_of(thread);
  RingStream stream(process_.number(), ring);
  std::vector<SpanRow> rows;
  rows.reserve(kRowsPerBatch);
  const auto append = [&] {
    stream.append(from.tid, static_cast<uint32_t>(rows.size()), rows.data(), rows.size(), 0, segment_.writer);
    rows.clear();
  };
  const auto close = [&](const SpanNesting::Open& open) {
    const uint32_t number = order.number_of(open.id);
    const ImportedSpan& span = from.spans[number];
    SpanRow row = row_of(span);
    row.id = open.id;
    row.parent = open.parent;
    if (!forwards_.empty()) set_forward({thread, number}, &row);
    hold_arguments(span, from.tid, open.id, &stream);
    segment_.times.reach(row.end);
    rows.push_back(row);
    if (rows.size() == kRowsPerBatch) append();
  };
  const auto add_launch = [&](uint32_t id) {
    process_.launches().add(from.spans[order.number_of(id)].correlation, {ring + 1, id});
  };
  if (from.parents.empty()) {
    segment_.totals.overlapping += nest_by_time(from, order, resolution_ns_, close, add_launch);
  } else {
    segment_.children_before_parents += nest_as_told(from, order, close, add_launch);
  }
  append();
  stream.flush(segment_.writer);
  segment_.totals.spans += order.count();
  process_.count(order.count());
}

}  // namespace xsp
