#include <algorithm>
#include <set>
#include <string>

#include "analysis/export/exported_spans.h"
#include "analysis/export/span_attributes.h"
#include "analysis/export/sqlite_file.h"
#include "analysis/iterations/iteration_spans.h"
#include "analysis/iterations/kind_names.h"
#include "analysis/study/process_labels.h"

namespace xsp::analysis {
namespace {

class SpanWriter {
 public:
  SpanWriter(const ExportInput& input, SqliteDatabase* database)
      : input_(input), spans_(input.analysed), trace_(input.analysed.trace), database_(database) {}

  void write() {
    SqliteInsertion(database_, "meta", 2)
        .add_text("clock")
        .add_text(spans_.is_realtime() ? "CLOCK_REALTIME" : "CLOCK_MONOTONIC")
        .end();
    write_names();
    write_runs();
    write_processes();
    write_devices();
    write_evaluations();
    write_spans();
    write_kernels();
    write_arguments();
  }

 private:
  SqliteInsertion insertion(std::string_view name) {
    const auto tables = sqlite_span_tables();
    const auto found =
        std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.name == name; });
    return {database_, name, found->columns.size()};
  }

  /// Kernels have names of their own, because theirs are shown demangled.
  int64_t name_id(Row row) const {
    const int64_t id = trace_.spans.name[row];
    const bool mangled = trace_.spans.kind[row] == Kind::kKernel;
    return mangled ? id + static_cast<int64_t>(trace_.strings.size()) : id;
  }

  void write_names() {
    SqliteInsertion strings = insertion("strings");
    for (uint32_t id = 1; id < trace_.strings.size(); ++id) strings.add(int64_t{id}).add_text(spans_.text(id)).end();
    std::vector<bool> written(trace_.strings.size());
    for (const Row row : trace_.executions.row) {
      const uint32_t id = trace_.spans.name[row];
      if (trace_.spans.kind[row] != Kind::kKernel || id == 0 || written[id]) continue;
      written[id] = true;
      strings.add(name_id(row)).add_text(spans_.name(row)).end();
    }
    SqliteInsertion levels = insertion("levels");
    for (size_t level = 0; level < kLevelCount; ++level) {
      levels.add(static_cast<int64_t>(level)).add_text(kLevelNames[level]).end();
    }
    SqliteInsertion kinds = insertion("kinds");
    for (int64_t i = 0; i <= static_cast<int64_t>(kIterationKind); ++i) {
      const auto kind = static_cast<Kind>(i);
      kinds.add(i).add_text(kind_name(kind)).add_text(tracer_name(kind)).end();
    }
  }

  void write_runs() {
    SqliteInsertion runs = insertion("runs");
    for (size_t i = 0; i < trace_.segments.size(); ++i) {
      const Segment& segment = trace_.segments[i];
      runs.add(static_cast<int64_t>(i)).add_copy(trace_.files[segment.file].path).add_copy(segment.hostname);
      runs.add_copy(segment.source).add_copy(segment.requested_level);
      if (segment.run) {
        runs.add_copy(segment.run->set).add(int64_t{segment.run->index}).add(int64_t{segment.run->repetition});
      } else {
        runs.add_null().add_null().add_null();
      }
      runs.add_unless(segment.realtime_offset_ns, 0).end();
    }
  }

