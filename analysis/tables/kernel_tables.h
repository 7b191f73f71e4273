#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/steps/step_breakdown.h"
#include "analysis/study/study.h"
#include "analysis/tables/kernel_work.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

struct KernelSum {
  size_t count = 0;
  double latency_ns = 0;
  KernelWork work;

  void add(const JoinedKernel& kernel, const DevicePeaks& peaks) {
    ++count;
    latency_ns += kernel.latency_ns;
    work.add(kernel, peaks);
  }
};

/// The sum of one kernel, or of several.
KernelSum sum_of(const Study& study, const JoinedKernel& kernel);
KernelSum sum_of(const Study& study, const std::vector<JoinedKernel>& kernels);

/// The layer that a kernel stands under.
struct KernelLayer {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t index = kNone;  // of A2, or in the evaluation that captured the kernel's graph; kNone: of no evaluation
  uint32_t name = 0;       // string id
  bool attached = false;
  uint32_t own = kNone;  // where A2 has no such layer: its ordinal in the evaluations with kernels

  auto operator<=>(const KernelLayer&) const = default;  // NOLINT(modernize-use-nullptr): of its 0
};

/// Finds layers of kernels.
class KernelLayers {
 public:
  explicit KernelLayers(const Study& study);
  KernelLayer of(const JoinedKernel& kernel) const;

 private:
  const Study& study_;
  std::vector<std::pair<Row, uint32_t>> totals_;  // of --per trace: layer spans, sorted, and their row of A2
};

struct NamedKernels {
  uint32_t name = 0;  // string id, as recorded
  KernelSum sum;
};

/// Kernels under study by name, those with most latency first.
std::vector<NamedKernels> sum_by_name(const Study& study);

struct LayerKernels {
  KernelLayer layer;
  double layer_latency_ns = 0;  // NaN where A2 has no such layer
  KernelSum sum;
};

/// Kernels under study by layer: the layers of A2, then others, then what belongs to none.
std::vector<LayerKernels> sum_by_layer(const Study& study);

/// Cells of a layer in tables by layer: null, "(unattached)" and null of what is in none.
Cell layer_index(const KernelLayer& layer);
Cell layer_name(const Study& study, const KernelLayer& layer);
/// Beginning, middle or end of the layers of A2; null of what is none of them.
Cell layer_stage(const Study& study, const LayerKernels& layer);
/// Flags of any of its kernels but those that say at which of them work is counted.
Cell layer_flags(const LayerKernels& layer);

/// The kernels of a group of evaluations or, in no evaluation, of a process.
struct ModelKernels {
  const EvaluationGroup* group = nullptr;
  uint32_t process = 0;
  size_t n = 0;                 // evaluations behind the numbers
  double model_latency_ns = 0;  // of these, or in its own level set; NaN without a group
  KernelSum sum;
  double busy_ns = 0;  // union of its own kernels
  size_t launches = 0;
  StepBreakdown steps;  // where its steps spend their time
  double step_ns = 0;   // what one takes: shares of `steps` are shares of this
};

std::vector<ModelKernels> sum_by_model(const Study& study);

/// The kernels that a table with a row each shows, in order of execution: all, or the longest where there are too many
/// to read. Indices of Study::kernels.
std::vector<uint32_t> longest_kernels(const std::vector<JoinedKernel>& kernels);

/// Latency of the model in the evaluations whose kernels are joined, or in those of its own level set; NaN without a
/// model.
double model_latency_of_kernels(const Study& study);

/// That A10, A11 and A15 do not add up to the same; empty when they do.
std::string contradiction_of_kernel_sums(const Study& study);

bool has_kernels(const Trace& trace);

/// Why the trace has no kernels, and what would give them.
std::string no_kernels_note(const Study& study);

/// Flops and bytes that are known of any of the kernels.
Cell gflops(const KernelWork& work);
Cell dram_read_mib(const KernelWork& work);
Cell dram_write_mib(const KernelWork& work);

/// Share of the kernels' latency whose work is known, and flops by arguments also where `source` is counters.
Cell metrics_pct(const KernelSum& sum);
Cell algorithmic_gflops(const KernelWork& work);
Cell text_cell(std::string_view text);

inline constexpr std::string_view kAboveRoofNote =
    "above-roof: more than 100 % of the roof, as the kernel does less than its arguments say (other flags), finds a "
    "part of "
    "its bytes in the L2 cache, is too short for the resolution of the trace, or its device runs above the clock of "
    "its data "
    "sheet";

/// Flags of a point of A9 or A14: "above-roof" where it reaches more than its roof, so that its work, its time or the
/// roof is not what it seems.
Cell roof_flags(const Cell& flags, const RooflinePoint& point);

/// Adds what A8, A10, A11 and A15 say below the rows.
void finish_kernel_table(const Study& study, Table* table);

/// The same of A9, A12 and A14, which are nothing without metrics. `with_roofs`: A9 and A14.
void finish_metric_table(const Study& study, bool with_roofs, Table* table);
}  // namespace xsp::analysis
