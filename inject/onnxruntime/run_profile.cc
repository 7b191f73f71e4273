#include "inject/onnxruntime/run_profile.h"

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/onnxruntime/pointer_set.h"
#include "inject/onnxruntime/session_profile.h"
#include "inject/record/clock_offset.h"
#include "inject/record/process.h"
#include "inject/send/process_packets.h"

namespace xsp::guest {
namespace {

/// Runs shorter than this are not worth a file each, however few nodes they have.
constexpr uint64_t kShortestProfiledRun = 5'000'000;
/// The shortest of this many runs says how long runs are: a session's first run takes longer, and any run may have had
/// to wait.
constexpr uint32_t kRunsBeforeChange = 3;
/// After this many profiles of runs their cost is known. From then on they may take a twentieth of the time that runs
/// take.
constexpr uint32_t kRunsBeforePrice = 8;
constexpr uint64_t kRunTimePerCost = 20;
/// Where model calls are sampled, profiles may take half a percent. Where runs cannot have profiles of their own, so
/// many of them are in the session's profile, which slows all runs alike.
constexpr uint64_t kSampledRunTimePerCost = 200;
constexpr uint32_t kSampledSessionRuns = 20;

/// Options of the program that runs are using with a profile of ours, and options with which the program profiles runs
/// itself.
constinit PointerSet<64> borrowed_run_options{};
constinit PointerSet<256> profiled_run_options{};
constinit std::atomic<bool> user_profiles{false};

/// The beginning of the names of the profiles of a session's runs; the time at which a run began follows.
OrtPath run_prefix(const Process& process, const OrtSession& session) {
  return ort_profile_prefix(process.settings, process.pid, session.number).put("-run");
}

OrtPath run_path(const Process& process, const OrtSession& session, uint64_t start_realtime) {
  return run_prefix(process, session).put("_").put_number(start_realtime);
}

void post(const OrtSession& session, const OrtPath& path, bool complete, uint64_t start_realtime) {
  const auto scope = ort_scope(session.number);
  wire::ProfileFile file{.format = static_cast<uint32_t>(wire::ProfileFileFormat::kOrtJson)};
  file.path = path.view();
  file.scope = scope.view();
  file.complete = complete;
  file.of_runs = true;
  file.start_realtime_ns = start_realtime;
  file.realtime_offset_ns = read_realtime_offset();
  post_profile_file(file);
}

void lower(std::atomic<uint64_t>& least, uint64_t value) {
  uint64_t known = least.load(std::memory_order_relaxed);
  while (value < known && !least.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

/// How much run time pays for one profile.
uint64_t price_of(const OrtSession& session) {
  if (session.runs_profiled.load(std::memory_order_relaxed) < kRunsBeforePrice) return 0;
  const bool samples = is_sampling.load(std::memory_order_relaxed);
  return (samples ? kSampledRunTimePerCost : kRunTimePerCost) * session.profile_cost_ns.load(std::memory_order_relaxed);
}

bool take_price(OrtSession& session) {
  if (session.shortest_ns.load(std::memory_order_relaxed) == UINT64_MAX) return false;
  const uint64_t price = price_of(session);
  uint64_t credit = session.credit_ns.load(std::memory_order_relaxed);
  do {
    if (credit < price) return false;
  } while (!session.credit_ns.compare_exchange_weak(credit, credit - price, std::memory_order_relaxed));
  return true;
}

void add_credit(OrtSession& session, uint64_t nanoseconds) {
  // At most two prices: after a long quiet time profiles do not come in a burst.
  const uint64_t most = 2 * (price_of(session) + nanoseconds);
  if (session.credit_ns.fetch_add(nanoseconds, std::memory_order_relaxed) + nanoseconds > most) {
    session.credit_ns.store(most, std::memory_order_relaxed);
  }
}

}  // namespace

void OrtRunProfile::begin(OrtSession& session, const void* run_options) {
  options_ = run_options;
  if (session.layers.load(std::memory_order_relaxed) != OrtLayers::kRunProfiles) return;
  Process* process = wake_process();
  if (process == nullptr || is_users_run_profile(run_options) || !take_price(session)) return;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const ort::Api& api = *session.api;
  // Two runs at once may share the program's options: only the first gets a profile.
  if (run_options == nullptr) {
    if (!ort::succeeded(api, api.CreateRunOptions(&own_options_))) own_options_ = nullptr;
  } else if (borrowed_run_options.add(run_options)) {
    borrowed_options_ = const_cast<void*>(run_options);
  }
  void* options = own_options_ != nullptr ? own_options_ : borrowed_options_;
  if (options == nullptr) return;
  named_realtime_ = nanoseconds(CLOCK_REALTIME);
  if (session.runs_announced.exchange(process->pid, std::memory_order_relaxed) != process->pid) {
    post(session, run_prefix(*process, session), false, named_realtime_);
  }
  if (ort::succeeded(api,
                     api.RunOptionsEnableProfiling(options, run_path(*process, session, named_realtime_).c_str()))) {
    options_ = options;
  } else {
    named_realtime_ = 0;
  }
}

void OrtRunProfile::span_began() {
  if (named_realtime_ != 0) began_realtime_ = nanoseconds(CLOCK_REALTIME);
}

bool OrtRunProfile::end(OrtSession& session) {
  if (own_options_ == nullptr && borrowed_options_ == nullptr) return false;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const ort::Api& api = *session.api;
  if (own_options_ != nullptr) api.ReleaseRunOptions(own_options_);
  if (borrowed_options_ != nullptr) {
    ort::succeeded(api, api.RunOptionsDisableProfiling(borrowed_options_));
    borrowed_run_options.remove(borrowed_options_);
  }
  const Process* process = awake_process();
  if (process == nullptr || named_realtime_ == 0) return false;
  post(session, run_path(*process, session, named_realtime_), true, began_realtime_);
  return true;
}

void ort_run_took(OrtSession& session, const void* address, uint64_t nanoseconds, bool was_profiled) {
  const OrtLayers layers = session.layers.load(std::memory_order_relaxed);
  if (layers == OrtLayers::kRunProfiles) {
    const uint64_t shortest = session.shortest_ns.load(std::memory_order_relaxed);
    if (!was_profiled) {
      lower(session.shortest_ns, nanoseconds);
    } else {
      lower(session.profile_cost_ns, nanoseconds > shortest ? nanoseconds - shortest : 0);
      session.runs_profiled.fetch_add(1, std::memory_order_relaxed);
    }
    return add_credit(session, nanoseconds);
  }
  const bool has_run_profiles = session.api->RunOptionsEnableProfiling != nullptr;
  const bool samples = is_sampling.load(std::memory_order_relaxed);
  if (layers != OrtLayers::kSessionProfile || (!has_run_profiles && !samples)) return;
  const uint32_t runs = session.runs_done.fetch_add(1, std::memory_order_relaxed) + 1;
  lower(session.shortest_ns, nanoseconds);
  if (runs < (has_run_profiles ? kRunsBeforeChange : kSampledSessionRuns)) return;
  if (!samples && session.shortest_ns.load(std::memory_order_relaxed) < kShortestProfiledRun) return;
  end_session_profile(session, address, 0);
  if (!has_run_profiles) return;
  OrtLayers ended = OrtLayers::kNone;
  session.layers.compare_exchange_strong(ended, OrtLayers::kRunProfiles);
}

void users_run_profile(const void* run_options, bool on) {
  if (!on) return profiled_run_options.remove(run_options);
  user_profiles.store(true, std::memory_order_relaxed);
  profiled_run_options.add(run_options);
}

bool is_users_run_profile(const void* run_options) { return profiled_run_options.contains(run_options); }

bool user_profiles_runs() { return user_profiles.load(std::memory_order_relaxed); }

}  // namespace xsp::guest
