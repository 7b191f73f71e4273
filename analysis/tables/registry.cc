#include "analysis/tables/registry.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/tables/analyses.h"
#include "analysis/tables/continuous_tables.h"
#include "analysis/tables/level_tables.h"
#include "analysis/tables/model_sweeps.h"

namespace xsp::analysis {
namespace {

/// Beside a model's training and its evaluation.
bool has_several_sweeps(const Study& study) {
  const std::vector<ModelSweep> sweeps = model_sweeps(study);
  return std::any_of(sweeps.begin(), sweeps.end(),
                     [&](const ModelSweep& sweep) { return !is_of_same_model(sweep, sweeps.front()); });
}

constexpr std::array kAnalyses = {
    Analysis{"A1", "model information", model_information},
    Analysis{"A2", "layer information", layer_information},
    Analysis{"A3", "layer latency in execution order", layer_latency},
    Analysis{"A4", "layer memory in execution order", layer_memory},
    Analysis{"A5", "layer type distribution", layer_type_distribution},
    Analysis{"A6", "latency by layer type", latency_by_layer_type},
    Analysis{"A7", "memory by layer type", memory_by_layer_type},
    Analysis{"A8", "kernel information", kernel_information},
    Analysis{"A9", "kernel roofline", kernel_roofline},
    Analysis{"A10", "kernels by name", kernels_by_name},
    Analysis{"A11", "kernels by layer", kernels_by_layer},
    Analysis{"A12", "metrics by layer", metrics_by_layer},
    Analysis{"A13", "GPU and non-GPU latency by layer", gpu_latency},
    Analysis{"A14", "layer roofline", layer_roofline},
    Analysis{"A15", "kernels by model", kernels_by_model},
    Analysis{"C1", "library calls", library_calls},
    Analysis{"C2", "library calls by function", library_functions},
    Analysis{"D1", "iterations", iterations},
    Analysis{"D2", "iteration statistics", iteration_statistics},
    Analysis{"D3", "streams", streams},
    Analysis{"D4", "diagnosis", diagnosis_table},
    Analysis{"L1", "levels", levels, has_several_level_sets},
    Analysis{"M1", "models", models, has_several_sweeps},
    Analysis{"Q1", "quality of the trace", trace_quality},
    Analysis{"Q2", "all spans by name", spans_by_name, has_aggregates},
    Analysis{"Q3", "spans over time", spans_over_time, has_aggregates},
};

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string known_ids() {
  std::string ids;
  for (const Analysis& analysis : kAnalyses) {
    if (!ids.empty()) ids += ' ';
    ids += analysis.id;
  }
  return ids;
}

void add(const Analysis& analysis, std::vector<const Analysis*>* chosen) {
  if (std::find(chosen->begin(), chosen->end(), &analysis) == chosen->end()) chosen->push_back(&analysis);
}

}  // namespace

std::span<const Analysis> analyses() { return kAnalyses; }

Status choose_analyses(const std::vector<std::string>& ids, std::vector<const Analysis*>* chosen) {
  for (const std::string& id : ids.empty() ? std::vector<std::string>{"all"} : ids) {
    if (upper(id) == "ALL") {
      for (const Analysis& analysis : kAnalyses) {
        if (analysis.compute != nullptr) add(analysis, chosen);
      }
      continue;
    }
    const auto found = std::find_if(kAnalyses.begin(), kAnalyses.end(),
                                    [&](const Analysis& analysis) { return analysis.id == upper(id); });
    if (found == kAnalyses.end()) {
      return {"unknown analysis '" + id + "' (known: " + known_ids() + ")", "give ids separated by commas, or all"};
    }
    add(*found, chosen);
  }
  return {};
}

Table run_analysis(const Analysis& analysis, const Study& study) {
  Table table;
  if (analysis.compute != nullptr) {
    table = analysis.compute(study);
  } else {
    table.notes.emplace_back("not in this version of xsp-report");
    table.lacks_data = true;
  }
  table.id = analysis.id;
  table.title = analysis.title;
  return table;
}

}  // namespace xsp::analysis
