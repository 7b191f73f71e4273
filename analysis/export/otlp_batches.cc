#include "analysis/export/otlp_batches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/export/otlp_resource.h"
#include "analysis/export/span_attributes.h"
#include "analysis/iterations/kind_names.h"
#include "analysis/timeline/executions.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kSpansOfBatch = 2000;
constexpr size_t kTextOfBatch = 512 << 10;  // bytes of names and the like

/// A bijection that leaves no pattern (splitmix64).
uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t hashed(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(hash ^ bytes.size());
}

/// What distinguishes a process from those of all other traces. A trace without an id is identified by what it says of
/// itself.
uint64_t seed_of(const Trace& trace, uint32_t index) {
  const Process& process = trace.processes[index];
  const Segment& segment = trace.segments[process.segment];
  uint64_t seed = hashed(segment.trace_id);
  if (segment.trace_id.empty()) {
    seed = hashed(segment.producer + segment.hostname + segment.source) ^ mixed(segment.announced_spans);
    seed = mixed(seed ^ static_cast<uint64_t>(segment.begin_ns ^ process.start_ns));
  }
  return mixed(seed ^ process.number);
}

void append_big_endian(uint64_t value, uint8_t* to) {
  for (int i = 0; i < 8; ++i) to[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

/// "[80,1,1]" as numbers; nothing for other text.
std::vector<int64_t> numbers_of(std::string_view text) {
  std::vector<int64_t> numbers;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.starts_with(",")) text.remove_prefix(1);
  }
  return numbers;
}

void add(const char* key, std::string_view text, OtlpSpan* to) {
  if (!text.empty()) to->attributes.push_back({key, std::string(text)});
}

void add(const char* key, int64_t value, OtlpSpan* to) { to->attributes.push_back({key, value}); }

/// Text is a number, or numbers in brackets, where the attribute is.
void add(const SpanAttribute& attribute, std::string_view text, OtlpSpan* to) {
  std::string key(attribute.otlp.key);
  if (attribute.type == SpanAttribute::Type::kInteger) {
    if (const auto number = integer_of(text)) to->attributes.push_back({std::move(key), *number});
  } else if (attribute.configured != nullptr) {
    if (auto numbers = numbers_of(text); !numbers.empty()) to->attributes.push_back({std::move(key), numbers});
  } else if (!text.empty()) {
    to->attributes.push_back({std::move(key), std::string(text)});
  }
}

void add(const SpanAttribute& attribute, const AttributeValue& value, OtlpSpan* to) {
  std::string key(attribute.otlp.key);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    add(attribute, *text, to);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    to->attributes.push_back({std::move(key), *integer});
  } else if (const auto* real = std::get_if<double>(&value)) {
    if (std::isfinite(*real)) to->attributes.push_back({std::move(key), *real});
  } else if (const auto* flag = std::get_if<bool>(&value); flag != nullptr && *flag) {
    to->attributes.push_back({std::move(key), std::string(attribute.otlp.true_text)});
  }
}

}  // namespace

OtlpBatches::OtlpBatches(const ExportInput& input, std::optional<Level> deepest)
    : input_(input), spans_(input.analysed), trace_(input.analysed.trace), analysed_(input.analysed) {
  seed_.resize(trace_.processes.size());
  for (uint32_t process = 0; process < seed_.size(); ++process) seed_[process] = seed_of(trace_, process);
  first_row_.assign(trace_.processes.size(), kNoRow);
  for (Row row = 0; row < trace_.spans.size(); ++row) {
    Row& first = first_row_[trace_.process_of(row)];
    first = std::min(first, row);
  }
  number_evaluations();
  place_spans();
  if (deepest) {
    deepest_ = *deepest;
  } else {
    choose_deepest();
  }
  for (Row row = 0; row < trace_.spans.size(); ++row) left_out_ += is_exported(row) ? 0 : 1;
  add_up_kernels();
}

void OtlpBatches::number_evaluations() {
  std::vector<uint32_t> count(trace_.processes.size());
  for (const Row root : analysed_.evaluations.root) evaluation_number_.push_back(++count[trace_.process_of(root)]);
}

void OtlpBatches::place_spans() {
  evaluation_of_.resize(trace_.spans.size());
  for (Row row = 0; row < trace_.spans.size(); ++row) evaluation_of_[row] = spans_.place(spans_.of(row)).evaluation;
}

