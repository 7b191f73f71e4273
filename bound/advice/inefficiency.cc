#include "bound/advice/inefficiency.h"

#include <algorithm>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

/// Below this share of a call of the model a time is not worth a row. What is made again and again is a fault of its
/// own, which costs more elsewhere: with other shapes, or other versions of the library.
constexpr double kLeastShare = 0.001;

using Detector = void (*)(const EvaluationWork&, const LayeredModel*, std::vector<Inefficiency>*);

struct DetectedKind {
  std::string_view name;
  Detector find;
};

/// By InefficiencyKind.
constexpr DetectedKind kDetected[] = {
    {"missing_call", find_missing_calls},  {"other_arguments", find_other_arguments},
    {"extra_call", find_extra_calls},      {"repeated_setup", find_repeated_setup},
    {"order", find_other_order},           {"between_kernels", find_kernels_between},
    {"between_calls", find_calls_between}, {"host_gap", find_host_gaps},
};

}  // namespace

std::string_view name_of(InefficiencyKind kind) { return kDetected[static_cast<size_t>(kind)].name; }

std::vector<Inefficiency> find_inefficiencies(const JoinedTrace& trace, const LayeredModel* model) {
  std::vector<Inefficiency> found;
  // Of a recording as a whole nothing can be told: setting up is part of it.
  if (trace.trace == nullptr || !trace.trace->study || trace.trace->study->has_single_calls()) return found;
  const EvaluationWork work = ran_in_evaluation(trace);
  for (const DetectedKind& kind : kDetected) kind.find(work, model, &found);
  std::erase_if(found, [&](const Inefficiency& one) {
    return one.kind != InefficiencyKind::kRepeatedSetup && one.time_ms > 0 &&
           one.time_ms < kLeastShare * trace.measured_ms;
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const Inefficiency& a, const Inefficiency& b) { return a.time_ms > b.time_ms; });
  return found;
}

}  // namespace xsp::bound
