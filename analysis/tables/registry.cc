#include "analysis/tables/registry.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/tables/co_scheduling.h"
#include "analysis/tables/concurrency_advice.h"
#include "analysis/tables/concurrency_curves.h"
#include "analysis/tables/corun_candidates.h"
#include "analysis/tables/diagnosis_table.h"
#include "analysis/tables/folded_pattern_table.h"
#include "analysis/tables/gpu_latency.h"
#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/kernel_information.h"
#include "analysis/tables/kernel_roofline.h"
#include "analysis/tables/kernel_waves.h"
#include "analysis/tables/kernels_by_layer.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/kernels_by_name.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_latency.h"
#include "analysis/tables/layer_memory.h"
#include "analysis/tables/layer_roofline.h"
#include "analysis/tables/layer_type_distribution.h"
#include "analysis/tables/levels.h"
#include "analysis/tables/library_calls.h"
#include "analysis/tables/library_functions.h"
#include "analysis/tables/memory_by_layer_type.h"
#include "analysis/tables/metrics_by_layer.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/models.h"
#include "analysis/tables/nested_picture.h"
#include "analysis/tables/spans_by_name.h"
#include "analysis/tables/spans_over_time.h"
#include "analysis/tables/streams.h"
#include "analysis/tables/trace_quality.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

/// Analyses in the order of reports, then the parts that their tables have.
constexpr auto kTables = std::to_array<const TableDefinition*>({
    &kA1,            // model information
    &kA2,            // layer information
    &kA3,            // layer latency in execution order
    &kA4,            // layer memory in execution order
    &kA5,            // layer type distribution
    &kA6,            // latency by layer type
    &kA7,            // memory by layer type
    &kA8,            // kernel information
    &kA9,            // kernel roofline
    &kA10,           // kernels by name
    &kA11,           // kernels by layer
    &kA12,           // metrics by layer
    &kA13,           // GPU and non-GPU latency by layer
    &kA14,           // layer roofline
    &kA15,           // kernels by model
    &kC1,            // library calls
    &kC2,            // library calls by function
    &kD1,            // iterations
    &kD2,            // iteration statistics
    &kD3,            // streams
    &kD4,            // diagnosis
    &kE1,            // concurrency curves
    &kE2,            // advice on threads
    &kE3,            // co-run candidates
    &kL1,            // levels
    &kM1,            // models
    &kR1,            // waves and tail
    &kR2,            // co-scheduling bound
    &kQ1,            // quality of the trace
    &kQ2,            // all spans by name
    &kQ3,            // spans over time
    &kD1Folded,      // pattern of an iteration, repeats folded
    &kD2Iterations,  // the metrics of each iteration
    &kD2States,      // the state graph
    &kL1Nested,      // nested events of each level set
    &kR1Waves,       // kernel time by waves
    &kR2Packing,     // where kernels run when packed
});

bool is_part(const TableDefinition* table) { return table->compute == nullptr; }

constexpr bool has_each_id_once() {
  for (size_t i = 0; i < kTables.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (kTables[i]->id == kTables[k]->id) return false;
    }
  }
  return true;
}
static_assert(has_each_id_once());

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The tables that were probably meant: by a word of their titles, else by their ids.
std::string table_hint(const std::string& given) {
  constexpr size_t kShortestWord = 4;
  constexpr const char* kAll = "xsp-report --help lists the tables";
  std::vector<std::string> ids;
  std::string by_title;
  for (const TableDefinition* analysis : analyses()) {
    ids.emplace_back(analysis->id);
    if (given.size() < kShortestWord || lower(analysis->title).find(lower(given)) == std::string::npos) continue;
    by_title.append(by_title.empty() ? "" : ", ").append(analysis->id).append(" (").append(analysis->title).append(")");
  }
  if (!by_title.empty()) return "did you mean " + by_title + "? " + kAll;
  return choice_hint(given, ids, "all");
}

void add(const TableDefinition* analysis, std::vector<const TableDefinition*>* chosen) {
  if (std::find(chosen->begin(), chosen->end(), analysis) == chosen->end()) chosen->push_back(analysis);
}

}  // namespace

std::span<const TableDefinition* const> analyses() {
  // Not a constant: with -fsanitize=undefined gcc 12 refuses the comparison with null in one (its bug 71962).
  static const auto count =
      static_cast<size_t>(std::find_if(kTables.begin(), kTables.end(), is_part) - kTables.begin());
  return table_definitions().first(count);
}

std::span<const TableDefinition* const> table_definitions() { return kTables; }

const TableDefinition* table_definition(std::string_view id) {
  const auto found =
      std::find_if(kTables.begin(), kTables.end(), [&](const TableDefinition* table) { return table->id == id; });
  return found == kTables.end() ? nullptr : *found;
}

const TableDefinition* definition_of(std::string_view id, const Table& table) {
  const TableDefinition* known = table_definition(id);
  return known != nullptr ? known : table.definition;
}

const ColumnDefinition* column_definition(std::string_view table, std::string_view column) {
  const TableDefinition* definition = table_definition(table);
  return definition == nullptr ? nullptr : definition->column(column);
}

Status choose_analyses(const std::vector<std::string>& ids, std::vector<const TableDefinition*>* chosen) {
  for (const std::string& id : ids.empty() ? std::vector<std::string>{"all"} : ids) {
    const std::string wanted = upper(id);
    if (wanted == "ALL") {
      for (const TableDefinition* analysis : analyses()) add(analysis, chosen);
      continue;
    }
    const TableDefinition* found = table_definition(wanted);
    if (found == nullptr || is_part(found)) {
      return {"unknown table '" + id + "'", table_hint(id)};
    }
    add(found, chosen);
  }
  return {};
}

}  // namespace xsp::analysis
