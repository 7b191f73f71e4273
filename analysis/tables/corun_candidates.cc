#include "analysis/tables/corun_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/concurrency/co_run_pairs.h"
#include "analysis/concurrency/operation_graph.h"
#include "analysis/study/study.h"
#include "analysis/tables/corun_layers.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostCoRuns = 200;     // rows of the schedule
constexpr size_t kMostPairs = 50;       // rows besides
constexpr double kLeastJoinedPct = 50;  // of the layers' time

/// The graph with the times of its layers. Vertices of `graph` and operations have the same numbers.
struct CoRunModel {
  CoRunLayers layers;
  NodeJoin join;
  OperationGraph graph;
  std::vector<CoRunOperation> operations;
  double joined_pct = 0;  // of the layers' time
  double apart_ns = 0;    // layers that are no nodes, with their own numbers of threads
  size_t joined = 0;      // layers
  size_t timed = 0;       // of these, that have a time
};

CoRunModel corun_model(const Study& study) {
  CoRunModel model;
  model.layers = corun_layers(study);
  model.join = join_nodes(*study.options.concurrency.graph, named_layers(study));
  double all = 0;
  double joined = 0;
  for (size_t i = 0; i < model.layers.layers.size(); ++i) {
    const CoRunLayers::Layer& layer = model.layers.layers[i];
    all += layer.latency_ns;
    if (model.join.is_joined[i]) {
      ++model.joined;
      joined += layer.latency_ns;
      model.timed += layer.times.empty() ? 0 : 1;
    } else if (!layer.times.empty()) {
      model.apart_ns += layer.times[layer.own].ns;
    }
  }
  model.joined_pct = all > 0 ? 100 * joined / all : 0;
  return model;
}

void add_operations(CoRunModel* model) {
  for (const OperationGraph::Vertex& vertex : model->graph.vertices) {
    CoRunOperation& operation = model->operations.emplace_back();
    operation.after = vertex.after;
    if (vertex.layer == kNoLayerOfNode) continue;
    operation.times = model->layers.layers[vertex.layer].times;
    operation.own = model->layers.layers[vertex.layer].own;
  }
}

void add_row(const Study& study, const CoRunModel& model, const CoRunPair& pair, Table* table) {
  const auto name_of = [&](uint32_t operation) {
    return std::string(study.trace.text(study.joined.layers[model.graph.vertices[operation].layer].name));
  };
  TableRow row = table->add_row();
  row.set(kE3.layer_a, name_of(pair.a));
  row.set(kE3.layer_b, name_of(pair.b));
  row.set(kE3.threads_a, count_cell(pair.threads_a));
  row.set(kE3.threads_b, count_cell(pair.threads_b));
  row.set(kE3.idle_cores, count_cell(pair.idle_cores));
  row.set(kE3.remaining_a_ms, cell(pair.remaining_a_ns / kNsPerMs));
  row.set(kE3.latency_b_ms, cell(pair.latency_b_ns / kNsPerMs));
  row.set(kE3.strategy, count_cell(static_cast<uint64_t>(pair.strategy)));
  row.set(kE3.serial_ms, cell(pair.serial_ns / kNsPerMs));
  row.set(kE3.corun_ms, cell(pair.corun_ns / kNsPerMs));
  row.set(kE3.gain_ms, cell(pair.gain_ns() / kNsPerMs));
  row.set(kE3.gain_pct, pair.corun_ns > 0 ? cell(100 * pair.gain_ns() / pair.corun_ns) : Cell());
  row.set(kE3.graph, std::string("onnx"));
}

void add_schedule(const CoRunModel& model, const CoRunPlan& plan, Table* table) {
  Extra& extra = table->extras.emplace_back();
  extra.name = corun_extras::kSchedule;
  const auto add = [&](std::string_view name, Cell value) { extra.fields.emplace_back(name, std::move(value)); };
  const bool is_known = !plan.launches.empty();
  add(corun_extras::kAverage, is_known ? cell(plan.average_running) : Cell());
  add(corun_extras::kMakespanMs, is_known ? cell((plan.makespan_ns + model.apart_ns) / kNsPerMs) : Cell());
  add(corun_extras::kSerialMs, is_known ? cell((plan.serial_ns + model.apart_ns) / kNsPerMs) : Cell());
}

std::string join_note(const Study& study, const CoRunModel& model) {
  return fmt::format("{} of {} layers, {:.1f} % of their time, have the name of a node of {}", model.joined,
                     model.layers.layers.size(), model.joined_pct, message_text(study.options.concurrency.graph_file));
}

/// Why nothing can be said of these times; empty: it can.
std::string times_problem(const CoRunModel& model) {
  constexpr const char* kMeasure = "xsp-bench --threads -- COMMAND measures several numbers";
  const CoRunLayers& layers = model.layers;
  if (layers.counts.empty()) {
    return fmt::format("with how many threads these layers were computed is not known: {}", kMeasure);
  }
  if (model.timed == 0) {
    return fmt::format("no layer was measured with a number of threads that fits {}: {}", plural(layers.cores, "core"),
                       kMeasure);
  }
  if (layers.counts.size() == 1 && 2 * layers.counts.front() > layers.cores && !layers.has_siblings) {
    return fmt::format(
        "the layers were measured with {} alone, and two of them do not fit into {}: what they take with fewer is not "
        "known; {}",
        plural(layers.counts.front(), "thread"), plural(layers.cores, "core"), kMeasure);
  }
  return {};
}

/// What the rows are.
struct FoundCoRuns {
  CoRunPlan plan;
  size_t co_runs = 0;    // of the plan
  size_t scheduled = 0;  // of these, those that have rows
  size_t others = 0;     // rows of other pairs
  CoRunPairs pairs;
};

