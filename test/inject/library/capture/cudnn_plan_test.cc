// The capture of executions of cuDNN's backend API, with plans that the installed cuDNN finalized for a device that
// need not be here.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "test/catch.h"
#include "test/inject/library/capture/capture_stand_in.h"

extern "C" {
void xsp_capture_cudnnBackendExecute(const xsp_call*, xsp_values*, void*, void*, void*);
void xsp_observe_cudnnBackendFinalize(void*, void*);
void xsp_observe_cudnnBackendDestroyDescriptor(void*, void*);
void xsp_observe_cudnnBackendSetAttribute(void*, void*, int, int, int64_t, void*);
}

namespace {

using namespace xsp::test;

constexpr const char* kNames[] = {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9", nullptr};
// cudnnBackendAttributeType_t
constexpr int kDataType = 1, kInt64 = 3, kFloat = 4, kMode = 7, kHeuristicMode = 8, kDescriptor = 15, kText = 24;

// Properties of an H200, as cuDNN asks for them.
constexpr std::string_view kDevice = R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
"regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
"maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
"maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
"supportCoopLaunch": 1, "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, "l2CacheSize": 62914560,
"deviceName": "NVIDIA H200", "smVersion": 900, "deviceVer": 900, "maxSharedMemoryPerSM": 233472, "sharedMemoryPerSM":
233472, "major": 9, "minor": 0, "ver": 900, "deviceId": 0, "cudaDriverVersion": 13000, "driverVersion": 13000,
"totalGlobalMem": 150754820096, "driverVer": 13000, "cudaDeviceId": 0})";

class Backend {
 public:
  explicit Backend(void* library)
      : create_(function_of<int(int, void**)>(library, "cudnnBackendCreateDescriptor")),
        set_(function_of<int(void*, int, int, int64_t, const void*)>(library, "cudnnBackendSetAttribute")),
        get_(function_of<int(void*, int, int, int64_t, int64_t*, void*)>(library, "cudnnBackendGetAttribute")),
        finalize_(function_of<int(void*)>(library, "cudnnBackendFinalize")) {}

  void* create(int kind) {
    void* made = nullptr;
    REQUIRE(create_(kind, &made) == 0);
    return made;
  }
  void set(void* descriptor, int attribute, int type, int64_t count, const void* values) {
    INFO(attribute);
    REQUIRE(set_(descriptor, attribute, type, count, values) == 0);
  }
  template <typename Value>
  void set(void* descriptor, int attribute, int type, std::initializer_list<Value> values) {
    set(descriptor, attribute, type, static_cast<int64_t>(values.size()), values.begin());
  }
  int finalize(void* descriptor) { return finalize_(descriptor); }
  int get(void* descriptor, int attribute, int type, int64_t requested, int64_t* count, void* values) {
    return get_(descriptor, attribute, type, requested, count, values);
  }

  void* tensor(int64_t uid, std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides) {
    void* made = create(kTensor);
    set<int>(made, 901, kDataType, {0});
    set(made, 902, kInt64, sizes);
    set(made, 903, kInt64, strides);
    set(made, 906, kInt64, {uid});
    set<int64_t>(made, 900, kInt64, {16});
    REQUIRE(finalize(made) == 0);
    return made;
  }

  // cudnnBackendDescriptorType_t
  static constexpr int kConvolution = 1, kEngineConfiguration = 3, kHeuristics = 4, kPlan = 5, kForward = 10,
                       kGraph = 15, kPack = 16, kTensor = 17, kDeviceProperties = 38;

 private:
  int (*create_)(int, void**);
  int (*set_)(void*, int, int, int64_t, const void*);
  int (*get_)(void*, int, int, int64_t, int64_t*, void*);
  int (*finalize_)(void*);
};

