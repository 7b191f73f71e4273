#include "test/inject/cupti/calls/test_cupti.h"

#include "inject/cupti/library/api_functions.h"

namespace xsp::test {

AskedOfCupti asked_of_cupti;

namespace {

using namespace guest;

constexpr const char* kRuntimeNames[] = {nullptr,
                                         "cudaLaunchKernel_v7000",
                                         nullptr,
                                         "cudaStreamSynchronize_v3020",
                                         "cudaStreamCreate_v3020",
                                         "cudaMalloc_v3020",
                                         "cudaGetDevice_v3020",
                                         "cudaGraphInstantiate_v12000",
                                         "cudaGraphLaunch_ptsz_v10000"};
constexpr const char* kDriverNames[] = {nullptr, "cuLaunchKernel", "cuMemAlloc_v2", "cuCtxGetCurrent",
                                        "cuStreamCreate"};

template <size_t kCount>
cupti::Result name_at(const char* const (&names)[kCount], uint32_t id, const char** name) {
  if (id >= kCount || names[id] == nullptr) return 1;
  *name = names[id];
  return cupti::kSuccess;
}

cupti::Result get_callback_name(int domain, uint32_t id, const char** name) {
  return domain == cupti::kRuntimeApi ? name_at(kRuntimeNames, id, name) : name_at(kDriverNames, id, name);
}

std::string name_of_callback(int domain, uint32_t id) {
  const char* name = "";
  get_callback_name(domain, id, &name);
  return std::string(without_version(name));
}

cupti::Result enable_callback(uint32_t enable, void* /*subscriber*/, int domain, uint32_t id) {
  if (enable == 0) return 1;
  if (domain == cupti::kResource) {
    asked_of_cupti.resource_callbacks.insert(id);
  } else if (domain == cupti::kState) {
    asked_of_cupti.state_callbacks.insert(id);
  } else {
    asked_of_cupti.callbacks.insert({domain, name_of_callback(domain, id)});
  }
  return cupti::kSuccess;
}

void filter(const std::string& name, bool enable) {
  if (enable) {
    asked_of_cupti.recorded_functions.insert(name);
  } else {
    asked_of_cupti.recorded_functions.erase(name);
  }
}

cupti::Result filter_runtime(uint32_t id, uint8_t enable) {
  filter(name_of_callback(cupti::kRuntimeApi, id), enable != 0);
  return cupti::kSuccess;
}

cupti::Result filter_driver(uint32_t id, uint8_t enable) {
  filter(name_of_callback(cupti::kDriverApi, id), enable != 0);
  return cupti::kSuccess;
}

cupti::Result activity_enable(int kind) {
  asked_of_cupti.kinds.insert(kind);
  return cupti::kSuccess;
}

cupti::Result activity_disable(int kind) {
  asked_of_cupti.kinds.erase(kind);
  return cupti::kSuccess;
}

cupti::Result get_graph_node_id(void* node, uint64_t* id) {
  *id = *static_cast<const uint64_t*>(node);
  return *id == 0 ? 1 : cupti::kSuccess;
}

}  // namespace

void use_test_cupti(Session& session) {
  session.cupti.get_callback_name = get_callback_name;
  session.cupti.enable_callback = enable_callback;
  session.cupti.activity_enable_runtime_api = filter_runtime;
  session.cupti.activity_enable_driver_api = filter_driver;
  session.cupti.activity_enable = activity_enable;
  session.cupti.activity_disable = activity_disable;
  session.cupti.get_graph_node_id = get_graph_node_id;
}

}  // namespace xsp::test
