#include "inject/concurrency/thread_settings.h"

#include <algorithm>

#include "inject/concurrency/model_threads.h"
#include "inject/concurrency/switch_costs.h"
#include "inject/concurrency/told_counts.h"
#include "inject/record/clock.h"
#include "inject/record/process.h"
#include "inject/record/span.h"

namespace xsp::guest {

constinit bool are_threads_told = false;

namespace {

using Ended = wire::ThreadCountsEnded;
using Setting = wire::ThreadCountsSetting;

uint32_t number_of(const ConcurrencyThread& mine) { return mine.set != 0 ? mine.set : mine.own; }

/// Whether the program's own number is what it was. If it has changed before anything was set, the new one counts.
bool has_own_threads(ConcurrencyThread& mine) {
  const uint32_t threads = threads_now();
  if (threads == mine.own) return true;
  mine.own = threads;
  if (!model_threads.has_set) return true;
  leave_to_program();
  return false;
}

/// Two neighbouring numbers are compared for that long, where calls are short.
constexpr double kStageNs = 2e9;

uint32_t at_most_cores(uint32_t threads) { return std::min(threads, model_threads.cores); }

/// The call has its turn with one number; that of every call while it is measured is prepared.
void begin_probe(Thread& thread, RootThreads& root) {
  auto& mine = thread.of<ConcurrencyThread>();
  if (!root.probes.has_begun()) {
    const ProbeOptions options{.cores = model_threads.cores,
                               .interval = model_threads.settings.interval,
                               .own = mine.own,
                               .validate = model_threads.settings.validate,
                               .stage_time = kStageNs * model_threads.ticks_per_ns};
    if (!model_threads.roots.begin_probes(root, options)) return;
  }
  if (root.probes.is_done()) return;
  const uint32_t threads = root.probes.next();
  mine.root = &root;
  if (threads != mine.own) {
    mine.setting = static_cast<uint8_t>(Setting::kProbe);
    mine.whole = threads;
    set_threads(thread, threads);
  }
  prepare_team(model_threads.functions, threads);
}

void begin_block(Thread& thread, RootThreads& root) {
  auto& mine = thread.of<ConcurrencyThread>();
  mine.root = &root;
  mine.block = root.blocks.block();
  const uint32_t whole = at_most_cores(model_threads.policy.whole());
  if (root.blocks.is_advised()) {
    mine.setting = static_cast<uint8_t>(Setting::kAdvised);
    mine.sets_layers = model_threads.policy.has_types();
    mine.whole = whole == mine.own ? 0 : whole;
    set_threads(thread, mine.whole);
  }
  if (whole != 0) prepare_team(model_threads.functions, number_of(mine));
}

/// Chooses what the call is computed with.
void choose(Thread& thread, uint32_t instance) {
  auto& mine = thread.of<ConcurrencyThread>();
  // PyTorch gives a thread its number at its first operator, so what it had before says nothing.
  if (mine.own == 0 || instance == 0 || !model_threads.may_set.load(std::memory_order_acquire)) return;
  if (!has_own_threads(mine) || !take_ownership(thread)) return;
  RootThreads& root = model_threads.roots.find(instance);
  if (root.calls != 0 && !root.has_ended) {
    model_threads.settings.mode == ConcurrencyMode::kMeasure ? begin_probe(thread, root) : begin_block(thread, root);
  }
  if (mine.root == nullptr) mine.root = &root;
}

// What has been done.

void tell_costs_of_switches(const RootThreads& root, uint32_t own) {
  uint32_t numbers[kMostSwitches];
  const uint32_t count = std::min(root.probes.probe_count(), kMostSwitches);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = root.probes.probe(i);
  wire::ThreadSwitch changes[kMostSwitches];
  tell_switches(changes, measure_switches(model_threads.functions, own, numbers, count, changes));
  prepare_team(model_threads.functions, own);
}

/// The call counts in what is measured, or compared.
void finish_call(ConcurrencyThread& mine, uint64_t ticks, bool failed) {
  RootThreads& root = *mine.root;
  const bool is_begun = ++root.calls > 1 && !root.has_ended;
  root.ticks += ticks;
  if (!is_begun) return;
  const auto time = static_cast<double>(ticks);
  const bool measures = model_threads.settings.mode == ConcurrencyMode::kMeasure;
  if (measures && root.probes.has_begun()) {
    root.probes.finish_call(time, !failed);
    root.has_ended = root.probes.is_done();
  } else if (!measures) {
    root.blocks.finish_call(time / model_threads.ticks_per_ns, !failed);
    root.has_ended = root.blocks.is_harmful();
  }
  if (root.has_ended && measures && !model_threads.are_switches_told) {
    model_threads.are_switches_told = true;
    tell_costs_of_switches(root, mine.own);
  }
}

/// What is told of the process is what is true of the model that takes most of its time.
void tell_if_heaviest_has_ended() {
  if (!model_threads.may_set.load(std::memory_order_relaxed)) return;
  const bool has_ended = model_threads.roots.heaviest().has_ended;
  if (has_ended == model_threads.is_end_told) return;
  model_threads.is_end_told = has_ended;
  const bool measures = model_threads.settings.mode == ConcurrencyMode::kMeasure;
  tell_ended(!has_ended ? Ended::kNotEnded : measures ? Ended::kMeasured : Ended::kHarmful);
}

void tell(Thread& thread, uint32_t threads) {
  auto& mine = thread.of<ConcurrencyThread>();
  // A call that is not sampled may have no span.
  const ModelCall& call_of_sample = thread.model_call;
  if (call_of_sample.id == mine.call_span && call_of_sample.recorded == Recorded::kCounted) return;
  wire::ThreadCount call{.ring = thread.ring_index, .span = mine.call_span, .threads = threads};
  call.setting = mine.setting;
  call.block = mine.block;
  if (model_threads.settings.mode != ConcurrencyMode::kApply && mine.waits.call_ends(&call.waited_ns)) {
    call.runnable = runnable_tasks();
  }
  tell_thread_count(call);
}

void forget_call_of(Thread& thread) {
  auto& mine = thread.of<ConcurrencyThread>();
  mine.call_span = 0;
  mine.root = nullptr;
  mine.sets_layers = false;
  mine.whole = 0;
  leave_call(thread);
}

uint32_t id_of(const Thread& thread, uint32_t slot) {
  return thread.ring->open[slot].id.load(std::memory_order_relaxed);
}

bool is_open(const Thread& thread, uint32_t slot, uint32_t span) {
  return slot < thread.depth() && id_of(thread, slot) == span;
}

/// The layer that had its own number has ended.
void restore_layer(Thread& thread) {
  auto& mine = thread.of<ConcurrencyThread>();
  mine.layer_span = 0;
  set_threads(thread, model_threads.may_set.load(std::memory_order_relaxed) ? mine.whole : 0);
}

/// The number that the call which ends was computed with. That of an own call is asked for only now: PyTorch sets it at
/// a thread's first operator.
uint32_t threads_of_call(const ConcurrencyThread& mine) {
  if (mine.whole != 0) return mine.whole;
  return !model_threads.has_functions ? 0 : mine.set != 0 ? mine.own : threads_now();
}

void learn_own_threads(ConcurrencyThread& mine, uint32_t threads) {
  if (mine.own == 0) mine.own = threads;
  const uint32_t told = model_threads.told_own.load(std::memory_order_relaxed);
  if (mine.own == told || (told != 0 && mine.root == nullptr)) return;
  model_threads.told_own.store(mine.own, std::memory_order_relaxed);
  tell_own_threads(mine.own);
}

void resolve(LayerThreads& layer, uint32_t type) {
  layer.is_resolved = true;
  Process* process = awake_process();
  if (process == nullptr) return;
  const LockGuard lock(process->lock);
  layer.advised =
      static_cast<uint16_t>(at_most_cores(model_threads.policy.of_type(process->strings.text(process->region, type))));
}

}  // namespace

void begin_thread_settings(Process& process) {
  const bool is_child = model_threads.is_child || (model_threads.pid != 0 && model_threads.pid != process.pid);
  model_threads.pid = process.pid;
  model_threads.is_child = is_child;
  model_threads.settings = process.settings.concurrency;
  model_threads.owner.store(0, std::memory_order_relaxed);
  model_threads.may_set.store(false, std::memory_order_relaxed);
  model_threads.is_prepared.store(false, std::memory_order_relaxed);
  model_threads.told_own.store(0, std::memory_order_relaxed);
  // Ticks of 0.1 ms.
  model_threads.ticks_per_ns = static_cast<double>(process.hook_times.longest_ticks) / 100e3;
  if (model_threads.settings.mode == ConcurrencyMode::kApply && !is_child)
    model_threads.policy.read(model_threads.settings.policy);
  const bool has_sessions = session_threads().intra != 0 || session_threads().inter != 0;
  if (model_threads.settings.mode == ConcurrencyMode::kNone && !has_sessions) return;
  prepare_thread_counts();
  are_threads_told = model_threads.settings.mode != ConcurrencyMode::kNone;
}

void restore_threads_of_child() {
  are_threads_told = false;
  model_threads.is_child = true;
  const Thread* thread = model_threads.set_by;
  model_threads.set_by = nullptr;
  if (thread != nullptr && thread == this_thread) put_back_threads(model_threads.own, model_threads.mkl_before);
}

void drop_thread_settings(Thread& thread) {
  const auto me = reinterpret_cast<uintptr_t>(&thread);
  uintptr_t owner = model_threads.owner.load(std::memory_order_relaxed);
  if ((owner & ~uintptr_t{1}) == me) model_threads.owner.compare_exchange_strong(owner, 0, std::memory_order_release);
  if (model_threads.set_by == &thread) model_threads.set_by = nullptr;
}

void begin_call_threads(Thread& thread, uint32_t slot, uint32_t instance) {
  restore_unwound_threads(thread);
  auto& mine = thread.of<ConcurrencyThread>();
  if (mine.call_span != 0 || slot == kNoSlot) return;
  prepare_model_threads();
  mine.call_span = id_of(thread, slot);
  mine.call_slot = slot;
  mine.setting = static_cast<uint8_t>(Setting::kOwn);
  mine.block = 0;
  if (model_threads.settings.mode != ConcurrencyMode::kApply) mine.waits.call_begins();
  if (model_threads.settings.mode != ConcurrencyMode::kRecord) choose(thread, instance);
  thread.ring->open[slot].begin = now();
}

void begin_layer_threads(Thread& thread, uint32_t slot, LayerThreads& layer, uint32_t type) {
  auto& mine = thread.of<ConcurrencyThread>();
  if (!mine.sets_layers || !layer.is_leaf || slot == kNoSlot) return;
  if (__builtin_expect(!layer.is_resolved, 0)) resolve(layer, type);
  if (layer.advised == 0 || layer.advised == number_of(mine)) return;
  if (!model_threads.may_set.load(std::memory_order_relaxed)) return;
  if (mine.set == 0 && !has_own_threads(mine)) return;
  set_threads(thread, layer.advised == mine.own ? 0 : layer.advised);
  mine.layer_span = id_of(thread, slot);
  mine.layer_slot = slot;
  thread.ring->open[slot].begin = now();
}

void end_layer_threads(Thread& thread, uint32_t slot, LayerThreads& layer, uint64_t end, bool is_leaf) {
  auto& mine = thread.of<ConcurrencyThread>();
  layer.is_leaf = is_leaf;
  if (mine.root == nullptr) return;
  if (mine.layer_span != 0 && mine.layer_span == id_of(thread, slot)) restore_layer(thread);
  ProbeSchedule& probes = mine.root->probes;
  if (!is_leaf || !probes.has_begun() || probes.is_done()) return;
  if (layer.schedule != mine.root->schedule) {
    layer.schedule = mine.root->schedule;
    layer.curve = probes.add_layer();
  }
  if (layer.curve != 0) probes.add_time(layer.curve, static_cast<double>(end - thread.ring->open[slot].begin));
}

void end_call_threads(Thread& thread, uint32_t slot, uint64_t end, bool failed) {
  auto& mine = thread.of<ConcurrencyThread>();
  if (mine.call_span == 0 || mine.call_span != id_of(thread, slot)) return;
  const uint32_t threads = threads_of_call(mine);
  mine.layer_span = 0;
  set_threads(thread, 0);
  if (model_threads.has_functions) learn_own_threads(mine, threads);
  tell(thread, threads);
  if (mine.root != nullptr) {
    finish_call(mine, end - thread.ring->open[slot].begin, failed);
    tell_if_heaviest_has_ended();
  }
  forget_call_of(thread);
}

void restore_unwound_threads(Thread& thread) {
  auto& mine = thread.of<ConcurrencyThread>();
  if (mine.call_span == 0) return;
  if (mine.layer_span != 0 && !is_open(thread, mine.layer_slot, mine.layer_span)) restore_layer(thread);
  if (is_open(thread, mine.call_slot, mine.call_span)) return;
  set_threads(thread, 0);
  forget_call_of(thread);
}

bool are_threads_changed() {
  const ConcurrencyMode mode = model_threads.settings.mode;
  return mode == ConcurrencyMode::kMeasure || mode == ConcurrencyMode::kApply;
}

uint32_t number_of_program() {
  const Thread* thread = this_thread;
  if (thread == nullptr) return 0;
  const auto& mine = thread->of<ConcurrencyThread>();
  return mine.set == 0 ? 0 : mine.own;
}

void leave_threads_to_program() {
  if (Thread* thread = this_thread; thread != nullptr) {
    auto& mine = thread->of<ConcurrencyThread>();
    set_threads(*thread, 0);
    mine.whole = 0;
    mine.layer_span = 0;
    mine.sets_layers = false;
    mine.root = nullptr;  // the call is of no number any more
  }
  leave_to_program();
}

SessionThreads session_threads() {
  const ConcurrencySettings& settings = model_threads.settings;
  return {.intra = settings.sessions_intra != 0 ? settings.sessions_intra : model_threads.policy.sessions_intra(),
          .inter = settings.sessions_inter != 0 ? settings.sessions_inter : model_threads.policy.sessions_inter()};
}

}  // namespace xsp::guest