void OtlpBatches::choose_deepest() {
  const size_t evaluations = analysed_.evaluations.root.size();
  std::vector<std::array<uint64_t, kLevelCount>> counts(evaluations + trace_.processes.size());
  for (Row row = 0; row < trace_.spans.size(); ++row) {
    const uint32_t evaluation = evaluation_of_[row];
    const size_t trace = evaluation == kNoEvaluation ? evaluations + trace_.process_of(row) : evaluation;
    ++counts[trace][static_cast<size_t>(trace_.spans.level[row])];
  }
  // Nobody starts with the page of what lies in no evaluation: it counts only if there is nothing else.
  if (evaluations != 0) counts.resize(evaluations);
  auto deepest = static_cast<size_t>(Level::kDevice);
  for (const auto& count : counts) {
    uint64_t sum = 0;
    for (size_t level = 0; level <= deepest; ++level) {
      sum += count[level];
      if (sum <= kMostSpansOfPages) continue;
      deepest = std::max(static_cast<size_t>(Level::kLayer), level == 0 ? 0 : level - 1);
      break;
    }
  }
  deepest_ = static_cast<Level>(deepest);
}

void OtlpBatches::add_up_kernels() {
  const ExecutionTable& executions = trace_.executions;
  for (uint32_t i = 0; i < executions.size(); ++i) {
    const Row row = executions.row[i];
    if (trace_.spans.kind[row] != Kind::kKernel) continue;
    const PlacedExecution& placed = analysed_.executions.placed[i];
    const Row root = placed.evaluation == kNoEvaluation ? kNoRow : analysed_.evaluations.root[placed.evaluation];
    for (const Row of : {placed.layer, root}) {
      if (of == kNoRow) continue;
      Kernels& kernels = kernels_[of];
      ++kernels.count;
      kernels.ns += trace_.spans.duration(row);
    }
  }
}

bool OtlpBatches::is_same_trace(Row one, Row other) const {
  return evaluation_of_[one] == evaluation_of_[other] && trace_.process_of(one) == trace_.process_of(other);
}

OtlpTraceId OtlpBatches::trace_id(Row row) const {
  const uint32_t evaluation = evaluation_of_[row];
  const uint64_t number = evaluation == kNoEvaluation ? 0 : evaluation_number_[evaluation];
  const uint64_t seed = seed_[trace_.process_of(row)];
  OtlpTraceId id;
  append_big_endian(mixed(seed ^ 0x7472616365 ^ number << 32), id.data());
  append_big_endian(mixed(mixed(seed) + number), id.data() + 8);
  return id;
}

OtlpSpanId OtlpBatches::span_id(Row row) const {
  const uint32_t process = trace_.process_of(row);
  const uint64_t id = mixed(seed_[process] + (row - first_row_[process]));
  return id == 0 ? 1 : id;
}

Row OtlpBatches::parent_of(const ExportedSpan& span, const SpanPlace& place) const {
  if (span.execution != kNoExecution) {
    for (const Row parent : {place.layer, place.library_call, place.launch}) {
      if (is_exported(parent) && is_same_trace(span.row, parent)) return parent;
    }
  }
  // Where levels are left out, what lies above them.
  Row parent = span.parent;
  for (int depth = 0; parent != kNoRow && depth < kMaxDepth; ++depth) {
    if (is_exported(parent)) return is_same_trace(span.row, parent) ? parent : kNoRow;
    parent = analysed_.parents.of[parent];
  }
  return kNoRow;
}

void OtlpBatches::add_link(Row target, std::string_view role, OtlpSpan* to) const {
  if (is_exported(target)) to->links.push_back({trace_id(target), span_id(target), role});
}

void OtlpBatches::add_links(const ExportedSpan& span, const SpanPlace& place, Row parent, OtlpSpan* to) const {
  if (parent == kNoRow && span.parent != kNoRow && !is_same_trace(span.row, span.parent)) {
    add_link(span.parent, "parent", to);
  }
  if (span.execution != kNoExecution) {
    add_link(place.launch, "launch", to);
    add_link(analysed_.executions.placed[span.execution].capture, "capture", to);
    if (place.layer != parent) add_link(place.layer, "layer", to);
  }
  if (const Row forward = analysed_.parents.forward_of(span.row); forward < kUnknownForward) {
    add_link(forward, "forward", to);
  }
}

void OtlpBatches::add_host_attributes(const ExportedSpan& span, const SpanPlace& place, OtlpSpan* to) {
  const Row row = span.row;
  if (span.thread != 0) add("thread.id", span.thread, to);
  if (span.level == Level::kModel) {
    add("xsp.model.type", spans_.type(row), to);
    add("xsp.model.input", spans_.input(row), to);
    add("xsp.model.scope", spans_.text(trace_.spans.scope[row]), to);
  } else if (row == place.layer) {
    add("xsp.layer.type", spans_.type(row), to);
    add("xsp.layer.shape", spans_.shape(row), to);
  } else {
    add("xsp.type", spans_.type(row), to);
  }
  if (const auto found = kernels_.find(row); found != kernels_.end()) {
    add("xsp.kernels.count", static_cast<int64_t>(found->second.count), to);
    add("xsp.kernels.time_ns", found->second.ns, to);
  }
  spans_.for_each_argument(row, [&](const SpanArgument& argument) {
    OtlpValue value = std::string(argument.text);
    if (argument.kind == SpanArgument::Kind::kInteger) value = argument.integer;
    if (argument.kind == SpanArgument::Kind::kNumber) value = argument.number;
    to->attributes.push_back({"xsp.argument." + valid_utf8(argument.name), std::move(value)});
  });
}

