#include "analysis/export/parquet_rows.h"

#include <iterator>
#include <limits>

#include "analysis/export/parquet_file.h"
#include "analysis/iterations/kind_names.h"

namespace xsp::analysis {
namespace {

constexpr size_t kRowsOfPart = 128 << 10;
constexpr size_t kBytesOfPart = 64 << 20;
constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::min();

/// In the order in which ParquetRows::add() fills them. Attributes of spans follow, then what the span belongs to, then
/// attributes of kernels.
constexpr ParquetColumnReference kSpanColumns[] = {
    {"run", ParquetType::kInt32, "", "recording it is of, from 1"},
    {"process", ParquetType::kInt32, "", "process it is of, from 1"},
    {"level", ParquetType::kText, "", "application, model, layer, library, runtime, device"},
    {"span_id", ParquetType::kInt64, "", "what parent_id, layer_id, launch_id and library_call_id refer to"},
    {"kind", ParquetType::kText, "", "what it stands for: torch_module, library_call, kernel, …"},
    {"name", ParquetType::kText, "", "of a kernel demangled"},
    {"type", ParquetType::kText, "", "layer type, library"},
    {"shape", ParquetType::kText, "", "output shape of a layer"},
    {"begin_ns", ParquetType::kInt64, "ns", "of CLOCK_REALTIME, or of the clock that the file's metadata name"},
    {"end_ns", ParquetType::kInt64, "ns", "likewise"},
    {"duration_ns", ParquetType::kInt64, "ns", "end_ns - begin_ns"},
    {"pid", ParquetType::kInt64, "", "of the process as it saw itself"},
    {"rank", ParquetType::kText, "", "of a distributed program"},
    {"host", ParquetType::kText, "", "machine it was recorded on"},
    {"thread", ParquetType::kInt64, "", "kernel thread id; null on a device"},
    {"device", ParquetType::kInt32, "", "GPU as the process numbers it; null on a host"},
    {"context", ParquetType::kInt64, "", "CUDA context"},
    {"stream", ParquetType::kInt64, "", "as CUPTI numbers it"},
    {"parent_id", ParquetType::kInt64, "", "span that it lies in; of an execution its launch"},
    {"launch_id", ParquetType::kInt64, "", "of an execution: the call that started it"},
    {"library_call_id", ParquetType::kInt64, "", "outermost library call around it"},
    {"library_call", ParquetType::kText, "", "its function"},
};

constexpr ParquetColumnReference kEvaluationColumns[] = {
    {"evaluation", ParquetType::kInt32, "", "evaluation it belongs to, from 1; null: none"},
    {"model", ParquetType::kText, "", "model of the evaluation"},
    {"batch_size", ParquetType::kInt64, "", "first dimension of the evaluation's first input"},
    {"in_layer_tables", ParquetType::kBool, "", "A2 to A7 are made of its evaluation"},
    {"in_kernel_tables", ParquetType::kBool, "", "A8 to A15 are made of its evaluation"},
    {"layer_id", ParquetType::kInt64, "", "span of the innermost layer around it, itself if it is one"},
    {"layer_index", ParquetType::kInt32, "", "the layer's place in its evaluation, as in A2"},
    {"layer_name", ParquetType::kText, "", "of that layer"},
    {"layer_type", ParquetType::kText, "", "of that layer"},
    {"layer_shape", ParquetType::kText, "", "of that layer"},
};

ParquetType parquet_type(SpanAttribute::Type type) {
  switch (type) {
    case SpanAttribute::Type::kInteger:
      return ParquetType::kInt64;
    case SpanAttribute::Type::kReal:
      return ParquetType::kDouble;
    case SpanAttribute::Type::kBool:
      return ParquetType::kBool;
    case SpanAttribute::Type::kText:
      break;
  }
  return ParquetType::kText;
}

std::vector<ParquetColumnReference> all_columns() {
  std::vector<ParquetColumnReference> all(std::begin(kSpanColumns), std::end(kSpanColumns));
  const auto add_attributes = [&](SpanAttribute::Of of) {
    for_each_column(of, [&](const SpanAttribute& attribute) {
      all.push_back({attribute.name, parquet_type(attribute.type), attribute.unit, attribute.meaning});
    });
  };
  add_attributes(SpanAttribute::Of::kSpans);
  all.insert(all.end(), std::begin(kEvaluationColumns), std::end(kEvaluationColumns));
  add_attributes(SpanAttribute::Of::kKernels);
  return all;
}

}  // namespace

std::span<const ParquetColumnReference> parquet_columns() {
  static const std::vector<ParquetColumnReference> columns = all_columns();
  return columns;
}

ParquetRows::ParquetRows(const ExportInput& input)
    : analysed_(input.analysed), trace_(input.analysed.trace), spans_(input.analysed) {
  for (const ParquetColumnReference& column : parquet_columns()) columns_.emplace_back(column.type);
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
  const bool kernel = span.kind == Kind::kKernel && span.execution != kNoExecution;
  add_attributes(SpanAttribute::Of::kKernels, {trace_, span, place, kernel ? spans_.metrics(span.execution) : nullptr},
                 kernel ? launch_configuration(spans_.shape(row)) : LaunchConfiguration());
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
  add_attributes(SpanAttribute::Of::kSpans, {trace_, span, place, nullptr}, {});
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

void ParquetRows::add_attributes(SpanAttribute::Of of, const AttributedSpan& span, const LaunchConfiguration& launch) {
  for_each_column(of, [&](const SpanAttribute& attribute) {
    const AttributeValue value = column_value(attribute, span, launch);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      add_own(*text);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      column().add(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      column().add_real(*real);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      column().add(int64_t{*flag});
    } else {
      column().add_null();
    }
  });
}

}  // namespace xsp::analysis
