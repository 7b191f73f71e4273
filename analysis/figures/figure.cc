#include "analysis/figures/figure.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/figures/continuous_figures.h"
#include "analysis/figures/distribution_figures.h"
#include "analysis/figures/iteration_figures.h"
#include "analysis/figures/layer_figures.h"
#include "analysis/figures/level_figures.h"
#include "analysis/figures/roofline_figures.h"
#include "analysis/figures/sweep_figures.h"

namespace xsp::analysis {
namespace {

struct Maker {
  std::string_view table;
  std::vector<Figure> (*make)(const Table& table);
};

constexpr std::array kMakers = {
    Maker{"A1", sweep_figures},
    Maker{"A2", longest_layer_figures},
    Maker{"A3", layer_latency_figures},
    Maker{"A4", layer_memory_figures},
    Maker{"A5", layer_type_figures},
    Maker{"A6", latency_by_type_figures},
    Maker{"A7", memory_by_type_figures},
    Maker{"A8", kernel_latency_figures},
    Maker{"A9", roofline_figures_of},
    Maker{"A10", kernels_by_name_figures},
    Maker{"A11", kernels_by_layer_figures},
    Maker{"A12", layer_metrics_figures},
    Maker{"A13", gpu_latency_figures},
    Maker{"A14", roofline_figures_of},
    Maker{"A15", roofline_figures_of},
    Maker{"C2", library_function_figures},
    Maker{"D1", iteration_figures},
    Maker{"D2", loop_figures},
    Maker{"L1", level_figures},
    Maker{"M1", model_figures},
    Maker{"M1", roofline_figures_of},
    Maker{"Q3", spans_over_time_figures},
};

}  // namespace

std::vector<Figure> figures_of(const Table& table) {
  std::vector<Figure> figures;
  for (const Maker& maker : kMakers) {
    if (maker.table != table.id || table.rows.empty()) continue;
    for (Figure& figure : maker.make(table)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace xsp::analysis