FoundCoRuns add_rows(const Study& study, const CoRunModel& model, Table* table) {
  const CoRunOptions corun{model.layers.cores, model.layers.has_siblings};
  FoundCoRuns found;
  found.plan = plan_co_running(model.operations, corun);
  const std::vector<CoRunPair> co_runs = co_runs_of(model.operations, found.plan);
  found.co_runs = co_runs.size();
  found.scheduled = std::min(co_runs.size(), kMostCoRuns);
  std::set<std::pair<uint32_t, uint32_t>> shown;
  for (size_t i = 0; i < found.scheduled; ++i) {
    shown.insert(std::minmax(co_runs[i].a, co_runs[i].b));
    add_row(study, model, co_runs[i], table);
  }
  found.pairs = best_pairs(model.operations, corun, kMostPairs + found.scheduled);
  for (const CoRunPair& pair : found.pairs.best) {
    if (shown.contains(std::minmax(pair.a, pair.b))) continue;
    if (found.others == kMostPairs) {
      found.pairs.has_more = true;
      break;
    }
    add_row(study, model, pair, table);
    ++found.others;
  }
  return found;
}

std::string rows_text(const char* which, size_t count) {
  return count == 1 ? fmt::format("the {} row is", which) : fmt::format("the {} {} rows are", which, count);
}

/// What the rows show.
void add_row_notes(const CoRunModel& model, const FoundCoRuns& found, std::vector<std::string>* notes) {
  if (found.scheduled > 0) {
    notes->push_back(fmt::format(
        "{} in order of time what strategies 3 and 4 of Liu et al. run together: makespan_ms {:.4g} instead of {:.4g} "
        "one after another, {:.2f} layers at a time where one begins or ends",
        rows_text("first", found.scheduled), (found.plan.makespan_ns + model.apart_ns) / kNsPerMs,
        (found.plan.serial_ns + model.apart_ns) / kNsPerMs, found.plan.average_running));
  } else {
    notes->emplace_back("strategies 3 and 4 of Liu et al. run nothing together here: makespan_ms is serial_ms");
  }
  if (found.co_runs > found.scheduled) {
    notes->push_back(fmt::format("{} more that they run together are left out", found.co_runs - found.scheduled));
  }
  if (found.others > 0) {
    notes->push_back(fmt::format(
        "{} what would gain most by beginning together{}; that is not in makespan_ms, as the strategies give a layer "
        "that begins alone its best number of threads",
        rows_text(found.scheduled > 0 ? "other" : "first", found.others),
        found.pairs.has_more ? ", other pairs are left out" : ""));
  }
  if (found.pairs.not_examined > 0) {
    notes->push_back(fmt::format("pairs with the {} shortest layers were not looked for: the graph has too many",
                                 found.pairs.not_examined));
  }
  if (found.scheduled + found.others > 0) return;
  notes->emplace_back(found.pairs.has_independent
                          ? "some layers do not wait for one another, but none gains by running beside another"
                          : "of any two layers one waits for the other: none can run beside another");
}

void add_notes(const CoRunModel& model, const FoundCoRuns& found, std::vector<std::string>* notes) {
  notes->push_back(fmt::format("times: {}; {}", model.layers.times_from, plural(model.layers.cores, "core")));
  if (model.layers.is_busy) {
    notes->emplace_back("the machine was busy while this was measured: more threads look worse than they are");
  }
  if (model.timed < model.joined) {
    notes->push_back(
        fmt::format("{} of these layers have no time with a number of threads that fits, and count as none",
                    model.joined - model.timed));
  }
  add_row_notes(model, found, notes);
  if (model.apart_ns > 0) {
    notes->emplace_back("layers that are no nodes of the graph run alone in makespan_ms and serial_ms");
  }
  if (found.scheduled + found.others == 0) return;
  notes->emplace_back(
      "a what-if: that layers which run together slow each other down, by caches and memory they share, is not in "
      "these times. Of two operations for which such times say 25.4 s, Liu et al. measured 29.8 s (Table III)");
  notes->emplace_back(
      "eager PyTorch runs one operator after another; ONNX Runtime runs several at once only in its parallel "
      "execution mode, where threads that wait for work take processor time");
}

}  // namespace

Table corun_candidates(const Study& study) {
  Table table = make_table(kE3, study);
  const ConcurrencyOptions& options = study.options.concurrency;
  add_schedule({}, {}, &table);
  table.lacks_data = true;
  if (study.joined.layers.empty()) {
    table.notes.push_back(no_layers_note(study));
    return table;
  }
  if (study.options.per_trace || study.without_models) {
    table.notes.emplace_back("what could run together is a question about one call of a model, not about totals");
    return table;
  }
  if (options.graph == nullptr) {
    table.notes.emplace_back(
        "the order of layers does not tell which of them wait for others: give the model as --graph MODEL.onnx");
    return table;
  }
  CoRunModel model = corun_model(study);
  table.notes.push_back(join_note(study, model));
  if (model.joined_pct < kLeastJoinedPct) {
    table.notes.push_back(fmt::format(
        "too few to tell anything ({:.0f} % is the least): is it the graph of another model, or one with other names?",
        kLeastJoinedPct));
    return table;
  }
  if (std::string problem = times_problem(model); !problem.empty()) {
    table.notes.push_back(std::move(problem));
    return table;
  }
  table.lacks_data = false;
  model.graph = contract(*options.graph, model.join);
  add_operations(&model);
  const FoundCoRuns found = add_rows(study, model, &table);
  table.extras.clear();
  add_schedule(model, found.plan, &table);
  add_notes(model, found, &table.notes);
  return table;
}

}  // namespace xsp::analysis
