#pragma once

#include <string>
#include <vector>

#include "analysis/concurrency/thread_advice.h"
#include "analysis/study/study.h"
#include "analysis/study/thread_sweep.h"

namespace xsp::analysis {

/// What E1 and E2 are made of: a sweep over numbers of threads, or the curves of a file.
struct SweptCurves {
  ModelCurves curves;
  ClimbOptions climb;
  uint32_t cores = 0;                  // that can be used, or as the user says; at least as many as were measured
  bool is_own_assumed = false;         // nothing recorded the own number: it is that of cores
  bool is_given = false;               // of --curves
  const ThreadSweep* sweep = nullptr;  // null: of --curves
};

/// `model`: what the model is called. Without --interval probes are the numbers that were measured; where these are
/// equally far apart the own number is one only if it is one of them.
SweptCurves swept_curves(const ThreadSweep& sweep, const ConcurrencyOptions& options, const Statistic& statistic,
                         const std::string& model);

/// Operations one behind the other, in order of the file, of a program that computes with all cores by itself.
SweptCurves swept_curves(const GivenCurves& given, const ConcurrencyOptions& options, const Statistic& statistic);

/// The curves of --curves, else those of the sweep in the study; nothing where it has neither.
std::optional<SweptCurves> swept_curves(const Study& study);

/// The elements of a tensor of this shape, "(32,8,8,384)"; nothing for text without a number.
std::optional<double> elements_of(std::string_view size);

/// How far the curves are climbed.
struct ClimbState {
  uint32_t interval = 0;  // between probes; 0: they are not equally far apart
  size_t probes = 0;      // of the curve that needed most
  std::optional<double> accuracy;
  bool is_ended = false;              // of every curve
  std::optional<uint32_t> next = {};  // the number of threads to measure next
};
ClimbState climb_state(const SweptCurves& swept);

}  // namespace xsp::analysis
