#include "test/analysis/support/trace_builder.h"

#include <algorithm>

#include "analysis/export/exporter.h"
#include "analysis/findings/finding.h"
#include "analysis/html/html_report.h"
#include "analysis/render/render.h"
#include "analysis/render/summary.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/registry.h"
#include "analysis/trace/loader.h"
#include "proto/duration_buckets.h"

namespace xsp::test {
namespace {

uint32_t zigzag_difference(uint32_t value, uint32_t before) {
  const auto difference = static_cast<int32_t>(value - before);
  return static_cast<uint32_t>(difference) << 1 ^ static_cast<uint32_t>(difference >> 31);
}

/// As in trace.proto: 0 stays 0, else 1 + zigzag of the difference to the last nonzero value.
class Distances {
 public:
  uint64_t next(uint64_t id) {
    if (id == 0) return 0;
    const auto difference = static_cast<int64_t>(id - last_);
    last_ = id;
    return 1 + (static_cast<uint64_t>(difference) << 1 ^ static_cast<uint64_t>(difference >> 63));
  }

 private:
  uint64_t last_ = 0;
};

}  // namespace

TraceBuilder::TraceBuilder() {
  auto* header = packet(0)->mutable_header();
  header->set_format_version(1);
  header->set_producer("test");
}

uint32_t TraceBuilder::add_process(uint32_t pid, const std::string& rank, const std::string& world_size) {
  auto* hello = packet(++processes_)->mutable_hello();
  hello->set_pid(pid);
  hello->set_executable("/bin/program");
  if (!rank.empty()) (*hello->mutable_environment())["RANK"] = rank;
  if (!world_size.empty()) (*hello->mutable_environment())["WORLD_SIZE"] = world_size;
  return processes_;
}

Packet* TraceBuilder::packet(uint32_t process) {
  flush();
  auto* packet = message_.add_packet();
  packet->set_process(process);
  packet->set_sequence(++sequence_[process]);
  return packet;
}

uint32_t TraceBuilder::string_id(uint32_t process, const std::string& text) {
  if (text.empty()) return 0;
  auto& ids = strings_[process];
  const auto found = ids.find(text);
  if (found != ids.end()) return found->second;
  const auto id = static_cast<uint32_t>(ids.size()) + 1;
  ids.emplace(text, id);
  auto* packet = message_.add_packet();
  packet->set_process(process);
  packet->set_sequence(++sequence_[process]);
  packet->mutable_strings()->set_first_id(id);
  packet->mutable_strings()->add_text(text);
  return id;
}

void TraceBuilder::add(const SpanSpec& span) {
  if (!pending_.empty()) {
    const SpanSpec& last = pending_.back();
    if (last.process != span.process || last.thread != span.thread || last.ring != span.ring) flush();
  }
  pending_.push_back(span);
}

void TraceBuilder::add_executions(const std::vector<ExecutionSpec>& executions) {
  flush();
  const uint32_t process = executions.front().process;
  ActivityBatch batch;
  batch.set_ring(0x10000 - 1);
  batch.set_count(static_cast<uint32_t>(executions.size()));
  int64_t begin = 0;
  Distances correlations;
  Distances nodes;
  Distances launches;
  Distances captures;
  for (const ExecutionSpec& execution : executions) {
    auto* queue = batch.add_queue();
    queue->set_device(execution.device);
    queue->set_context(execution.context);
    queue->set_stream(execution.stream);
    batch.add_queue_index(static_cast<uint32_t>(batch.queue_size()) - 1);
    batch.add_begin(execution.begin - begin);
    begin = execution.begin;
    batch.add_duration(static_cast<uint64_t>(execution.end - execution.begin));
    batch.add_level_kind(static_cast<uint32_t>(LEVEL_DEVICE | execution.kind << 3));
    batch.add_name(string_id(process, execution.name));
    batch.add_configuration(string_id(process, execution.configuration));
    batch.add_bytes(execution.bytes);
    batch.add_correlation(correlations.next(execution.correlation));
    batch.add_graph_node(nodes.next(execution.graph_node));
    batch.add_graph(execution.graph);
    batch.add_launch_ring(execution.launch == 0 ? 0 : execution.launch_ring + 1);
    batch.add_launch(launches.next(execution.launch));
    batch.add_capture_ring(execution.capture == 0 ? 0 : execution.capture_ring + 1);
    batch.add_capture(captures.next(execution.capture));
  }
  *packet(process)->mutable_activities() = batch;
  spans_ += executions.size();
}

void TraceBuilder::add_evaluation(int64_t begin_ms, const std::vector<int64_t>& latencies_ms, const std::string& model,
                                  const std::string& input, uint32_t process, bool failed) {
  const uint32_t root = ++next_id_;
  const int64_t begin = begin_ms * 1'000'000;
  int64_t at = begin;
  for (size_t i = 0; i < latencies_ms.size(); ++i) {
    SpanSpec layer{.begin = at, .end = at + latencies_ms[i] * 1'000'000, .id = ++next_id_, .parent = root};
    layer.kind = KIND_TORCH_MODULE;
    layer.name = std::string("l").append(std::to_string(i));
    layer.type = std::string(1, i % 2 == 0 ? 'A' : 'B');
    layer.bytes = 1'000'000 * static_cast<int64_t>(i + 1);
    layer.process = process;
    at = layer.end;
    add(layer);
  }
  SpanSpec span{.begin = begin, .end = at + 1'000'000, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
  span.name = model;
  span.input = input;
  span.failed = failed;
  span.process = process;
  add(span);
}

void TraceBuilder::flush() {
  if (pending_.empty()) return;
  const std::vector<SpanSpec> spans = std::move(pending_);
  pending_.clear();
  const uint32_t process = spans.front().process;
  SpanBatch batch;
  ArgumentBatch arguments;
  arguments.set_thread(spans.front().thread);
  arguments.set_ring(spans.front().ring);
  uint32_t argument_span = 0;
  batch.set_thread(spans.front().thread);
  batch.set_ring(spans.front().ring);
  batch.set_count(static_cast<uint32_t>(spans.size()));
  int64_t begin = 0;
  uint32_t id = 0;
  bool all_bytes = true;
  bool any_bytes = false;
  bool any_failed = false;
  bool any_correlation = false;
  bool any_forward = false;
  bool any_shallow = false;
  for (const SpanSpec& span : spans) {
    batch.add_begin(span.begin - begin);
    begin = span.begin;
    batch.add_duration(static_cast<uint64_t>(span.end - span.begin));
    batch.add_id(zigzag_difference(span.id, id));
    id = span.id;
    batch.add_parent(span.parent == 0 ? 0 : span.id - span.parent);
    batch.add_level_kind(static_cast<uint32_t>(span.level | span.kind << 3));
    batch.add_name(string_id(process, span.name));
    batch.add_type(string_id(process, span.type));
    batch.add_shape(string_id(process, span.shape));
    batch.add_input(string_id(process, span.input));
    batch.add_scope(string_id(process, span.scope));
    batch.add_bytes(span.bytes < 0 ? 0 : static_cast<uint64_t>(span.bytes));
    batch.add_start_thread(span.start_thread);
    batch.add_start_ring(span.start_ring);
    any_failed |= span.failed;
    any_correlation |= span.correlation != 0;
    any_forward |= span.forward != 0;
    any_shallow |= span.shallow;
    if (!span.layout.empty()) {
      arguments.add_span(zigzag_difference(span.id, argument_span));
      argument_span = span.id;
      arguments.add_layout(string_id(process, span.layout));
      arguments.add_length(static_cast<uint32_t>(span.values.size()));
      arguments.mutable_values()->append(span.values);
    }
    all_bytes &= span.bytes >= 0;
    any_bytes |= span.bytes >= 0;
  }
  Distances correlations;
  Distances forwards;
  for (const SpanSpec& span : spans) {
    if (any_forward) {
      batch.add_forward_ring(span.forward == 0 ? 0 : span.forward_ring + 1);
      batch.add_forward(forwards.next(span.forward));
    }
    if (any_bytes && !all_bytes) batch.add_bytes_known(span.bytes >= 0 ? 1 : 0);
    if (any_shallow) batch.add_shallow(span.shallow ? 1 : 0);
    if (any_failed) batch.add_failed(span.failed ? 1 : 0);
    if (any_correlation) batch.add_correlation(correlations.next(span.correlation));
  }
  batch.set_has_bytes(all_bytes);
  if (arguments.span_size() != 0) {
    auto* before = message_.add_packet();
    before->set_process(process);
    before->set_sequence(++sequence_[process]);
    *before->mutable_arguments() = arguments;
  }
  auto* packet = message_.add_packet();
  packet->set_process(process);
  packet->set_sequence(++sequence_[process]);
  *packet->mutable_spans() = batch;
  spans_ += spans.size();
}

void TraceBuilder::describe_run(uint32_t index, const std::string& level, uint32_t repetition,
                                const std::vector<std::pair<std::string, std::string>>& parameters) {
  auto* header = message_.mutable_packet(0)->mutable_header();
  header->set_requested_level(level);
  auto* run = header->mutable_run();
  run->set_set("00000000000000aa");
  run->set_index(index);
  run->set_repetition(repetition);
  for (const auto& [name, value] : parameters) {
    auto* parameter = run->add_parameters();
    parameter->set_name(name);
    parameter->set_value(value);
  }
}

void TraceBuilder::describe_part(uint32_t index, int64_t begin_ms) {
  part_ = index;
  auto* header = message_.mutable_packet(0)->mutable_header();
  header->set_begin_ns(static_cast<uint64_t>(begin_ms) * 1'000'000);
  header->mutable_part()->set_recording("0123456789abcdef");
  header->mutable_part()->set_index(index);
}

TraceBuilder TraceBuilder::next_part(int64_t begin_ms) const {
  TraceBuilder next;
  next.describe_part(part_ + 1, begin_ms);
  next.next_id_ = next_id_;
  next.processes_ = processes_;
  for (const xsp::Packet& packet : message_.packet()) {
    if (packet.has_hello()) *next.packet(packet.process())->mutable_hello() = packet.hello();
  }
  for (const auto& [process, ids] : strings_) {
    std::map<uint32_t, std::string> by_id;
    for (const auto& [text, id] : ids) by_id[id] = text;
    if (by_id.empty()) continue;
    auto* strings = next.packet(process)->mutable_strings();
    strings->set_first_id(1);
    for (const auto& [id, text] : by_id) strings->add_text(text);
    next.strings_[process] = ids;
  }
  return next;
}

void TraceBuilder::add_aggregates(const std::vector<AggregateSpec>& rows, int64_t begin_ms, int64_t end_ms,
                                  bool is_total, uint32_t process) {
  Aggregates aggregates;
  aggregates.set_begin_ns(static_cast<uint64_t>(begin_ms) * 1'000'000);
  aggregates.set_end_ns(static_cast<uint64_t>(end_ms) * 1'000'000);
  aggregates.set_is_total(is_total);
  aggregates.set_count(static_cast<uint32_t>(rows.size()));
  for (const AggregateSpec& row : rows) {
    uint64_t total = 0;
    std::map<uint32_t, uint64_t> buckets;
    for (const uint64_t ns : row.durations_ns) {
      total += ns;
      ++buckets[duration_bucket(ns)];
    }
    const auto [least, most] = std::minmax_element(row.durations_ns.begin(), row.durations_ns.end());
    aggregates.add_level_kind(static_cast<uint32_t>(row.level | row.kind << 3));
    aggregates.add_name(string_id(process, row.name));
    aggregates.add_type(string_id(process, row.type));
    aggregates.add_spans(row.durations_ns.size());
    aggregates.add_stored(row.stored);
    aggregates.add_total_ns(total);
    aggregates.add_min_ns(row.durations_ns.empty() ? 0 : *least);
    aggregates.add_max_ns(row.durations_ns.empty() ? 0 : *most);
    aggregates.add_failed(row.failed);
    aggregates.add_buckets(static_cast<uint32_t>(buckets.size()));
    uint32_t before = 0;
    for (const auto& [bucket, spans] : buckets) {
      aggregates.add_bucket(bucket - before);
      before = bucket;
      aggregates.add_bucket_spans(spans);
    }
  }
  *packet(process)->mutable_aggregates() = aggregates;
}

std::string TraceBuilder::bytes(bool finished) {
  flush();
  if (finished) {
    auto* end = packet(0)->mutable_trace_end();
    end->set_complete(true);
    end->set_spans(spans_);
  }
  return message_.SerializeAsString();
}

Analysed::Analysed(const std::vector<std::string>& inputs, const analysis::StudyOptions& options,
                   const analysis::SpanRoleOptions& role_options) {
  analysis::OpenRecordings recordings;
  for (const std::string& input : inputs) {
    analysis::MemorySource source(input);
    status = analysis::load_trace(source, "test.pb", &recordings, &trace);
    if (!status.ok()) return;
  }
  status = analysis::analyse(role_options, options, this);
  if (study) roles = study->roles;
}

analysis::Table Analysed::table(const std::string& id) const {
  std::vector<const analysis::TableDefinition*> chosen;
  if (!study || !analysis::choose_analyses({id}, &chosen).ok()) return {};
  return chosen.front()->compute(*study);
}

double number(const analysis::Cell& cell) {
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* value = std::get_if<int64_t>(&cell)) return static_cast<double>(*value);
  return -1;
}

std::string text(const analysis::Cell& cell) {
  const auto* value = std::get_if<std::string>(&cell);
  return value == nullptr ? "" : *value;
}

double quality(const analysis::Table& q1, const std::string& quantity, const std::string& level) {
  for (const auto& row : q1.rows) {
    if (text(row[0]) == quantity && text(row[1]) == level) return number(row[2]);
  }
  return -2;
}

bool has_note(const analysis::Table& table, const std::string& part) {
  for (const auto& note : table.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

namespace {

/// Writes the page and every export that uses a sink.
void write_files(const analysis::AnalysedTrace& analysed, std::vector<analysis::Table> tables) {
  analysis::Report report;
  report.header = analysis::report_header(*analysed.study);
  report.findings = analysis::findings(*analysed.study, tables);
  report.tables = std::move(tables);
  analysis::ByteSink page("/dev/null");
  analysis::write_html(report, analysed, {}, &page);
  const std::vector<analysis::ReportInput> inputs;
  const analysis::ExportInput input{
      .analysed = analysed, .inputs = inputs, .report = [&]() -> const analysis::Report& { return report; }};
  for (const analysis::Exporter& exporter : analysis::exporters()) {
    if (exporter.write == nullptr) continue;
    analysis::ByteSink sink("/dev/null");
    (void)exporter.write(input, &sink);
  }
}

}  // namespace

void report_everything(std::string_view bytes) {
  for (const bool per_trace : {false, true}) {
    analysis::StudyOptions options;
    options.per_trace = per_trace;
    const Analysed analysed({std::string(bytes)}, options);
    if (!analysed.study) continue;
    std::vector<const analysis::TableDefinition*> chosen;
    std::vector<analysis::Table> tables;
    if (!analysis::choose_analyses({"all"}, &chosen).ok()) continue;
    for (const auto* one : chosen) tables.push_back(one->compute(*analysed.study));
    analysis::render_text(tables, {.width = 100});
    analysis::render_json(tables, {}, {});
    analysis::render_csv(tables, {});
    analysis::render_summary(*analysed.study);
    analysis::input_warnings(analysed.trace);
    if (!per_trace) write_files(analysed, std::move(tables));
  }
}

}  // namespace xsp::test
