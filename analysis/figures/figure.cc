#include "analysis/figures/figure.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/figures/concurrency_figures.h"
#include "analysis/figures/continuous_figures.h"
#include "analysis/figures/distribution_figures.h"
#include "analysis/figures/iteration_figures.h"
#include "analysis/figures/layer_figures.h"
#include "analysis/figures/level_figures.h"
#include "analysis/figures/packing_figures.h"
#include "analysis/figures/roofline_figures.h"
#include "analysis/figures/sweep_figures.h"
#include "analysis/figures/wave_figures.h"
#include "analysis/tables/co_scheduling.h"
#include "analysis/tables/concurrency_curves.h"
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
#include "analysis/tables/library_functions.h"
#include "analysis/tables/memory_by_layer_type.h"
#include "analysis/tables/metrics_by_layer.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/models.h"
#include "analysis/tables/spans_over_time.h"

namespace xsp::analysis {
namespace {

struct Maker {
  const TableDefinition& of;
  std::vector<Figure> (*make)(const Table& table);
};

constexpr std::array kMakers = {
    Maker{kA1, sweep_figures},
    Maker{kA2, longest_layer_figures},
    Maker{kA3, layer_latency_figures},
    Maker{kA4, layer_memory_figures},
    Maker{kA5, layer_type_figures},
    Maker{kA6, latency_by_type_figures},
    Maker{kA7, memory_by_type_figures},
    Maker{kA8, kernel_latency_figures},
    Maker{kA9, roofline_figures_of},
    Maker{kA10, kernels_by_name_figures},
    Maker{kA11, kernels_by_layer_figures},
    Maker{kA12, layer_metrics_figures},
    Maker{kA13, gpu_latency_figures},
    Maker{kA14, roofline_figures_of},
    Maker{kA15, roofline_figures_of},
    Maker{kC2, library_function_figures},
    Maker{kD1, iteration_figures},
    Maker{kD2, loop_figures},
    Maker{kE1, concurrency_figures},
    Maker{kL1, level_figures},
    Maker{kM1, model_figures},
    Maker{kM1, roofline_figures_of},
    Maker{kR1, wave_figures},
    Maker{kR2, packing_figures},
    Maker{kQ3, spans_over_time_figures},
};

}  // namespace

std::vector<Figure> figures_of(const Table& table) {
  std::vector<Figure> figures;
  for (const Maker& maker : kMakers) {
    if (maker.of.id != table.id || table.rows.empty()) continue;
    for (Figure& figure : maker.make(table)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace xsp::analysis