void OtlpBatches::add_listed_attributes(const ExportedSpan& span, const SpanPlace& place, OtlpSpan* to) {
  const bool executed = span.execution != kNoExecution;
  const AttributedSpan source{trace_, span, place, executed ? spans_.metrics(span.execution) : nullptr};
  const AttributeForm::Where where = source.where();
  const LaunchConfiguration launch = where == AttributeForm::kKernels
                                         ? launch_configuration(trace_.text(trace_.spans.shape[span.row]))
                                         : LaunchConfiguration();
  for (const SpanAttribute& attribute : span_attributes()) {
    if (!attribute.otlp.is_on(where)) continue;
    if (attribute.value != nullptr) {
      add(attribute, attribute.value(source), to);
    } else {
      add(attribute, attribute.configured(launch), to);
    }
  }
}

void OtlpBatches::add_queue(const ExportedSpan& span, OtlpSpan* to) {
  const Queue& queue = trace_.queues[trace_.executions.queue[span.execution]];
  add("xsp.device", queue.device, to);
  add("xsp.stream", queue.stream, to);
}

void OtlpBatches::describe(Row row, OtlpSpan* to) {
  const ExportedSpan span = spans_.of(row);
  const SpanPlace place = spans_.place(span);
  const Row parent = parent_of(span, place);
  to->trace_id = trace_id(row);
  to->span_id = span_id(row);
  to->parent_span_id = parent == kNoRow ? 0 : span_id(parent);
  to->name = spans_.name(row);
  if (to->name.empty()) to->name = kLevelNames[static_cast<size_t>(span.level)];
  to->start_unix_ns = static_cast<uint64_t>(std::max<int64_t>(0, span.begin));
  to->end_unix_ns = static_cast<uint64_t>(std::max<int64_t>(0, span.end));
  to->failed = trace_.spans.has_failed(row);

  add("xsp.level", kLevelNames[static_cast<size_t>(span.level)], to);
  add("xsp.kind", kind_name(span.kind), to);
  if (place.evaluation != kNoEvaluation) add("xsp.evaluation", evaluation_number_[place.evaluation], to);
  if (place.layer_index != SpanPlace::kNoLayer) add("xsp.layer.index", place.layer_index, to);
  if (span.execution == kNoExecution) {
    add_host_attributes(span, place, to);
  } else {
    add_queue(span, to);
  }
  add_listed_attributes(span, place, to);
  add_links(span, place, parent, to);
}

OtlpBatch::Scope* OtlpBatches::scope_of(Row row, OtlpBatch* batch) const {
  const std::string_view tracer = tracer_name(trace_.spans.kind[row]);
  for (OtlpBatch::Scope& scope : batch->scopes) {
    if (scope.name.ends_with(tracer)) return &scope;
  }
  return &batch->scopes.emplace_back(OtlpBatch::Scope{"xsp." + std::string(tracer), {}});
}

size_t OtlpBatches::next(OtlpBatch* batch) {
  for (OtlpBatch::Scope& scope : batch->scopes) scope.spans.clear();
  size_t count = 0;
  size_t text = 0;
  const std::vector<ExportedTrack>& tracks = spans_.tracks();
  for (; track_ < tracks.size(); ++track_, position_ = 0) {
    const ExportedTrack& track = tracks[track_];
    if (count != 0 && track.process != resource_process_) break;
    const std::span<const Row> rows = spans_.rows(track);
    for (; position_ < rows.size(); ++position_) {
      if (!is_exported(rows[position_])) continue;
      if (count == kSpansOfBatch || text > kTextOfBatch) return count;
      if (track.process != resource_process_) {
        resource_process_ = track.process;
        resource_ = otlp_resource(trace_, track.process, input_.with_command);
      }
      batch->resource = &resource_;
      OtlpSpan& span = scope_of(rows[position_], batch)->spans.emplace_back();
      describe(rows[position_], &span);
      text += span.name.size();
      for (const OtlpAttribute& attribute : span.attributes) {
        if (const auto* value = std::get_if<std::string>(&attribute.value)) text += value->size();
      }
      ++count;
    }
  }
  return count;
}

}  // namespace xsp::analysis
