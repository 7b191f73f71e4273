#pragma once

#include <cstdint>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/kernel_times.h"
#include "analysis/tables/layer_order.h"
#include "analysis/waves/co_scheduling.h"

namespace xsp::analysis {

/// The kernels under study as R2 schedules them. Those that move data between ranks are no part of the schedule: they
/// wait for other ranks, and take what the computation leaves.
struct ScheduledKernels {
  CoSchedule schedule;
  std::vector<uint32_t> kernel_of;  // by kernel of the schedule: the index of Study::kernels
  std::vector<uint32_t> layer_of;   // by index of Study::kernels, of A2; UINT32_MAX: of none
  size_t communication = 0;         // kernels left out
  double communication_ns = 0;
  KernelTimes times;
  LayerOrder order;      // its `after` is the schedule's
  double joined_ns = 0;  // of kernels whose layer is in the graph
  bool several_gpus = false;
};

ScheduledKernels scheduled_kernels(const Study& study);

}  // namespace xsp::analysis
