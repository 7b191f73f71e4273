#include "analysis/tables/packing_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tables/co_scheduling.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

class PackingRows {
 public:
  PackingRows(const Study& study, const ScheduledKernels& kernels, Table* table)
      : study_(study), kernels_(kernels), names_(study.trace), table_(*table) {}

  void add(std::string_view order, size_t lane, const PackedRun& run) {
    const uint32_t number = kernels_.kernel_of[run.kernel];
    const JoinedKernel& kernel = study_.kernels.kernels[number];
    const uint32_t layer = kernels_.layer_of[number];
    TableRow row = table_.add_row();
    row.set(kR2Packing.order, std::string(order));
    row.set(kR2Packing.lane, count_cell(lane));
    row.set(kR2Packing.kernel_name,
            text_cell(names_.text(study_.trace.spans.name[study_.trace.executions.row[kernel.execution]])));
    if (layer != UINT32_MAX) {
      row.set(kR2Packing.layer_index, count_cell(layer));
      row.set(kR2Packing.layer_name, text_cell(study_.trace.text(study_.joined.layers[layer].name)));
    }
    row.set(kR2Packing.begin_ms, cell(run.begin_ns / kNsPerMs));
    row.set(kR2Packing.latency_ms, cell((run.end_ns - run.begin_ns) / kNsPerMs));
    const CoSchedule& schedule = kernels_.schedule;
    const LaunchNeeds& needs = schedule.launches[schedule.kernels[run.kernel].launch];
    if (needs.blocks_per_sm == 0) return;
    const auto use = slot_use(needs, schedule.devices[needs.device]);
    row.set(kR2Packing.used_pct, cell(100 * *std::max_element(use.begin(), use.end())));
  }

 private:
  const Study& study_;
  const ScheduledKernels& kernels_;
  KernelNames names_;
  Table& table_;
};

/// The first lane that is free at the begin of each run.
std::vector<size_t> lanes_of(const std::vector<PackedRun>& runs) {
  std::vector<double> free_from;
  std::vector<size_t> lanes;
  lanes.reserve(runs.size());
  for (const PackedRun& run : runs) {
    size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > run.begin_ns) ++lane;
    if (lane == free_from.size()) free_from.push_back(0);
    free_from[lane] = run.end_ns;
    lanes.push_back(lane);
  }
  return lanes;
}

}  // namespace

Table packing_picture(const Study& study, const ScheduledKernels& kernels, const Packing& packing) {
  Table picture = make_table(kR2Packing);
  const auto& scheduled = kernels.schedule.kernels;
  if (scheduled.size() > kMostPacked) {
    picture.notes.push_back(fmt::format("left out: {} kernels are more than {}", scheduled.size(), kMostPacked));
    return picture;
  }
  PackingRows rows(study, kernels, &picture);
  double now = 0;
  for (uint32_t i = 0; i < scheduled.size(); ++i) {
    rows.add(kInOrder, 0, {i, now, now + scheduled[i].latency_ns});
    now += scheduled[i].latency_ns;
  }
  const std::vector<size_t> lanes = lanes_of(packing.runs);
  for (size_t i = 0; i < packing.runs.size(); ++i) rows.add(kPacked, lanes[i], packing.runs[i]);
  picture.notes.emplace_back(
      "in order: as launched, without the gaps between kernels; packed: as packed_ms of R2 has it. No measurement: "
      "blocks are taken to last as long side by side as alone");
  return picture;
}

}  // namespace xsp::analysis
