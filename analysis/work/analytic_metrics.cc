#include "analysis/work/analytic_metrics.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/work/device_peaks.h"
#include "analysis/work/formulas.h"
#include "analysis/work/kernel_name.h"
#include "analysis/work/span_work.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kNoGroup = UINT32_MAX;

/// The kernels that an operator or a library call started; of one captured into a graph those of one replay.
struct Group {
  Row anchor = kNoRow;  // the span with the work
  uint32_t principal = kNoExecution;
  uint32_t kernels = 0;
  uint32_t main_kernels = 0;  // of a product
  uint16_t traits = 0;        // of any of them
};

/// A kernel of a graph, to be grouped by capture and replay.
struct GraphKernel {
  Row launch;
  Row anchor;
  uint32_t execution;

  std::tuple<Row, Row, uint32_t> order() const { return {launch, anchor, execution}; }
};

struct DeviceFacts {
  uint32_t capability = 0;  // major · 10 + minor; 0: not known
  double l2_cache_bytes = 0;
};

DeviceFacts facts_of(const Device& device) {
  DeviceFacts facts;
  facts.capability = device.compute_capability_major * 10 + device.compute_capability_minor;
  facts.l2_cache_bytes = static_cast<double>(device.l2_cache_bytes);
  if (facts.l2_cache_bytes == 0) facts.l2_cache_bytes = peaks_of(device, {}).l2_cache_bytes;
  return facts;
}

/// What may lie between an operator and one inside it.
bool is_call(Kind kind) {
  return kind == Kind::kOperator || kind == Kind::kLibraryCall || kind == Kind::kRuntimeCall ||
         kind == Kind::kDriverCall || kind == Kind::kOrtNode || kind == Kind::kNvtxRange;
}

bool is_convolution(FormulaId id) {
  return id == FormulaId::kConvolution || id == FormulaId::kFusedPlan || id == FormulaId::kConvolutionBackward ||
         id == FormulaId::kTransposedConvolution;
}

class Attribution {
 public:
  Attribution(const Trace& trace, const Parents& parents, const Executions& executions)
      : trace_(trace), parents_(parents), executions_(executions), works_(trace, parents) {}

  std::vector<KernelMetrics> metrics() {
    std::vector<KernelMetrics> result(trace_.executions.size());
    if (result.empty() || trace_.arguments.size() == 0) return result;
    anchor_.assign(trace_.spans.size(), kNotLooked);
    work_.assign(trace_.spans.size(), 0);
    traits_.assign(trace_.strings.size(), kNotRead);
    group_of_.assign(result.size(), kNoGroup);
    make_groups();
    find_covered();
    for (uint32_t execution = 0; execution < result.size(); ++execution) {
      if (group_of_[execution] != kNoGroup) give(execution, &result[execution]);
    }
    return result;
  }

 private:
  static constexpr Row kNotLooked = kNoRow - 2;
  static constexpr uint16_t kNotRead = UINT16_MAX;