/// A finalized plan of a convolution; null when cuDNN offers none that works.
void* make_plan(Backend& cudnn) {
  void* device = cudnn.create(Backend::kDeviceProperties);
  cudnn.set(device, 2702, kText, static_cast<int64_t>(kDevice.size()), kDevice.data());
  REQUIRE(cudnn.finalize(device) == 0);
  void* x = cudnn.tensor(1, {1, 64, 56, 56}, {200704, 3136, 56, 1});
  void* w = cudnn.tensor(2, {64, 64, 3, 3}, {576, 9, 3, 1});
  void* y = cudnn.tensor(3, {1, 64, 56, 56}, {200704, 3136, 56, 1});
  void* convolution = cudnn.create(Backend::kConvolution);
  cudnn.set<int64_t>(convolution, 106, kInt64, {2});
  cudnn.set<int>(convolution, 100, kDataType, {0});
  cudnn.set<int>(convolution, 101, kMode, {1});
  for (int attribute : {102, 103, 104, 105}) cudnn.set<int64_t>(convolution, attribute, kInt64, {1, 1});
  REQUIRE(cudnn.finalize(convolution) == 0);
  void* forward = cudnn.create(Backend::kForward);
  cudnn.set(forward, 704, kDescriptor, {x});
  cudnn.set(forward, 703, kDescriptor, {w});
  cudnn.set(forward, 705, kDescriptor, {y});
  cudnn.set(forward, 702, kDescriptor, {convolution});
  cudnn.set(forward, 700, kFloat, {1.0F});
  cudnn.set(forward, 701, kFloat, {0.0F});
  REQUIRE(cudnn.finalize(forward) == 0);
  void* graph = cudnn.create(Backend::kGraph);
  cudnn.set(graph, 801, kDescriptor, {forward});
  REQUIRE(cudnn.finalize(graph) == 0);
  void* heuristics = cudnn.create(Backend::kHeuristics);
  cudnn.set(heuristics, 201, kDescriptor, {graph});
  cudnn.set<int>(heuristics, 200, kHeuristicMode, {3});
  cudnn.set(heuristics, 204, kDescriptor, {device});
  REQUIRE(cudnn.finalize(heuristics) == 0);
  void* configurations[8];
  for (void*& configuration : configurations) configuration = cudnn.create(Backend::kEngineConfiguration);
  int64_t count = 0;
  REQUIRE(cudnn.get(heuristics, 202, kDescriptor, 8, &count, configurations) == 0);
  for (int64_t i = 0; i < count && i < 8; ++i) {
    void* plan = cudnn.create(Backend::kPlan);
    cudnn.set(plan, 401, kDescriptor, {configurations[i]});
    cudnn.set(plan, 407, kDescriptor, {device});
    if (cudnn.finalize(plan) == 0) return plan;
  }
  return nullptr;
}

struct Captured {
  explicit Captured(const xsp_values& values) {
    ValueReader reader(values);
    handle = reader.next<uint64_t>();
    stream = reader.next<uint64_t>();
    plan = reader.next<uint32_t>();
    workspace = reader.next<uint64_t>();
    notes = reader.next<uint32_t>();
    override_uids = reader.next<uint32_t>();
    override_shapes = reader.next<uint32_t>();
    CHECK(reader.at_end());
  }
  uint64_t handle, stream, workspace;
  uint32_t plan, notes, override_uids, override_shapes;
};

Captured capture(const xsp_call& call, void* plan, void* pack) {
  xsp_values values{};
  xsp_capture_cudnnBackendExecute(&call, &values, nullptr, plan, pack);
  return Captured(values);
}

TEST_CASE("a plan is captured as its JSON, which is read again when the plan is another") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  Backend cudnn(library);
  void* plan = make_plan(cudnn);
  if (plan == nullptr) {
    WARN("skipped: this cuDNN finalizes no plan without a device");
    return;
  }
  const xsp_call call = call_of(library);
  const Captured first = capture(call, plan, nullptr);
  const std::string json = text_of(first.plan);
  for (const char* part : {"\"CONV_FORWARD\"", "[1,64,56,56]", "\"engineId\"", "NVIDIA H200"}) {
    INFO(json);
    CHECK(json.find(part) != std::string::npos);
  }
  CHECK(json.back() == '}');
  CHECK(text_of(first.notes) == "TENSOR_CORE");
  int64_t workspace = -1, count = 0;
  REQUIRE(cudnn.get(plan, 402, kInt64, 1, &count, &workspace) == 0);
  CHECK(first.workspace == static_cast<uint64_t>(workspace));

  // Known by its address: the library is not asked again.
  const xsp_call no_library = call_of(symbol_of(library, "cudnnGetVersion"));
  CHECK(capture(no_library, plan, nullptr).plan == first.plan);
  xsp_observe_cudnnBackendDestroyDescriptor(nullptr, plan);
  CHECK(capture(call, plan, nullptr).plan == first.plan);
  xsp_observe_cudnnBackendFinalize(nullptr, plan);
  CHECK(capture(call, plan, nullptr).workspace == first.workspace);
}

