#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/concurrency/thread_advice.h"

namespace xsp::analysis {

/// What is to be followed of some advice. Times in ns of a model call.
struct ThreadPolicy {
  enum class Rule { kNone, kWholeRun, kType };

  Rule rule = Rule::kNone;
  uint32_t whole = 0;                                   // of kWholeRun
  std::vector<std::pair<std::string, uint32_t>> types;  // of kType: type of layer, threads
  double gain_ns = 0;
  Switches switches;  // of all types together
  double net_ns = 0;
};

/// Types are worth it where a change gains more than the switches to it cost, all of them together gain as much as any
/// choice of them, and more than one number for the whole run. Nothing where nothing is worth a change.
ThreadPolicy choose_policy(const ModelCurves& curves, const Advices& advices);

/// The gain of following all of these at once: that of advice of rule kLayer is the paper's strategy 1, of kType its
/// strategy 2. Advice other than `change` is not followed.
struct FollowedAdvice {
  size_t followed = 0;
  double gain_ns = 0;
  Switches switches;
  std::optional<double> net_ns;  // nothing: the cost of switches is not known
};
FollowedAdvice follow(const ModelCurves& curves, const std::vector<ThreadAdvice>& advices);

}  // namespace xsp::analysis
