#include "bound/advice/evaluation_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/study/analysed_trace.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/timeline/launches.h"
#include "analysis/work/tensor_shape.h"
#include "base/units.h"

namespace xsp::bound {
namespace {

using analysis::kNoEvaluation;
using analysis::kNoRow;
using analysis::Row;

class WorkSearch {
 public:
  WorkSearch(const JoinedTrace& joined, const analysis::Study& study)
      : joined_(joined), study_(study), trace_(study.trace), names_(study.trace) {}

  EvaluationWork run() {
    work_.trace = &joined_;
    find_layers();
    for (const TraceCall& call : joined_.calls) work_.calls.push_back(meaning_of_call(call.library, call.function));
    name_untyped_layers();
    find_expected_calls();
    find_kernels();
    find_runtime_calls();
    return std::move(work_);
  }

 private:
  /// Where calls follow one another: evaluation, process and thread.
  using Thread = std::pair<uint32_t, std::pair<uint32_t, uint32_t>>;

  Thread thread_of(uint32_t evaluation, Row row) const {
    const analysis::Track& track = trace_.tracks[trace_.spans.track[row]];
    return {evaluation, {track.process, track.thread}};
  }

  void find_layers() {
    for (size_t i = 0; i < joined_.layers.size(); ++i) {
      const TraceLayer& layer = joined_.layers[i];
      position_of_.emplace(layer.index, i);
      const auto& rows = study_.joined.layers;
      const Row row = layer.index < rows.size() ? rows[layer.index].row : kNoRow;
      const bool is_call = row != kNoRow && analysis::is_library_call(trace_.spans, row);
      work_.is_call.push_back(is_call);
      work_.layer_kinds.push_back(is_call ? LayerKind::kOther : layer_kind(layer.type));
    }
  }

  /// Layers that were marked by hand have no type: they are what their library calls compute.
  void name_untyped_layers() {
    for (size_t i = 0; i < joined_.calls.size(); ++i) {
      const auto layer = joined_.calls[i].layer;
      if (!layer || !work_.calls[i].computes() || !joined_.layers[*layer].type.empty()) continue;
      LayerKind& kind = work_.layer_kinds[*layer];
      if (kind == LayerKind::kOther) kind = work_.calls[i].kind;
    }
  }

  uint32_t evaluation_of(Row row) const {
    for (int depth = 0; row != kNoRow && depth < analysis::kMaxDepth; ++depth) {
      const uint32_t number = study_.evaluations.number[row];
      if (number < study_.evaluations.root.size() && study_.evaluations.root[number] == row) return number;
      row = study_.parents.of[row];
    }
    return kNoEvaluation;
  }

  std::optional<size_t> layer_of(Row row) const {
    const uint32_t index = row == kNoRow ? UINT32_MAX : study_.layer_index(row);
    const auto found = position_of_.find(index);
    return found == position_of_.end() ? std::nullopt : std::optional(found->second);
  }

  CallMeaning meaning_of(Row call) const {
    return meaning_of_call(trace_.text(trace_.spans.type[call]), trace_.text(trace_.spans.name[call]));
  }

  /// Calls that compute, the outermost ones, of the evaluations that are looked at.
  void find_expected_calls() {
    std::set<uint32_t> wanted(study_.kernels.evaluations.begin(), study_.kernels.evaluations.end());
    for (const analysis::JoinedKernel& kernel : study_.kernels.kernels) {
      const Row capture = study_.executions.placed[kernel.execution].capture;
      if (capture != kNoRow) wanted.insert(evaluation_of(capture));
    }
    for (const auto* joined : {&study_.joined_library_calls, &study_.joined_runtime_calls}) {
      wanted.insert(joined->joined.begin(), joined->joined.end());
    }
    const auto& all = study_.library_calls.calls;
    for (size_t i = 0; i < all.size(); ++i) {
      const analysis::LibraryCall& call = all[i];
      if (!wanted.contains(call.evaluation)) continue;
      const CallMeaning meaning = meaning_of(call.row);
      if (!meaning.computes()) continue;
      work_.uses_cudnn |= trace_.text(trace_.spans.type[call.row]) == "cudnn";
      if (call.enclosing != analysis::kNoCall && meaning_of(all[call.enclosing].row).computes()) continue;
      LayerKind kind = meaning.kind;
      const auto layer = layer_of(call.layer);
      if (kind == LayerKind::kOther && layer) kind = work_.layer_kinds[*layer];
      expected_[thread_of(call.evaluation, call.row)].emplace_back(
          trace_.spans.begin[call.row],
          ExpectedCall{std::string(trace_.text(trace_.spans.name[call.row])), kind, layer});
    }
    if (expected_.empty()) find_expected_launches(wanted);
    for (auto& [thread, calls] : expected_) {
      std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
  }

  void find_expected_launches(const std::set<uint32_t>& evaluations) {
    for (const uint32_t evaluation : evaluations) {
      const auto& executions = study_.executions;
      if (evaluation + 1 >= executions.first_of.size()) continue;
      for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
        const uint32_t execution = executions.in_evaluation[i];
        const Row row = trace_.executions.row[execution];
        const Row launch = executions.placed[execution].launch;
        if (launch == kNoRow || trace_.spans.kind[row] != analysis::Kind::kKernel) continue;
        const std::string& name = names_.text(trace_.spans.name[row]);
        if (meaning_of_kernel(name).origin != KernelOrigin::kLibrary) continue;
        const auto layer = layer_of(executions.placed[execution].layer);
        expected_[thread_of(evaluation, launch)].emplace_back(
            trace_.spans.begin[launch],
            ExpectedCall{short_kernel_name(name), layer ? work_.layer_kinds[*layer] : LayerKind::kOther, layer});
      }
    }
  }

