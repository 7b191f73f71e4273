#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/tables/analyses.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/optimal_batch.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {
namespace {

struct Latency {
  double ns = 0;
  double spread_ns = 0;
  size_t n = 0;
};

double latency_in(const Study& study, std::vector<double>& latencies) {
  return study.options.per_trace ? std::accumulate(latencies.begin(), latencies.end(), 0.0)
                                 : evaluate(study.options.statistic, latencies);
}

Latency latency_of(const Study& study, const EvaluationGroup& group) {
  const auto used = used_evaluations(group, study.options);
  auto latencies = evaluation_latencies(study, used);
  Latency latency;
  latency.n = used.size();
  latency.ns = latency_in(study, latencies);
  latency.spread_ns = interquartile_range(latencies);
  return latency;
}

/// Inputs behind a latency: those of one batch, or of all with --per trace.
std::optional<double> inputs_of(const Study& study, const EvaluationGroup& group, size_t n) {
  if (!group.batch_size) return {};
  const auto batch = static_cast<double>(*group.batch_size);
  return study.options.per_trace ? batch * static_cast<double>(n) : batch;
}

/// Whether two groups differ in the batch only: one model (for PyTorch, whose names are classes, one instance) and
/// inputs of the same shapes but for their first dimensions.
bool of_one_sweep(const Study& study, const EvaluationGroup& a, const EvaluationGroup& b) {
  const Trace& trace = study.trace;
  return a.model == b.model && (a.scope == b.scope || a.kind == Kind::kOrtRun) &&
         shapes_of_any_batch(trace.text(a.input)) == shapes_of_any_batch(trace.text(b.input));
}

/// Throughput by batch size of the subject's model. Of several groups with one batch size the largest counts.
std::vector<BatchThroughput> throughputs(const Study& study) {
  std::map<int64_t, std::pair<size_t, BatchThroughput>> by_batch;
  const EvaluationGroup& subject = study.evaluations.groups[*study.subject];
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    if (!group.batch_size || !of_one_sweep(study, subject, group)) continue;
    const Latency latency = latency_of(study, group);
    const auto inputs = inputs_of(study, group, latency.n);
    if (!(latency.ns > 0)) continue;
    auto& [n, throughput] = by_batch[*group.batch_size];
    if (latency.n > n) {
      n = latency.n;
      throughput = {*group.batch_size, latency.ns / kNsPerMs, *inputs / latency.ns * kNsPerSecond};
    }
  }
  std::vector<BatchThroughput> result;
  for (const auto& [batch, entry] : by_batch) result.push_back(entry.second);
  return result;
}

void add_optimal_batch(const Study& study, Table* table) {
  const auto batches = throughputs(study);
  const EvaluationGroup& subject = study.evaluations.groups[*study.subject];
  Extra extra{"optimal_batch", {{"rule", {}}, {"max", {}}}};
  if (batches.size() < 2) {
    table->notes.emplace_back(
        "the optimal batch size needs several batch sizes of one model: record each, then xsp-report TRACE TRACE…");
  } else {
    const std::string what =
        model_label(study.trace, subject) + ", input " + shapes_of_any_batch(study.trace.text(subject.input));
    extra = optimal_batch(batches, study.options.optimal, what, &table->notes);
  }
  table->extras.push_back(std::move(extra));
}

}  // namespace

Table model_information(const Study& study) {
  Table table;
  table.columns = {{"batch_size", ""},
                   {"latency_ms", "ms"},
                   {"latency_per_input_ms", "ms"},
                   {"throughput_per_s", "1/s"},
                   {"n", ""},
                   {"spread", "ms"},
                   {"model", ""},
                   {"input", ""},
                   {"process", ""}};
  const bool asynchronous = !study.latencies.model.empty();
  if (asynchronous) table.columns.push_back({"host_ms", "ms"});
  bool lacks_batch = false;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const Latency latency = latency_of(study, group);
    const auto inputs = inputs_of(study, group, latency.n);
    lacks_batch |= !inputs;
    table.rows.push_back({group.batch_size ? Cell(*group.batch_size) : Cell(), cell(latency.ns / kNsPerMs),
                          inputs ? cell(latency.ns / kNsPerMs / *inputs) : Cell(),
                          inputs ? cell(*inputs / latency.ns * kNsPerSecond) : Cell(), count_cell(latency.n),
                          cell(latency.spread_ns / kNsPerMs), model_label(study.trace, group),
                          group.input == 0 ? Cell() : std::string(study.trace.text(group.input)),
                          process_label(study.trace, group.process)});
    if (!asynchronous) continue;
    auto host = host_latencies(study, used_evaluations(group, study.options));
    table.rows.back().push_back(cell(latency_in(study, host) / kNsPerMs));
  }
  table.rank_by = 4;
  if (std::string note = failed_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (table.rows.empty()) {
    table.notes.push_back(no_layers_note(study));
    table.lacks_data = true;
    return table;
  }
  table.notes.push_back(
      study.options.per_trace
          ? "latency is the total of all evaluations, no warm-up left out; spread is of one evaluation"
          : fmt::format("latency of a batch: {} of n evaluations{}; spread is the interquartile range",
                        study.options.statistic.description(),
                        study.options.skip ? fmt::format(", the first {} left out", *study.options.skip)
                                           : ", the first of more than two left out"));
  if (std::string note = device_latency_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = role_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (lacks_batch) {
    table.notes.emplace_back("batch_size is not known where the input's shape was not seen or does not begin with it");
    table.lacks_data = true;
  }
  if (std::string note = own_profiler_note(study); !note.empty()) table.notes.push_back(std::move(note));
  add_optimal_batch(study, &table);
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
