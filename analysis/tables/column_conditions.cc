#include "analysis/tables/column_conditions.h"

#include <algorithm>

#include "analysis/study/thread_sweep.h"

namespace xsp::analysis {

bool models_outlast_calls(const Study& study) { return !study.latencies.model.empty(); }

bool layers_outlast_calls(const Study& study) { return !study.latencies.layers.empty(); }

bool has_devices(const Study& study) { return !study.trace.devices.empty(); }

bool knows_modes(const Study& study) {
  return std::any_of(study.groups.begin(), study.groups.end(),
                     [&](uint32_t group) { return study.evaluations.groups[group].phases.mode != Mode::kUnknown; });
}

bool has_thread_settings(const Study& study) {
  return std::any_of(study.groups.begin(), study.groups.end(),
                     [&](uint32_t group) { return study.evaluations.groups[group].threads != EvaluationThreads(); });
}

bool has_thread_curves(const Study& study) {
  return study.options.concurrency.curves != nullptr || thread_sweep(study) != nullptr;
}

bool has_co_run_input(const Study& study) {
  return study.options.concurrency.graph != nullptr || has_thread_curves(study);
}

bool has_kernels(const Study& study) { return !study.kernels.kernels.empty(); }

bool has_backward_work(const Study& study) {
  const auto& layers = study.joined.layers;
  return !study.backward.ns.empty() &&
         std::any_of(layers.begin(), layers.end(), [](const JoinedLayer& layer) { return layer.backward_ns != 0; });
}

bool has_intervals(const Study& study) { return !study.options.per_trace; }

bool is_leveled(const Study& study) { return study.levels.leveled; }

}  // namespace xsp::analysis
