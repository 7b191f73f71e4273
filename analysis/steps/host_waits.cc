#include "analysis/steps/host_waits.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/steps/full_queues.h"
#include "analysis/timeline/phase_names.h"
#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
namespace {

enum class Wait : uint8_t { kUnknown, kNone, kInput, kSynchronisation };

/// Operations of a process group between hosts, as PyTorch annotates them ("gloo:all_reduce").
bool is_host_communication(std::string_view name) { return name.starts_with("gloo:") || name.starts_with("mpi:"); }

/// Operators that fetch a number from the device, where the calls that they make are not recorded.
bool fetches_number(std::string_view name) { return name == "aten::item" || name == "aten::_local_scalar_dense"; }

class WaitSearch {
 public:
  WaitSearch(const Trace& trace, const Parents& parents, const Evaluations& evaluations, const Executions& executions)
      : trace_(trace),
        spans_(trace.spans),
        parents_(parents),
        evaluations_(evaluations),
        executions_(executions),
        phases_(trace),
        around_(trace, parents, evaluations) {}

  HostWaits run() {
    waits_.processes.resize(trace_.processes.size());
    find_threads();
    find_calls();
    for (Row row = 0; may_wait_ && row < spans_.size(); ++row) {
      const Wait wait = wait_of(row);
      if (wait != Wait::kNone) add(row, wait);
      if (communicates(row)) {
        waits_.processes[trace_.process_of(row)].communication.push_back({spans_.begin[row], spans_.end[row]});
      }
    }
    add_copies();
    for (const Row call : launches_at_full_queues(trace_, executions_)) {
      if (wait_of(call) == Wait::kNone) add(call, Wait::kSynchronisation);
    }
    for (auto& process : waits_.processes) {
      process.input = united(std::move(process.input));
      process.synchronisation = united(std::move(process.synchronisation));
      process.communication = united(std::move(process.communication));
    }
    cap_at_layers();
    return std::move(waits_);
  }

 private:
  using Thread = std::pair<uint32_t, uint32_t>;  // process and thread

  Thread thread_of(Row row) const {
    const Track& track = trace_.tracks[spans_.track[row]];
    return {track.process, track.thread};
  }

  void find_threads() {
    for (const Row root : evaluations_.root) {
      threads_.insert(thread_of(root));
      has_evaluations_.insert(trace_.process_of(root));
    }
  }

  bool is_of_evaluations(Row row) const {
    return !has_evaluations_.contains(trace_.process_of(row)) || threads_.contains(thread_of(row));
  }