  /// The innermost span around `row`, itself included, that has work.
  Row anchor_of(Row row) {
    walked_.clear();
    Row found = kNoRow;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (anchor_[row] != kNotLooked) {
        found = anchor_[row];
        break;
      }
      walked_.push_back(row);
      work_[row] = works_.number_of(row);
      if (work_[row] != 0) {
        found = row;
        break;
      }
    }
    for (const Row walked : walked_) anchor_[walked] = found;
    return found;
  }

  const CallWork& work_at(Row anchor) const { return works_.work(work_[anchor]); }
  const Formula& formula_at(Row anchor) const { return formula_of(work_at(anchor).work.formula); }

  uint16_t traits_of(uint32_t execution) {
    const uint32_t name = trace_.spans.name[trace_.executions.row[execution]];
    if (traits_[name] == kNotRead) traits_[name] = kernel_traits(trace_.text(name));
    return traits_[name];
  }

  /// Whether `a` rather than `b` is the principal kernel: the main kernel of a product, then the longest.
  bool is_before(uint32_t a, uint32_t b, bool is_product) {
    if (is_product) {
      const bool main_a = (traits_of(a) & kMainProduct) != 0;
      const bool main_b = (traits_of(b) & kMainProduct) != 0;
      if (main_a != main_b) return main_a;
    }
    return trace_.spans.duration(trace_.executions.row[a]) > trace_.spans.duration(trace_.executions.row[b]);
  }

  void add(uint32_t execution, uint32_t number) {
    group_of_[execution] = number;
    Group& group = groups_[number];
    ++group.kernels;
    group.traits |= traits_of(execution);
    if ((traits_of(execution) & kMainProduct) != 0) ++group.main_kernels;
    const bool is_product = formula_at(group.anchor).kind == FormulaKind::kProduct;
    if (group.principal == kNoExecution || is_before(execution, group.principal, is_product)) {
      group.principal = execution;
    }
  }

  uint32_t new_group(Row anchor) {
    groups_.push_back({.anchor = anchor});
    return static_cast<uint32_t>(groups_.size() - 1);
  }

  void make_groups() {
    std::vector<uint32_t> group_at(trace_.spans.size(), kNoGroup);
    std::vector<GraphKernel> of_graphs;
    for (uint32_t execution = 0; execution < group_of_.size(); ++execution) {
      if (trace_.spans.kind[trace_.executions.row[execution]] != Kind::kKernel) continue;
      const PlacedExecution& placed = executions_.placed[execution];
      // The launch of a graph tells nothing about a single node.
      const bool is_node = trace_.executions.graph_node[execution] != 0;
      const Row anchor = anchor_of(is_node ? placed.capture : placed.launch);
      if (anchor == kNoRow) continue;
      if (is_node) {
        of_graphs.push_back({placed.launch, anchor, execution});
        continue;
      }
      if (group_at[anchor] == kNoGroup) group_at[anchor] = new_group(anchor);
      add(execution, group_at[anchor]);
    }
    std::sort(of_graphs.begin(), of_graphs.end(),
              [](const GraphKernel& a, const GraphKernel& b) { return a.order() < b.order(); });
    const GraphKernel* last = nullptr;
    for (const GraphKernel& kernel : of_graphs) {
      const bool same = last != nullptr && last->launch == kernel.launch && last->anchor == kernel.anchor;
      add(kernel.execution, same ? group_of_[last->execution] : new_group(kernel.anchor));
      last = &kernel;
    }
  }

  /// An operator around another one of its kind is a name for the same computation: whatever else it starts has no work
  /// of its own.
  void find_covered() {
    covered_.assign(trace_.spans.size(), false);
    std::vector<bool> is_anchor(trace_.spans.size(), false);
    for (const Group& group : groups_) is_anchor[group.anchor] = true;
    std::vector<bool> seen(trace_.spans.size(), false);
    for (const Group& group : groups_) {
      if (seen[group.anchor]) continue;
      seen[group.anchor] = true;
      const FormulaKind kind = formula_at(group.anchor).kind;
      Row row = parents_.of[group.anchor];
      for (int depth = 0; row != kNoRow && depth < kMaxDepth && is_call(trace_.spans.kind[row]);
           ++depth, row = parents_.of[row]) {
        if (is_anchor[row] && formula_at(row).kind == kind) covered_[row] = true;
      }
    }
  }

  /// Whether the work of `group` was done by several kernels, and by which: all, or the main ones.
  enum class Split : uint8_t { kNone, kMainKernels, kAll };

  Split split_of(const Group& group) {
    if (group.kernels < 2) return Split::kNone;
    const Formula& formula = formula_at(group.anchor);
    if (formula.kind != FormulaKind::kProduct) return Split::kAll;
    // In a product of transformed tiles, separate transforms are half of the algorithm. A Winograd kernel does its own.
    const bool is_transformed =
        is_convolution(formula.id) &&
        ((group.traits & kFftNamed) != 0 ||
         ((group.traits & kWinogradNamed) != 0 && (traits_of(group.principal) & kWinogradNamed) == 0));
    if (is_transformed || group.main_kernels == 0) return Split::kAll;
    return group.main_kernels > 1 ? Split::kMainKernels : Split::kNone;
  }

  /// See KernelMetrics::part.
  uint64_t part_of(uint32_t execution, const Group& group, Split split) {
    if (split == Split::kNone) return 0;
    const auto takes_part = [&](uint32_t kernel) {
      return split == Split::kAll || (traits_of(kernel) & kMainProduct) != 0;
    };
    // Odd multiples of the golden ratio: far from each other, whatever the number.
    const uint64_t token = (uint64_t{2} * group_of_[execution] + 1) * 0x9E3779B97F4A7C15;
    const uint64_t kernels = split == Split::kAll ? group.kernels : group.main_kernels;
    if (execution == group.principal) return token * (kernels - 1);
    return takes_part(execution) ? uint64_t{0} - token : 0;
  }

  const DeviceFacts& device_of(uint32_t execution) {
    const Queue& queue = trace_.queues[trace_.executions.queue[execution]];
    const auto [place, is_new] = devices_.try_emplace({queue.process, queue.device});
    if (is_new) {
      for (const Device& device : trace_.devices) {
        if (device.process == queue.process && device.index == queue.device) place->second = facts_of(device);
      }
    }
    return place->second;
  }

  void give(uint32_t execution, KernelMetrics* metrics) {
    const Group& group = groups_[group_of_[execution]];
    const Split split = covered_[group.anchor] ? Split::kNone : split_of(group);
    metrics->source = MetricSource::kAnalytic;
    metrics->part = part_of(execution, group, split);
    if (execution != group.principal || covered_[group.anchor]) {
      metrics->flags = kAuxiliary;
      return;
    }
    const CallWork& call = work_at(group.anchor);
    const DeviceFacts& device = device_of(execution);
    const Formula& formula = formula_of(call.work.formula);
    metrics->flops = call.work.flops;
    metrics->algorithmic_flops = call.work.flops;
    metrics->flags = call.flags;
    metrics->type = call.work.type;
    if (formula.kind == FormulaKind::kProduct) {
      if (!call.is_exact) metrics->type = product_type(call.work.type, traits_of(execution), device.capability);
      if (is_convolution(formula.id) && (group.traits & kWinogradNamed) != 0) metrics->flags |= kWinograd;
      if (is_convolution(formula.id) && (group.traits & kFftNamed) != 0) metrics->flags |= kFft;
    }
    if (group.kernels > 1) metrics->flags |= split == Split::kNone ? kShared : kSplit;
    if (!call.work.has_bytes) return;
    metrics->dram_read_bytes = call.work.read_bytes;
    metrics->dram_write_bytes = call.work.write_bytes;
    const double touched = call.work.read_bytes + call.work.write_bytes;
    if (touched > 0 && touched <= device.l2_cache_bytes) metrics->flags |= kL2Resident;
  }

  const Trace& trace_;
  const Parents& parents_;
  const Executions& executions_;
  SpanWork works_;
  std::vector<Row> walked_;
  std::vector<Row> anchor_;         // by row
  std::vector<uint32_t> work_;      // by row: number in works_
  std::vector<uint16_t> traits_;    // by string
  std::vector<uint32_t> group_of_;  // by execution
  std::vector<Group> groups_;
  std::vector<bool> covered_;  // by row
  std::map<std::pair<uint32_t, uint32_t>, DeviceFacts> devices_;
};

}  // namespace

std::vector<KernelMetrics> analytic_metrics(const Trace& trace, const Parents& parents, const Executions& executions) {
  return Attribution(trace, parents, executions).metrics();
}

}  // namespace xsp::analysis