TEST_CASE("what is no plan is captured without one") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  Backend cudnn(library);
  const xsp_call call = call_of(library);
  CHECK(capture(call, nullptr, nullptr).plan == 0);
  void* tensor = cudnn.tensor(1, {1, 2, 3, 4}, {24, 12, 4, 1});
  CHECK(capture(call, tensor, nullptr).plan == 0);
  CHECK(capture(call, cudnn.create(Backend::kPlan), nullptr).plan == 0);
}

TEST_CASE("shapes that a variant pack overrides are captured until it is destroyed") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  Backend cudnn(library);
  const xsp_call call = call_of(library);
  void* pack = cudnn.create(Backend::kPack);
  int64_t uids[] = {1, 2}, shapes[] = {8, 3, 224, 224, 64, 3, 7, 7};
  xsp_observe_cudnnBackendSetAttribute(nullptr, pack, 1010, kInt64, 2, uids);
  xsp_observe_cudnnBackendSetAttribute(nullptr, pack, 1011, kInt64, 8, shapes);
  xsp_observe_cudnnBackendSetAttribute(nullptr, pack, 1000, kInt64, 2, uids);  // of no interest
  CHECK(text_of(capture(call, nullptr, pack).override_uids) == "[1,2]");
  CHECK(text_of(capture(call, nullptr, pack).override_shapes) == "[8,3,224,224,64,3,7,7]");
  shapes[0] = 16;
  xsp_observe_cudnnBackendSetAttribute(nullptr, pack, 1011, kInt64, 8, shapes);
  CHECK(text_of(capture(call, nullptr, pack).override_shapes) == "[16,3,224,224,64,3,7,7]");
  xsp_observe_cudnnBackendDestroyDescriptor(nullptr, pack);
  CHECK(capture(call, nullptr, pack).override_shapes == 0);
}

// Answers of a cuDNN that is not to be trusted.
int64_t told_size, written_size;
int plan_status;

int strange_answer(const void*, int attribute, int, int64_t requested, int64_t* count, void* elements) {
  constexpr int kWorkspaceSize = 402;
  if (attribute == kWorkspaceSize) {
    *count = 1;
    *static_cast<int64_t*>(elements) = 77;
    return 0;
  }
  *count = requested == 0 ? told_size : written_size;
  if (requested != 0) memset(elements, 'x', static_cast<size_t>(std::min(requested, written_size)));
  return plan_status;
}

std::string strange_plan(int64_t told, int64_t written, int status) {
  static int plans[16];
  static int used = 0;
  told_size = told;
  written_size = written;
  plan_status = status;
  replace_function("cudnnBackendGetAttribute", reinterpret_cast<void*>(&strange_answer));
  const Captured captured = capture(call_of(nullptr), &plans[used++], nullptr);
  replace_function("cudnnBackendGetAttribute", nullptr);
  CHECK(captured.workspace == 77);
  return text_of(captured.plan);
}

TEST_CASE("a plan that cannot be read whole says so") {
  CHECK(strange_plan(10, 10, 0) == "xxxxxxxxxx");
  CHECK(strange_plan(int64_t{256} << 10, int64_t{256} << 10, 0).size() == size_t{256} << 10);
  CHECK(notices().empty());
  CHECK(strange_plan(300000, 300000, 0) == "{\"omitted_bytes\":300000}");
  CHECK(notices().find("an execution plan could not be read whole") != std::string::npos);
  CHECK(strange_plan(0, 0, 0) == "{\"empty\":0}");
  CHECK(strange_plan(-5, 0, 0) == "{\"empty\":-5}");
  CHECK(strange_plan(10, 12, 0) == "{\"unreadable\":0}");
  CHECK(strange_plan(10, 10, 3000) == "{\"unreadable\":3000}");
}

}  // namespace
