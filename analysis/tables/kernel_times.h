#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/study/study.h"
#include "analysis/waves/kernel_kinds.h"

namespace xsp::analysis {

/// How the kernels under study follow one another.
struct KernelTimes {
  /// By index of Study::kernels, ns: the latency without what is other kernels' share where several run at a time, so
  /// that their sum is the time in which any runs. Kernels that move data between ranks have no share: 0.
  std::vector<double> own_ns;
  bool overlap = false;  // any that compute

  /// Time without a kernel of any kind from the first kernel to the end of the last one, of the evaluation and by
  /// layer. NaN: not known.
  double gap_ns = kUnknownValue;
  std::vector<double> layer_gap_ns;
};

/// `layer_of`: by index of Study::kernels the layer of A2; UINT32_MAX: in none. The gap of a layer is not known where
/// its backward pass has kernels, too, which run much later, nor over a whole recording.
KernelTimes kernel_times(const Study& study, const std::vector<uint32_t>& layer_of, KernelRoles* roles);

}  // namespace xsp::analysis
