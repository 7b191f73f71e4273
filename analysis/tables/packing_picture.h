#pragma once

#include "analysis/study/study.h"
#include "analysis/tables/scheduled_kernels.h"
#include "analysis/tables/table.h"
#include "analysis/waves/wavefront_packing.h"

namespace xsp::analysis {

/// Words of kR2Packing.order.
inline constexpr std::string_view kInOrder = "in order";
inline constexpr std::string_view kPacked = "packed";

/// R2's part: at most `kMostPacked` kernels of each order; of more it is empty and says so.
inline constexpr size_t kMostPacked = 5000;
Table packing_picture(const Study& study, const ScheduledKernels& kernels, const Packing& packing);

}  // namespace xsp::analysis
