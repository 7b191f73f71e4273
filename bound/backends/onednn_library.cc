#include "bound/backends/onednn_library.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

namespace xsp::bound::onednn {
namespace {

constexpr const char* kAnswerNames[] = {"success",       "out of memory", "invalid arguments", "unimplemented",
                                        "iterator ends", "runtime error", "not required"};

struct RuntimeName {
  unsigned runtime;
  const char* name;
};
constexpr RuntimeName kRuntimeNames[] = {{kRuntimeSequential, "sequential"},
                                         {kRuntimeOpenMp, "OpenMP"},
                                         {kRuntimeTbb, "TBB"},
                                         {kRuntimeThreadPool, "thread pool"},
                                         {kRuntimeSycl, "SYCL"}};

const char* runtime_name(unsigned runtime) {
  const auto* const found = std::ranges::find(kRuntimeNames, runtime, &RuntimeName::runtime);
  return found == std::end(kRuntimeNames) ? "unknown runtime" : found->name;
}

/// TBB sizes its arena by the processors that the process may use when it first runs something.
Status use_processors(int count) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {"cannot read the processors of this process"};
  int kept = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed) && ++kept > count) CPU_CLR(i, &allowed);
  }
  if (kept < count) return {fmt::format("{} threads are more than the {} processors of this process", count, kept)};
  return sched_setaffinity(0, sizeof(allowed), &allowed) == 0 ? Status() : Status{"cannot set processors"};
}

}  // namespace

const char* name_of(Answer answer) {
  const auto index = static_cast<size_t>(answer);
  return index < std::size(kAnswerNames) ? kAnswerNames[index] : "unknown error";
}

Status LoadedLibrary::find(std::span<const WantedFunction> wanted) const {
  for (const WantedFunction& one : wanted) {
    void* const found = file_.symbol(one.name);
    if (found == nullptr && !one.may_be_missing) return {fmt::format("{} has no {}", file_.path(), one.name)};
    std::memcpy(one.slot, &found, sizeof(found));
  }
  return {};
}

Status LoadedLibrary::open(const std::string& path, std::shared_ptr<const LoadedLibrary>* library) {
  std::shared_ptr<LoadedLibrary> loaded(new LoadedLibrary());
  if (Status status = SharedLibrary::open(path, true, &loaded->file_); !status.ok()) return status;
  loaded->facts_ = {"onednn", "onednn", "", "", loaded->file_.path()};
  if (Status status = loaded->find_functions(); !status.ok()) return status;
  if (Status status = loaded->start(); !status.ok()) return status;
  *library = std::move(loaded);
  return {};
}

Status LoadedLibrary::find_functions() {
  Functions& f = functions_;
  const WantedFunction wanted[] = {
      {"dnnl_version", &f.version},
      {"dnnl_engine_create", &f.engine_create},
      {"dnnl_engine_destroy", &f.engine_destroy},
      {"dnnl_stream_create", &f.stream_create},
      {"dnnl_stream_wait", &f.stream_wait},
      {"dnnl_stream_destroy", &f.stream_destroy},
      {"dnnl_primitive_attr_create", &f.attribute_create},
      {"dnnl_primitive_attr_destroy", &f.attribute_destroy},
      {"dnnl_primitive_attr_set_scratchpad_mode", &f.attribute_set_scratchpad_mode},
      {"dnnl_primitive_attr_set_post_ops", &f.attribute_set_post_ops},
      {"dnnl_post_ops_create", &f.post_ops_create},
      {"dnnl_post_ops_destroy", &f.post_ops_destroy},
      {"dnnl_post_ops_append_binary", &f.post_ops_append_binary},
      {"dnnl_memory_desc_get_size", &f.description_size},
      {"dnnl_memory_create", &f.memory_create},
      {"dnnl_memory_destroy", &f.memory_destroy},
      {"dnnl_reorder_primitive_desc_create", &f.reorder_create},
      {"dnnl_primitive_desc_query", &f.descriptor_query},
      {"dnnl_primitive_desc_query_md", &f.descriptor_query_memory},
      {"dnnl_primitive_desc_destroy", &f.descriptor_destroy},
      {"dnnl_primitive_create", &f.primitive_create},
      {"dnnl_primitive_execute", &f.primitive_execute},
      {"dnnl_primitive_destroy", &f.primitive_destroy},
      {"dnnl_primitive_attr_set_fpmath_mode", &f.attribute_set_math_mode, true},
  };
  return find(wanted);
}

Status LoadedLibrary::start() {
  const VersionFacts* const version = functions_.version();
  if (version == nullptr) return {fmt::format("{} does not say its version", facts_.path)};
  version_ = *version;
  facts_.version = fmt::format("{}.{}.{}", version_.major, version_.minor, version_.patch);
  const char* const hash = version_.hash == nullptr ? "" : version_.hash;
  facts_.build = fmt::format("{}{}{}", hash, *hash == '\0' ? "" : ", ", runtime_name(version_.cpu_runtime));
  if (version_.major != 2 && version_.major != 3)
    return {fmt::format("{} is oneDNN {}: only versions 2 and 3 are known", facts_.path, facts_.version)};
  // Such a build runs what is asked of the processor through a queue of SYCL, with that one's cost in every call.
  if (version_.cpu_runtime == kRuntimeSycl)
    return {fmt::format("{} is built for SYCL, not for threads of the processor", facts_.path)};
  if (const Answer answer = functions_.engine_create(&engine_, kCpuEngine, 0); answer != Answer::kSuccess)
    return {fmt::format("oneDNN {} makes no engine: {}", facts_.version, name_of(answer))};
  if (const Answer answer = functions_.stream_create(&stream_, engine_, kInOrderStream); answer != Answer::kSuccess)
    return {fmt::format("oneDNN {} makes no stream: {}", facts_.version, name_of(answer))};
  return {};
}

LoadedLibrary::~LoadedLibrary() {
  if (stream_ != nullptr) functions_.stream_destroy(stream_);
  if (engine_ != nullptr) functions_.engine_destroy(engine_);
}

Status LoadedLibrary::set_threads(int threads) const {
  if (threads < 1) return {"fewer than one thread"};
  switch (cpu_runtime()) {
    case kRuntimeOpenMp: {
      // Asked of this handle: a process may hold several OpenMP runtimes, and the first one need not be the library's.
      void (*set_number)(int) = nullptr;
      const WantedFunction wanted[] = {{"omp_set_num_threads", &set_number}};
      if (Status status = find(wanted); !status.ok()) return status;
      set_number(threads);
      return {};
    }
    case kRuntimeTbb:
      return use_processors(threads);
    default:
      // A stream without a thread pool of its own runs on the thread that calls.
      return threads == 1 ? Status() : Status{fmt::format("this oneDNN ({}) runs on one thread", facts_.build)};
  }
}

}  // namespace xsp::bound::onednn