  void write_processes() {
    SqliteInsertion processes = insertion("processes");
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) {
      const Process& process = trace_.processes[i];
      const std::string* rank = process.variable("RANK");
      std::string command;
      for (const std::string& argument : process.command) command += (command.empty() ? "" : " ") + argument;
      processes.add(int64_t{i}).add(int64_t{process.segment}).add_copy(spans_.process_label(i));
      processes.add_unless(process.pid, 0).add_unless(process.parent_pid, 0).add_copy(rank == nullptr ? "" : *rank);
      processes.add_copy(process.executable).add_copy(input_.with_command ? command : "");
      processes.add(static_cast<int64_t>(process.spans)).end();
    }
    SqliteInsertion threads = insertion("threads");
    for (const ExportedTrack& track : spans_.tracks()) {
      if (track.what != ExportedTrack::What::kThread) continue;
      threads.add(int64_t{track.process}).add(int64_t{track.thread}).add(static_cast<int64_t>(track.count)).end();
    }
  }

  void write_devices() {
    SqliteInsertion devices = insertion("devices");
    for (const Device& device : trace_.devices) {
      const std::string capability =
          std::to_string(device.compute_capability_major) + "." + std::to_string(device.compute_capability_minor);
      devices.add(int64_t{device.process}).add(int64_t{device.index}).add_copy(device.name);
      devices.add_copy(device.compute_capability_major == 0 ? "" : capability).add_unless(device.multiprocessors, 0);
      devices.add_unless(static_cast<int64_t>(device.memory_bytes), 0).add_unless(device.clock_khz, 0);
      devices.add_unless(static_cast<int64_t>(device.memory_bandwidth), 0).end();
    }
    SqliteInsertion streams = insertion("streams");
    for (size_t i = 0; i < trace_.queues.size(); ++i) {
      const Queue& queue = trace_.queues[i];
      streams.add(static_cast<int64_t>(i)).add(int64_t{queue.process}).add(int64_t{queue.device});
      streams.add(int64_t{queue.context}).add(int64_t{queue.stream}).end();
    }
  }

  void write_evaluations() {
    const Evaluations& all = input_.analysed.evaluations;
    const Study& study = *input_.analysed.study;
    const std::set<uint32_t> of_layers(study.joined.joined.begin(), study.joined.joined.end());
    const std::set<uint32_t> of_kernels(study.kernels.evaluations.begin(), study.kernels.evaluations.end());
    std::vector<int64_t> count(trace_.processes.size());
    SqliteInsertion evaluations = insertion("evaluations");
    for (uint32_t i = 0; i < all.root.size(); ++i) {
      const ExportedSpan root = spans_.of(all.root[i]);
      evaluations.add(int64_t{i}).add(int64_t{root.process}).add(++count[root.process]).add(int64_t{root.row});
      evaluations.add_copy(spans_.name(root.row)).add_copy(spans_.text(trace_.spans.scope[root.row]));
      const std::string input(spans_.input(root.row));
      evaluations.add_copy(input);
      const std::optional<int64_t> batch = leading_dimension(input);
      if (batch) {
        evaluations.add(*batch);
      } else {
        evaluations.add_null();
      }
      evaluations.add(root.begin).add(root.end).add(int64_t{of_layers.count(i) != 0});
      evaluations.add(int64_t{of_kernels.count(i) != 0}).end();
    }
  }

  void write_spans() {
    SqliteInsertion rows = insertion("span_rows");
    const auto add_row = [&](uint32_t row) { rows.add_unless(row, kNoRow); };
    for (Row row = 0; row < trace_.spans.size() && !database_->failed(); ++row) {
      const ExportedSpan span = spans_.of(row);
      const SpanPlace place = spans_.place(span);
      const bool executed = span.execution != kNoExecution;
      rows.add(int64_t{row}).add(int64_t{span.process}).add_unless(span.thread, 0);
      rows.add_unless(executed ? int64_t{trace_.executions.queue[span.execution]} : -1, -1);
      rows.add(static_cast<int64_t>(span.level)).add(static_cast<int64_t>(span.kind));
      rows.add_unless(trace_.spans.name[row] == 0 ? 0 : name_id(row), 0).add_unless(trace_.spans.type[row], 0);
      rows.add_unless(trace_.spans.shape[row], 0).add(span.begin).add(span.end);
      add_row(span.parent);
      rows.add_unless(place.evaluation, kNoEvaluation);
      add_row(place.layer);
      rows.add_unless(place.layer_index, SpanPlace::kNoLayer);
      add_row(place.library_call);
      add_row(place.launch);
      add_attributes(SpanAttribute::Of::kSpans, {trace_, span, place, nullptr}, {}, &rows);
      rows.end();
    }
    // After the rows: building an index at once is faster than row by row.
    database_->run(
        "CREATE INDEX span_rows_by_layer ON span_rows (evaluation_id, layer_index) WHERE evaluation_id IS NOT NULL");
  }

  void write_kernels() {
    SqliteInsertion kernels = insertion("kernel_rows");
    for (uint32_t i = 0; i < trace_.executions.size(); ++i) {
      const Row row = trace_.executions.row[i];
      if (trace_.spans.kind[row] != Kind::kKernel) continue;
      kernels.add(int64_t{row});
      const ExportedSpan span = spans_.of(row);
      add_attributes(SpanAttribute::Of::kKernels, {trace_, span, SpanPlace(), spans_.metrics(i)},
                     launch_configuration(spans_.shape(row)), &kernels);
      kernels.end();
    }
  }

  static void add_attributes(SpanAttribute::Of of, const AttributedSpan& span, const LaunchConfiguration& launch,
                             SqliteInsertion* to) {
    for_each_column(of, [&](const SpanAttribute& attribute) {
      const AttributeValue value = column_value(attribute, span, launch);
      if (const auto* text = std::get_if<std::string_view>(&value)) {
        to->add_text(*text);
      } else if (const auto* integer = std::get_if<int64_t>(&value)) {
        to->add(*integer);
      } else if (const auto* real = std::get_if<double>(&value)) {
        to->add_real(*real);
      } else if (const auto* flag = std::get_if<bool>(&value)) {
        to->add(int64_t{*flag});
      } else {
        to->add_null();
      }
    });
  }

  void write_arguments() {
    SqliteInsertion arguments = insertion("arguments");
    for (Row row = 0; row < trace_.spans.arguments.size(); ++row) {
      spans_.for_each_argument(row, [&](const SpanArgument& argument) {
        arguments.add(int64_t{row}).add_copy(argument.name);
        switch (argument.kind) {
          case SpanArgument::Kind::kInteger:
            arguments.add(argument.integer);
            break;
          case SpanArgument::Kind::kNumber:
            arguments.add_real(argument.number);
            break;
          case SpanArgument::Kind::kText:
            arguments.add_copy(argument.text);
            break;
        }
        arguments.end();
      });
    }
  }

  const ExportInput& input_;
  ExportedSpans spans_;
  const Trace& trace_;
  SqliteDatabase* database_;
};

}  // namespace

void write_sqlite_spans(const ExportInput& input, SqliteDatabase* database) {
  SpanWriter(input, database).write();
  SqliteInsertion tables(database, "tables", 2);
  for (const SqliteView& view : sqlite_views()) {
    database->run("CREATE VIEW " + sql_name(view.name) + " AS " + view.query);
    tables.add_text(view.name).add_text(view.meaning).end();
  }
}

}  // namespace xsp::analysis
