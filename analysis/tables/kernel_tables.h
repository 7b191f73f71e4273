#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

struct KernelSum {
  size_t count = 0;
  double latency_ns = 0;

  void add(const JoinedKernel& kernel) {
    ++count;
    latency_ns += kernel.latency_ns;
  }
};

/// The layer that a kernel stands under.
struct KernelLayer {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t index = kNone;  // of A2, or in the evaluation that captured the kernel's graph; kNone: of no evaluation
  uint32_t name = 0;       // string id
  bool attached = false;

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

/// The kernels of a group of evaluations or, in no evaluation, of a process.
struct ModelKernels {
  const EvaluationGroup* group = nullptr;
  uint32_t process = 0;
  size_t n = 0;                 // evaluations behind the numbers
  double model_latency_ns = 0;  // of these; NaN without a group
  KernelSum sum;
  double busy_ns = 0;
  size_t launches = 0;
};

std::vector<ModelKernels> sum_by_model(const Study& study);

/// Latency of the model in the evaluations whose kernels are joined; NaN without a model.
double model_latency_of_kernels(const Study& study);

/// That A10, A11 and A15 do not add up to the same; empty when they do.
std::string contradiction_of_kernel_sums(const Study& study);

bool has_kernels(const Trace& trace);

/// Why the trace has no kernels, and what would give them.
std::string no_kernels_note(const Study& study);

/// Columns of what hardware counters tell, and a kernel's cells in them.
void append_metric_columns(std::vector<Column>* columns);
void append_metric_cells(std::vector<Cell>* row);

/// Adds what A8, A10, A11 and A15 say below the rows.
void finish_kernel_table(const Study& study, Table* table);

/// In text a kernel's name is shortened to this many columns.
inline constexpr size_t kKernelNameWidth = 100;

}  // namespace xsp::analysis
