#include "analysis/export/parquet_rows.h"

#include <charconv>
#include <limits>

#include "analysis/export/parquet_file.h"
#include "analysis/iterations/kind_names.h"
#include "analysis/trace/data_type.h"

namespace xsp::analysis {
namespace {

constexpr size_t kRowsOfPart = 128 << 10;
constexpr size_t kBytesOfPart = 64 << 20;
constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::min();

using Type = ParquetType;

/// In the order in which ParquetRows::add() fills them.
constexpr ParquetColumnReference kColumns[] = {
    {"run", Type::kInt32, "", "recording it is of, from 1"},
    {"process", Type::kInt32, "", "process it is of, from 1"},
    {"level", Type::kText, "", "application, model, layer, library, runtime, device"},
    {"span_id", Type::kInt64, "", "what parent_id, layer_id, launch_id and library_call_id refer to"},
    {"kind", Type::kText, "", "what it stands for: torch_module, library_call, kernel, …"},
    {"name", Type::kText, "", "of a kernel demangled"},
    {"type", Type::kText, "", "layer type, library"},
    {"shape", Type::kText, "", "output shape of a layer"},
    {"begin_ns", Type::kInt64, "ns", "of CLOCK_REALTIME, or of the clock that the file's metadata name"},
    {"end_ns", Type::kInt64, "ns", "likewise"},
    {"duration_ns", Type::kInt64, "ns", "end_ns - begin_ns"},
    {"pid", Type::kInt64, "", "of the process as it saw itself"},
    {"rank", Type::kText, "", "of a distributed program"},
    {"host", Type::kText, "", "machine it was recorded on"},
    {"thread", Type::kInt64, "", "kernel thread id; null on a device"},
    {"device", Type::kInt32, "", "GPU as the process numbers it; null on a host"},
    {"context", Type::kInt64, "", "CUDA context"},
    {"stream", Type::kInt64, "", "as CUPTI numbers it"},
    {"parent_id", Type::kInt64, "", "span that it lies in; of an execution its launch"},
    {"launch_id", Type::kInt64, "", "of an execution: the call that started it"},
    {"library_call_id", Type::kInt64, "", "outermost library call around it"},
    {"library_call", Type::kText, "", "its function"},
    {"correlation", Type::kInt64, "", "CUPTI's correlation id"},
    {"bytes", Type::kInt64, "bytes", "copied or set; of other spans allocated"},
    {"failed", Type::kBool, "", "ended by an exception"},
    {"shallow", Type::kBool, "", "a model call that was not sampled: nothing inside it was recorded"},
    {"backward", Type::kBool, "", "work of a backward pass; its layer is that of the forward pass"},
    {"evaluation", Type::kInt32, "", "evaluation it belongs to, from 1; null: none"},
    {"model", Type::kText, "", "model of the evaluation"},
    {"batch_size", Type::kInt64, "", "first dimension of the evaluation's first input"},
    {"in_layer_tables", Type::kBool, "", "A2 to A7 are made of its evaluation"},
    {"in_kernel_tables", Type::kBool, "", "A8 to A15 are made of its evaluation"},
    {"layer_id", Type::kInt64, "", "span of the innermost layer around it, itself if it is one"},
    {"layer_index", Type::kInt32, "", "the layer's place in its evaluation, as in A2"},
    {"layer_name", Type::kText, "", "of that layer"},
    {"layer_type", Type::kText, "", "of that layer"},
    {"layer_shape", Type::kText, "", "of that layer"},
    {"grid", Type::kText, "", "of a kernel: blocks in each dimension"},
    {"block", Type::kText, "", "threads in each dimension"},
    {"registers", Type::kInt64, "", "a thread"},
    {"static_shared_bytes", Type::kInt64, "bytes", "shared memory of a block"},
    {"dynamic_shared_bytes", Type::kInt64, "bytes", "shared memory of a block"},
    {"data_type", Type::kText, "", "a kernel computes in, where that is known"},
    {"flops", Type::kDouble, "", "executed (metrics_source counters) or of the algorithm (analytic)"},
    {"dram_read_bytes", Type::kDouble, "bytes", "measured, or those that must be read at least"},
    {"dram_write_bytes", Type::kDouble, "bytes", "likewise"},
    {"occupancy_pct", Type::kDouble, "%", "achieved, of counters alone"},
    {"metrics_source", Type::kText, "", "counters or analytic"},
};

}  // namespace

std::span<const ParquetColumnReference> parquet_columns() { return kColumns; }

ParquetRows::ParquetRows(const ExportInput& input)
    : analysed_(input.analysed), trace_(input.analysed.trace), spans_(input.analysed) {
  for (const ParquetColumnReference& column : kColumns) columns_.emplace_back(column.type);
  const std::vector<Row>& roots = analysed_.evaluations.root;
  in_layer_tables_.resize(roots.size());
  in_kernel_tables_.resize(roots.size());
  for (const uint32_t evaluation : analysed_.study->joined.joined) in_layer_tables_[evaluation] = true;
  for (const uint32_t evaluation : analysed_.study->kernels.evaluations) in_kernel_tables_[evaluation] = true;
  for (const Row root : roots) batch_size_.push_back(leading_dimension(spans_.input(root)).value_or(kNotKnown));
}

uint32_t ParquetRows::run() const { return trace_.processes[process_].segment + 1; }

size_t ParquetRows::bytes() const {
  size_t sum = 0;
  for (const ParquetColumn& column : columns_) sum += column.bytes();
  return sum;
}

bool ParquetRows::next() {
  for (ParquetColumn& column : columns_) column.clear();
  const std::vector<ExportedTrack>& tracks = spans_.tracks();
  for (; track_ < tracks.size(); ++track_, position_ = 0) {
    const ExportedTrack& track = tracks[track_];
    if (rows() != 0 && track.process != process_) break;
    process_ = track.process;
    const std::span<const Row> all = spans_.rows(track);
    for (; position_ < all.size(); ++position_) {
      constexpr size_t kRowsBetweenLooks = 256;
      if (rows() == kRowsOfPart || (rows() % kRowsBetweenLooks == 0 && bytes() > kBytesOfPart)) return true;
      add(all[position_]);
    }
  }
  return rows() != 0;
}

void ParquetRows::add_unless(int64_t value, int64_t none) {
  if (value == none) {
    column().add_null();
  } else {
    column().add(value);
  }
}

void ParquetRows::add_id(Row row) { add_unless(row, kNoRow); }

void ParquetRows::add_text_of(uint32_t id) { column().add_text(id, spans_.text(id)); }

void ParquetRows::add_name(Row row) {
  // A kernel's name is shown demangled and has a key of its own.
  const auto strings = static_cast<uint32_t>(trace_.strings.size());
  const uint32_t id = trace_.spans.name[row];
  column().add_text(trace_.spans.kind[row] == Kind::kKernel ? strings + id : id, spans_.name(row));
}

void ParquetRows::add_own(std::string_view text) {
  if (text.empty()) return column().add_null();
  const auto strings = static_cast<uint32_t>(trace_.strings.size());
  const auto [found, added] = own_keys_.try_emplace(std::string(text), static_cast<uint32_t>(own_keys_.size()));
  column().add_text(2 * strings + found->second, found->first);
}

void ParquetRows::add(Row row) {
  column_ = 0;
  const ExportedSpan span = spans_.of(row);
  const SpanPlace place = spans_.place(span);
  const Process& process = trace_.processes[span.process];
  column().add(run());
  column().add(span.process + 1);
  add_own(kLevelNames[static_cast<size_t>(span.level)]);
  add_id(row);
  add_own(kind_name(span.kind));
  add_name(row);
  add_text_of(trace_.spans.type[row]);
  // Of executions it is the launch configuration, which has columns of its own.
  add_text_of(span.execution == kNoExecution ? trace_.spans.shape[row] : 0);
  column().add(span.begin);
  column().add(span.end);
  column().add(span.end - span.begin);
  add_unless(process.pid, 0);
  const std::string* rank = process.variable("RANK");
  add_own(rank == nullptr ? "" : *rank);
  add_own(trace_.segments[process.segment].hostname);
  add_unless(span.thread, 0);
  add_place(span, place);
  add_layer(place.layer);
  add_kernel(span);
}

void ParquetRows::add_place(const ExportedSpan& span, const SpanPlace& place) {
  if (span.execution == kNoExecution) {
    for (int i = 0; i < 3; ++i) column().add_null();
  } else {
    const Queue& queue = trace_.queues[trace_.executions.queue[span.execution]];
    column().add(queue.device);
    column().add(queue.context);
    column().add(queue.stream);
  }
  add_id(span.parent);
  add_id(place.launch);
  add_id(place.library_call);
  add_text_of(place.library_call == kNoRow ? 0 : trace_.spans.name[place.library_call]);
  add_unless(static_cast<int64_t>(span.correlation), 0);
  add_unless(static_cast<int64_t>(trace_.spans.bytes[span.row]), -1);
  column().add(trace_.spans.has_failed(span.row));
  column().add(trace_.spans.is_shallow(span.row));
  column().add(place.backward);
  if (place.evaluation == kNoEvaluation) {
    for (int i = 0; i < 5; ++i) column().add_null();
  } else {
    column().add(int64_t{place.evaluation} + 1);
    add_text_of(trace_.spans.name[analysed_.evaluations.root[place.evaluation]]);
    add_unless(batch_size_[place.evaluation], kNotKnown);
    column().add(in_layer_tables_[place.evaluation]);
    column().add(in_kernel_tables_[place.evaluation]);
  }
  add_id(place.layer);
  add_unless(place.layer_index, SpanPlace::kNoLayer);
}

void ParquetRows::add_layer(Row layer) {
  add_text_of(layer == kNoRow ? 0 : trace_.layer_name(layer));
  add_text_of(layer == kNoRow ? 0 : trace_.spans.type[layer]);
  add_text_of(layer == kNoRow ? 0 : trace_.spans.shape[layer]);
}

void ParquetRows::add_kernel(const ExportedSpan& span) {
  const bool kernel = span.kind == Kind::kKernel && span.execution != kNoExecution;
  const LaunchConfiguration launch = kernel ? launch_configuration(spans_.shape(span.row)) : LaunchConfiguration();
  add_own(launch.grid);
  add_own(launch.block);
  for (const std::string_view text : {launch.registers, launch.static_shared, launch.dynamic_shared}) {
    int64_t number = kNotKnown;
    std::from_chars(text.data(), text.data() + text.size(), number);
    add_unless(number, kNotKnown);
  }
  static constexpr KernelMetrics kNothing;
  const KernelMetrics* known = kernel ? spans_.metrics(span.execution) : nullptr;
  const KernelMetrics& metrics = known == nullptr ? kNothing : *known;
  add_own(name_of(metrics.type));
  for (const double value : {metrics.flops, metrics.dram_read_bytes, metrics.dram_write_bytes, metrics.occupancy_pct}) {
    column().add_real(value);
  }
  const bool counters = metrics.source == MetricSource::kCounters;
  add_own(known == nullptr ? "" : counters ? "counters" : "analytic");
}

}  // namespace xsp::analysis