  void find_calls() {
    std::vector<bool> found(trace_.processes.size());
    has_executions_.assign(trace_.processes.size(), false);
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == Level::kRuntime) found[trace_.process_of(row)] = true;
    }
    for (const Row row : trace_.executions.row) has_executions_[trace_.process_of(row)] = true;
    for (uint32_t id = 1; id < trace_.strings.size(); ++id) {
      const std::string_view text = trace_.text(id);
      may_wait_ |= text.find(kLoaderType) != std::string_view::npos;
      if (is_host_communication(text)) communication_.insert(id);
    }
    may_wait_ |= !communication_.empty();
    may_wait_ |= !trace_.executions.row.empty() || std::find(found.begin(), found.end(), true) != found.end();
    has_calls_ = std::move(found);
  }

  bool communicates(Row row) const {
    return !communication_.empty() && communication_.contains(spans_.name[row]) && spans_.level[row] != Level::kDevice;
  }

  Wait wait_of(Row row) {
    switch (spans_.level[row]) {
      case Level::kRuntime:
        return wait_by_name(row);
      case Level::kLayer:
      case Level::kApplication:
        break;
      default:
        return Wait::kNone;
    }
    if (phases_.loads_data(row)) return Wait::kInput;
    const uint32_t process = trace_.process_of(row);
    if (spans_.kind[row] != Kind::kOperator || has_calls_[process] || !has_executions_[process]) return Wait::kNone;
    return wait_by_name(row);
  }

  Wait wait_by_name(Row row) {
    const uint32_t name = spans_.name[row];
    if (name >= by_name_.size()) by_name_.resize(std::max<size_t>(trace_.strings.size(), name + 1), Wait::kUnknown);
    Wait& wait = by_name_[name];
    if (wait == Wait::kUnknown) {
      const std::string_view text = trace_.text(name);
      wait = is_blocking_call(text) || fetches_number(text) ? Wait::kSynchronisation : Wait::kNone;
    }
    return wait;
  }

  void add(Row row, Wait wait) {
    if (!is_of_evaluations(row)) return;
    auto& process = waits_.processes[trace_.process_of(row)];
    auto& to = wait == Wait::kInput ? process.input : process.synchronisation;
    to.push_back({spans_.begin[row], spans_.end[row]});
    if (wait == Wait::kSynchronisation) waits_.synchronising.push_back(row);
    const Row parent = parents_.of[row];
    // A call of the driver inside one of the runtime waits once.
    if (parent != kNoRow && spans_.level[parent] == Level::kRuntime && wait_of(parent) != Wait::kNone) return;
    const Surroundings& around = around_.of(row);
    if (around.layer == kNoRow || around.backward) return;
    const uint32_t number = evaluations_.number[around.layer];
    if (number == kNoNumber) return;
    if (waits_.of_layer_ns.empty()) {
      waits_.of_layer_ns.assign(
          evaluations_.layers.size() + evaluations_.loose_layers.size() + evaluations_.failed_layers.size(), 0);
    }
    waits_.of_layer_ns[number] += spans_.duration(row);
  }

  /// A layer that waits for input may synchronise inside: no layer waits for longer than it takes.
  void cap_at_layers() {
    if (waits_.of_layer_ns.empty()) return;
    size_t number = 0;
    for (const auto* rows : {&evaluations_.layers, &evaluations_.loose_layers, &evaluations_.failed_layers}) {
      for (const Row row : *rows) {
        int64_t& ns = waits_.of_layer_ns[number++];
        ns = std::min(ns, std::max<int64_t>(spans_.duration(row), 0));
      }
    }
  }

  /// Copies that return when they are done without saying so in their names.
  void add_copies() {
    for (size_t i = 0; i < executions_.placed.size(); ++i) {
      const Row copy = trace_.executions.row[i];
      if (spans_.kind[copy] != Kind::kMemcpy) continue;
      const Row call = executions_.placed[i].launch;
      if (call == kNoRow || spans_.level[call] != Level::kRuntime || wait_by_name(call) != Wait::kNone) continue;
      const std::string_view direction = trace_.text(spans_.name[copy]);
      const bool is_of_host =
          direction.find("HtoD") != std::string_view::npos || direction.find("DtoH") != std::string_view::npos;
      // Calls that return at once may have to wait for room in the queue, but then their copy begins later.
      const int64_t half_done = spans_.begin[copy] + spans_.duration(copy) / 2;
      if (!is_of_host || spans_.end[call] < half_done || spans_.duration(call) < kLeastCopyWaitNs) continue;
      add(call, Wait::kSynchronisation);
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  const Executions& executions_;
  PhaseNames phases_;
  SurroundingsSearch around_;
  std::set<Thread> threads_;            // on which evaluations are called
  std::set<uint32_t> has_evaluations_;  // processes
  std::set<uint32_t> communication_;    // string ids of names
  std::vector<bool> has_calls_;         // by process: of the CUDA API
  std::vector<bool> has_executions_;    // by process
  std::vector<Wait> by_name_;           // by string id
  bool may_wait_ = false;               // something in the trace is of a device, or of a data loader
  HostWaits waits_;
};

}  // namespace

bool is_blocking_call(std::string_view function) {
  std::string_view rest = function;
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (!rest.starts_with(prefix)) continue;
    rest.remove_prefix(prefix.size());
    break;
  }
  if (rest.size() == function.size()) return false;
  if (rest.find("Synchronize") != std::string_view::npos) return true;
  const bool copies = rest.starts_with("Memcpy");
  if (!copies || rest.find("Async") != std::string_view::npos) return false;
  // Copies inside a device are ordered after what was launched, and return at once.
  return rest.find("DtoD") == std::string_view::npos && rest.find("Peer") == std::string_view::npos &&
         rest.find("ToArray") == std::string_view::npos;
}

HostWaits find_host_waits(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                          const Executions& executions) {
  return WaitSearch(trace, parents, evaluations, executions).run();
}

}  // namespace xsp::analysis