  /// The expected call before and after a span; it is none itself.
  std::pair<std::optional<ExpectedCall>, std::optional<ExpectedCall>> neighbours(uint32_t evaluation, Row row) const {
    const auto found = expected_.find(thread_of(evaluation, row));
    if (found == expected_.end()) return {};
    const auto& calls = found->second;
    const int64_t begin = trace_.spans.begin[row];
    const auto next = std::upper_bound(calls.begin(), calls.end(), begin,
                                       [](int64_t time, const auto& call) { return time < call.first; });
    std::pair<std::optional<ExpectedCall>, std::optional<ExpectedCall>> result;
    if (next != calls.begin()) result.first = std::prev(next)->second;
    if (next != calls.end()) result.second = next->second;
    return result;
  }

  void find_kernels() {
    for (const analysis::JoinedKernel& kernel : study_.kernels.kernels) {
      const Row row = trace_.executions.row[kernel.execution];
      const analysis::PlacedExecution& placed = study_.executions.placed[kernel.execution];
      const std::string& name = names_.text(trace_.spans.name[row]);
      RanKernel& ran = work_.kernels.emplace_back();
      ran.name = short_kernel_name(name);
      ran.meaning = meaning_of_kernel(name);
      ran.ms = kernel.latency_ns / kNsPerMs;
      ran.layer = layer_of(placed.layer);
      ran.is_backward = placed.backward;
      ran.is_of_weights = reads_weights(placed.operator_row, placed.layer);
      if (placed.library_call != kNoRow) {
        ran.call = trace_.text(trace_.spans.name[placed.library_call]);
        ran.call_library = trace_.text(trace_.spans.type[placed.library_call]);
      }
      // The order of a graph's nodes is that in which they were captured.
      if (placed.capture != kNoRow) {
        ran.next = neighbours(evaluation_of(placed.capture), placed.capture).second;
      } else if (placed.launch != kNoRow) {
        ran.next = neighbours(placed.evaluation, placed.launch).second;
      }
      work_.kernel_ms += ran.ms;
      work_.uses_cudnn |= name.find("cudnn") != std::string::npos;
    }
    work_.has_device = !work_.kernels.empty();
  }

  /// Whether the first tensor that an operator reads is as the second one of its layer, and unlike the first: the
  /// weights of convolutions and products. Where only modules are layers, their outermost operator tells.
  bool reads_weights(Row reader, Row layer) const {
    if (reader == kNoRow || layer == kNoRow) return false;
    const auto read = inputs_of(reader);
    if (read.empty() || read.front().size() != 1) return false;
    const std::vector<int64_t>& moved = read.front().front().dimensions;
    Row around = reader;
    for (int depth = 0; around != layer && around != kNoRow && depth < analysis::kMaxDepth; ++depth) {
      around = study_.parents.of[around];
      if (around == kNoRow) return false;
      const auto inputs = inputs_of(around);
      if (inputs.size() < 2 || inputs[0].size() != 1 || inputs[1].size() != 1) continue;
      if (layer_kind(trace_.text(trace_.spans.name[around])) == LayerKind::kOther) continue;
      return inputs[1].front().dimensions == moved && inputs[0].front().dimensions != moved;
    }
    return false;
  }

  std::vector<analysis::TensorArgument> inputs_of(Row row) const {
    return analysis::parse_tensor_arguments(trace_.text(trace_.spans.input[row]))
        .value_or(std::vector<analysis::TensorArgument>());
  }

  bool is_in_library_call(Row row) const {
    for (int depth = 0; row != kNoRow && depth < analysis::kMaxDepth; ++depth) {
      row = study_.parents.of[row];
      if (row != kNoRow && analysis::is_library_call(trace_.spans, row)) return true;
    }
    return false;
  }

  void find_runtime_calls() {
    const std::set<Row> synchronising(study_.waits.synchronising.begin(), study_.waits.synchronising.end());
    const auto& calls = study_.joined_runtime_calls.calls;
    for (size_t row = 0; row < calls.size(); ++row) {
      const analysis::JoinedCall& joined = calls[row];
      const analysis::LibraryCall& call = study_.runtime_calls.calls[joined.call];
      // A call of the driver inside one of the runtime is part of it.
      if (joined.enclosing != analysis::kNoCall) continue;
      RanRuntimeCall& ran = work_.runtime_calls.emplace_back();
      ran.row = row;
      ran.function = trace_.text(trace_.spans.name[call.row]);
      ran.host_ms = joined.host_ns / kNsPerMs;
      ran.layer = layer_of(call.layer);
      ran.is_in_library_call = is_in_library_call(call.row);
      // A launch blocks where the queue is full: then the device has enough to do.
      ran.blocks = synchronising.contains(call.row) && !analysis::is_launch(ran.function);
      ran.evaluations = joined.n;
      std::tie(ran.previous, ran.next) = neighbours(call.evaluation, call.row);
    }
  }

  const JoinedTrace& joined_;
  const analysis::Study& study_;
  const analysis::Trace& trace_;
  analysis::KernelNames names_;
  EvaluationWork work_;
  std::map<uint64_t, size_t> position_of_;                                    // in JoinedTrace::layers, by index of A2
  std::map<Thread, std::vector<std::pair<int64_t, ExpectedCall>>> expected_;  // in order of begin
};

}  // namespace

bool EvaluationWork::has_layers() const { return std::find(is_call.begin(), is_call.end(), false) != is_call.end(); }

EvaluationWork ran_in_evaluation(const JoinedTrace& trace) { return WorkSearch(trace, *trace.trace->study).run(); }

}  // namespace xsp::bound
