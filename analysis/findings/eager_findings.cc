#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "analysis/findings/families.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of the call, that its operators take; below it, running them one by one is what costs.
constexpr double kComputesPct = 60;

/// What runs in calls of Keras' layers outside of a graph: TensorFlow's operators, on the threads of the program.
struct EagerWork {
  double operators_ms = 0;  // per call
  double operators = 0;
  double layers = 0;
};

EagerWork find_eager_work(const Study& study) {
  const SpanTable& spans = study.trace.spans;
  std::unordered_map<Row, bool> used;
  for (const uint32_t evaluation : study.used) used[study.evaluations.root[evaluation]] = true;
  const auto is_inside = [&](Row row) {
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = study.parents.of[row]) {
      if (spans.level[row] == Level::kModel) return used.contains(row);
    }
    return false;
  };
  EagerWork work;
  for (Row row = 0; row < spans.size(); ++row) {
    const bool is_operator = spans.kind[row] == Kind::kOperator;
    if ((!is_operator && spans.kind[row] != Kind::kTorchModule) || !is_inside(row)) continue;
    if (!is_operator) {
      ++work.layers;
      continue;
    }
    work.operators_ms += static_cast<double>(spans.duration(row)) / kNsPerMs;
    ++work.operators;
  }
  const auto calls = static_cast<double>(std::max<size_t>(1, used.size()));
  return {
      .operators_ms = work.operators_ms / calls, .operators = work.operators / calls, .layers = work.layers / calls};
}

}  // namespace

void add_eager_dispatch(const Evidence& evidence, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  if (!evidence.has_evaluations() || study.levels.leveled || study.latencies.has_kernels) return;
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const auto step = evidence.step_ms();
  if (group.kind != Kind::kRun || !step || !(*step > 0)) return;
  const EagerWork work = find_eager_work(study);
  const double pct = 100 * work.operators_ms / *step;
  if (work.layers == 0 || work.operators == 0 || pct >= kComputesPct) return;
  findings->push_back(
      {.id = "eager-dispatch",
       .text = fmt::format("{:.0f} operators, run one by one from Python (eager mode), compute for {}; the rest "
                           "is the overhead of starting them",
                           work.operators, evidence.part_of_step(work.operators_ms)),
       .advice = "call the model in a tf.function, or by predict; --layers op shows the operators",
       .value = 100 - pct,
       .unit = "%",
       .table = std::string(kA6.id),
       .column = {},
       .key = {},
       .weight = std::min(0.99, (100 - pct) / 100),
       .gain_ms = *step - work.operators_ms,
       .share_pct = 100 - pct,
       .share_of = std::string(evidence.step_word())});
}

}  // namespace xsp::analysis
