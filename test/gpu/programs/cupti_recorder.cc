/// Records what CUPTI does in a program, with nothing of XSP in it: a library that libcuda loads inside cuInit.
///
///     g++ -std=c++17 -O1 -shared -fPIC -I CUDA/include cupti_recorder.cc -o recorder.so -ldl -pthread
///     CUDA_INJECTION64_PATH=$PWD/recorder.so CUPTI_RECORDER_OUTPUT=run.%p.txt CUPTI_RECORDER=flush=50 program
///
/// Environment: CUPTI_RECORDER_OUTPUT (`%p`: process id), CUPTI_RECORDER_LIBRARY (a libcupti; else the loader's),
/// CUPTI_RECORDER: words, separated by commas (doc/recorder.md says what each is for):
///   runtime_kinds  per_thread=0|1  flush=MS (100)  pool_limit=N  buffer_bytes=N (262144)  timestamp_callback
///   range_profiler  no_callbacks  sessions=N  limit=MB (512)
///
/// The file has a line for each thing: a word, then key=value in any order, without spaces in a value. `t` is
/// CLOCK_MONOTONIC in ns, `thread` a gettid, `name=@7` the text of `text id=7 is=...` (%xx: a byte). Lines of one
/// thread are in order, those of several all but so. Words:
///   recording   format, cupti_version, header_version, pid, thread (which initialises), variant
///   fact device attribute set   what the driver and CUPTI say of themselves; what was asked of CUPTI, and its result
///   clock       cupti, real, tsc, spread: readings at t of cuptiGetTimestamp and the machine's clocks, within `spread`
///   callback    domain (1 driver, 2 runtime), id, name, site, correlation, context, symbol; result at the exit
///   resource    id (CUPTI_CBID_RESOURCE_*), context, stream, module; of graphs graph, graph_id, exec, exec_id, node,
///               node_id, original, original_id, node_type (handles are hexadecimal)
///   state       id, result, message
///   requested completed   a buffer's number, bytes; valid, context, stream; flush=1: inside a flush by the recorder
///   record      buffer, kind, size, hex: as it lay there; name: of a kernel
///   walked      buffer, walk: what ended the walk through it (12: its end); left_out, left_out_zero: kernels that are
///               beyond the limit, and those of them without times
///   dropped     count     flush_begin flush_end   flags, result     session   number: kinds are enabled again
///   range       launch, what, result, ranges     exiting   the exit handler begins     error   what
/// `inside=2:211:17` is the innermost call on that thread: domain, callback, correlation id.

#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "cupti_recorder_buffers.h"
#include "cupti_recorder_ranges.h"
#include "cupti_recorder_state.h"

