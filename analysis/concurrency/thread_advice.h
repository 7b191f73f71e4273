#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/concurrency/switch_costs.h"
#include "analysis/concurrency/thread_curve.h"

namespace xsp::analysis {

/// A layer of a model, or an operation of --curves.
struct LayerCurve {
  uint32_t index = 0;  // in execution order
  std::string name;
  std::string type;
  std::string shape;
  std::optional<double> input_elements;
  ThreadCurve curve;
};

/// What was measured of a model with several numbers of threads.
struct ModelCurves {
  std::string name;
  ThreadCurve model;               // empty: only its layers are known
  std::vector<LayerCurve> layers;  // in execution order
  uint32_t own = 0;                // threads without any advice; 0: not known
  std::vector<SwitchCost> switches;
  bool is_busy = false;  // others wanted the processors while this was measured
};

enum class AdviceRule {
  kWholeRun,  // one number for everything
  kLayer,     // the paper's strategy 1: each layer with the number that is best for it
  kType,      // strategy 2: layers of one type with the number that is best for the one with the largest input
};

enum class AdviceVerdict {
  kChange,
  kKeep,         // the own number is the best, or switching costs what it gains
  kWithinNoise,  // the gain cannot be told from noise
  kMachineBusy,  // nothing is advised from what was measured beside others
};

/// What another number of threads gains. Times in ns; what is not known is nothing.
struct ThreadAdvice {
  AdviceRule rule = AdviceRule::kWholeRun;
  std::optional<size_t> layer;  // of ModelCurves::layers, of kLayer
  std::string type;             // of kType
  uint32_t now = 0;             // 0: not known
  uint32_t best = 0;
  std::optional<double> now_ns, best_ns, gain_ns;
  Interval gain;                 // of gain_ns; unknown where the values do not tell, and where nothing changes
  Switches switches;             // where nothing but this advice is followed; none for a whole run, which changes once
  std::optional<double> net_ns;  // gain less switches
  /// Nothing where the own number or its time is not known, and of a gain that switches may cost, where nobody measured
  /// what they cost.
  std::optional<AdviceVerdict> verdict;
};

struct Advices {
  std::optional<ThreadAdvice> whole;
  std::vector<ThreadAdvice> layers;  // one of each layer with a curve
  std::vector<ThreadAdvice> types;   // in order of their first layers
};

/// After section III-D of the paper. The best number of a curve is the one that climbing finds, unless the own one is
/// faster. With `paper` any gain is worth a change.
Advices advise(const ModelCurves& curves, const ClimbOptions& options);

/// (now / other − 1) · 100, the paper's performance variance; nothing for times of 0.
std::optional<double> gain_pct(const std::optional<double>& now_ns, const std::optional<double>& other_ns);

/// The latency with that number of threads, as measured, else between measured ones.
std::optional<double> latency_at(const ThreadCurve& curve, uint32_t threads);

}  // namespace xsp::analysis