namespace recorder {
namespace {

/// Kinds as XSP has them, then those of calls.
constexpr int kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
                          CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,   CUPTI_ACTIVITY_KIND_MEMORY2,
                          CUPTI_ACTIVITY_KIND_OVERHEAD};
constexpr int kCallKinds[] = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

/// What was asked of CUPTI, and what it said.
int told(const char* what, uint64_t argument, int result) {
  line_here("set").word("what", what).number("argument", argument).signed_number("result", result).end(it().file);
  return result;
}

void tell_dropped() {
  size_t count = 0;
  const CUptiResult result = it().cupti.get_num_dropped(nullptr, 0, &count);
  if (result != CUPTI_SUCCESS || count != 0)
    line_here("dropped").number("count", count).number("result", result).end(it().file);
}

void flush(uint32_t flags) {
  line_here("flush_begin").number("flags", flags).end(it().file);
  here().flushing = true;
  const CUptiResult result = it().cupti.flush_all(flags);
  here().flushing = false;
  line_here("flush_end").number("flags", flags).number("result", result).end(it().file);
  tell_dropped();
}

/// Counts to where the next session is due: 8 launches of graphs, or 64 of kernels where there are none.
void note_launch(bool of_graph) {
  Recorder& r = it();
  const uint32_t graphs = __atomic_add_fetch(&r.graph_launches, of_graph, __ATOMIC_RELAXED);
  const uint32_t others = __atomic_add_fetch(&r.other_launches, !of_graph, __ATOMIC_RELAXED);
  if (graphs < 8 && (graphs != 0 || others < 64)) return;
  const Lock held(r.lock);
  if (r.session >= r.options.sessions || r.session_is_due) return;
  r.session_is_due = true;
  pthread_cond_signal(&r.wake);
}

void on_call(int domain, uint32_t id, const CUpti_CallbackData& data) {
  Recorder& r = it();
  Place& place = here();
  const bool enter = data.callbackSite == CUPTI_API_ENTER;
  const Launch launch = launch_of(data.functionName);
  if (enter && launch != Launch::kNone) range_begins(r.file, r.cupti, r.options, data.context);
  Line line = line_here("callback");
  line.number("domain", static_cast<uint64_t>(domain)).number("id", id).text("name", r.file, data.functionName);
  line.word("site", enter ? "enter" : "exit").number("correlation", data.correlationId);
  line.number("context", data.contextUid).text("symbol", r.file, data.symbolName);
  if (!enter && data.functionReturnValue != nullptr)
    line.signed_number("result", *static_cast<const int*>(data.functionReturnValue));
  line.end(r.file);
  if (enter) {
    if (place.depth < 16) place.calls[place.depth] = {domain, id, data.correlationId};
    ++place.depth;
    return;
  }
  if (place.depth > 0) --place.depth;
  if (launch == Launch::kNone) return;
  range_ends(r.file, r.cupti, r.options);
  if (place.depth == 0) note_launch(launch == Launch::kGraph);
}

void on_resource(uint32_t id, const CUpti_ResourceData& data) {
  Recorder& r = it();
  Line line = line_here("resource");
  line.number("id", id);
  put_inside(line);
  put_resource(line, r.cupti, id, data);
  line.end(r.file);
  if (id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED) return;
  const Lock held(r.lock);
  r.context_seen = true;
  pthread_cond_signal(&r.wake);
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Recorder& r = it();
  if (data == nullptr || r.is_child || here().own) return;
  const int error = errno;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API || domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    on_call(domain, id, *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  } else if (domain == kStateDomain) {
    const auto& state = *static_cast<const StateData*>(data);
    line_here("state")
        .number("id", id)
        .number("result", static_cast<uint64_t>(state.result))
        .text("message", r.file, state.message)
        .end(r.file);
  }
  errno = error;
}

void enable_kinds(bool on) {
  Cupti& cupti = it().cupti;
  const char* const what = on ? "cuptiActivityEnable" : "cuptiActivityDisable";
  const auto change = on ? cupti.activity_enable : cupti.activity_disable;
  for (const int kind : kKinds) told(what, static_cast<uint64_t>(kind), change(static_cast<CUpti_ActivityKind>(kind)));
  for (const int kind : kCallKinds)
    if (it().options.runtime_kinds)
      told(what, static_cast<uint64_t>(kind), change(static_cast<CUpti_ActivityKind>(kind)));
}

uint64_t CUPTIAPI steady_clock() { return nanoseconds(CLOCK_MONOTONIC); }

void begin_session() {
  Recorder& r = it();
  if (r.options.timestamp_callback)
    told("cuptiActivityRegisterTimestampCallback", r.session, r.cupti.register_timestamp(steady_clock));
  line_here("session").number("number", ++r.session).end(r.file);
  enable_kinds(true);
}

void set_attribute(int attribute, uint64_t value, size_t size) {
  told("cuptiActivitySetAttribute", static_cast<uint64_t>(attribute),
       it().cupti.set_attribute(static_cast<CUpti_ActivityAttribute>(attribute), &size, &value));
}

void tell_facts_once() {
  Recorder& r = it();
  if (r.context_seen && !__atomic_exchange_n(&r.facts_told, true, __ATOMIC_ACQ_REL)) tell_facts(r.file, r.cupti);
}

/// Flushes, tells the clock, changes sessions; what blocks in CUPTI does not keep the file from being written.
void* watch(void*) {
  Recorder& r = it();
  here().own = true;
  uint64_t flushed = 0, clocked = 0;
  for (;;) {
    bool change = false;
    {
      const Lock held(r.lock);
      const uint64_t due = nanoseconds(CLOCK_REALTIME) + (r.options.flush_ms == 0 ? 100 : r.options.flush_ms) * 1000000;
      const timespec until = {static_cast<time_t>(due / 1000000000), static_cast<long>(due % 1000000000)};
      if (!r.session_is_due && !r.ending) pthread_cond_timedwait(&r.wake, &r.lock, &until);
      if (r.ending) return nullptr;
      change = r.session_is_due;
    }
    tell_facts_once();
    if (change) {
      enable_kinds(false);
      flush(0);
      begin_session();
      const Lock held(r.lock);
      r.session_is_due = false;
      r.graph_launches = r.other_launches = 0;
    }
    const uint64_t now = nanoseconds(CLOCK_MONOTONIC);
    if (now - clocked >= 90000000) {
      tell_clock(r.file, r.cupti);
      clocked = now;
    }
    if (r.options.flush_ms == 0 || now - flushed < r.options.flush_ms * 900000) continue;
    flush(0);
    flushed = now;
  }
}

void* write(void*) {
  here().own = true;
  for (;;) {
    const timespec pause = {0, 50000000};
    nanosleep(&pause, nullptr);
    it().file.write_out();
  }
}

void start_thread(void* (*run)(void*)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void at_exit() {
  Recorder& r = it();
  if (r.pid != getpid()) return;
  {
    const Lock held(r.lock);
    r.ending = true;
    pthread_cond_signal(&r.wake);
  }
  line_here("exiting").end(r.file);
  r.file.write_through();
  here().own = true;
  tell_clock(r.file, r.cupti);
  tell_facts_once();
  flush(1);
  tell_attributes(r.file, r.cupti);
  here().own = false;
  r.file.write_out();
}

/// Who loaded us may unload us at the exit, under our threads.
void stay_loaded() {
  Dl_info here_in;
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &here_in) != 0)
    dlopen(here_in.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// A child has none of our threads, and CUDA does not survive a fork.
void in_child() { it().is_child = true; }

bool start() {
  Recorder& r = it();
  const char* const output = getenv("CUPTI_RECORDER_OUTPUT");
  if (output == nullptr || r.pid != 0) return false;
  r.pid = getpid();
  r.options = read_options(getenv("CUPTI_RECORDER"));
  if (!r.file.open(output, r.options.limit_bytes)) return false;
  uint32_t version = 0;
  const char* const missing = r.cupti.load(getenv("CUPTI_RECORDER_LIBRARY"));
  if (missing == nullptr) r.cupti.get_version(&version);
  const char* const variant = getenv("CUPTI_RECORDER");
  line_here("recording")
      .number("format", 1)
      .number("cupti_version", version)
      .number("header_version", CUPTI_API_VERSION)
      .number("pid", static_cast<uint64_t>(r.pid))
      .text("variant", r.file, variant == nullptr ? "" : variant)
      .end(r.file);
  if (missing != nullptr) line_here("error").text("what", r.file, missing).end(r.file);
  r.file.write_out();
  return missing == nullptr;
}

void attach() {
  Recorder& r = it();
  Cupti& cupti = r.cupti;
  tell_clock(r.file, cupti);
  told("cuptiSubscribe", 0, cupti.subscribe(&r.subscriber, on_callback, nullptr));
  const auto enable = [&](int domain) {
    told("cuptiEnableDomain", static_cast<uint64_t>(domain),
         cupti.enable_domain(1, r.subscriber, static_cast<CUpti_CallbackDomain>(domain)));
  };
  if (r.options.per_thread >= 0) set_attribute(kPerThreadBuffers, static_cast<uint64_t>(r.options.per_thread), 1);
  if (r.options.pool_limit != 0) set_attribute(kPoolLimit, r.options.pool_limit, sizeof(size_t));
  cupti.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  told("cuptiActivityRegisterCallbacks", 0, cupti.register_callbacks(on_requested, on_completed));
  enable(CUPTI_CB_DOMAIN_RESOURCE);
  enable(kStateDomain);
  if (!r.options.no_callbacks) {
    enable(CUPTI_CB_DOMAIN_RUNTIME_API);
    enable(CUPTI_CB_DOMAIN_DRIVER_API);
  }
  begin_session();
  tell_attributes(r.file, cupti);
}

}  // namespace
}  // namespace recorder

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace recorder;
  if (!start()) return 1;
  stay_loaded();
  const bool was_own = here().own;
  here().own = true;
  attach();
  here().own = was_own;
  start_thread(watch);
  start_thread(write);
  pthread_atfork(nullptr, nullptr, in_child);
  atexit(at_exit);
  return 1;
}
