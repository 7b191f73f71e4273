#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "bound/backends/cuda_files.h"
#include "bound/backends/cudnn_backend.h"
#include "bound/backends/cudnn_engines.h"
#include "bound/backends/cudnn_legacy.h"
#include "test/catch.h"

// Real libraries, without a device. They, and the driver that they load, are named as the stand-ins are: all of it is
// in processes of their own.

namespace xsp::bound::cudnn {
namespace {

namespace fs = std::filesystem;

/// What cuDNN asks of a device, as it writes that into plans.
std::string device_of_capability(int capability) {
  return fmt::format(
      R"({{"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
      R"("multiProcessorCount":132,"warpSize":32,"maxSharedMemoryPerBlock":49152,)"
      R"("maxSharedMemoryPerBlockOptin":{1},"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)"
      R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)"
      R"("supportCoopLaunch":1,"smClockRateKHz":1980000,"memClockRateKHz":3201000,"l2CacheSize":62914560,)"
      R"("deviceName":"NVIDIA H200","deviceVer":{0},"totalGlobalMem":150754820096,"driverVer":13000,)"
      R"("cudaDeviceId":0}})",
      capability, capability == 800 ? 166912 : 232448);
}

/// cuDNN of a version that plans without a device; those of this machine's Pythons below the build folder, too.
std::vector<std::string> real_libraries(int major) {
  std::vector<std::string> files = cudnn_files();
  if (const char* const more = getenv("XSP_TEST_CUDNN")) files.insert(files.begin(), more);
  std::error_code error;
  const fs::path python = fs::read_symlink("/proc/self/exe").parent_path() / "../../python";
  for (const auto& environment : fs::directory_iterator(python, error)) {
    for (const auto& version : fs::directory_iterator(environment.path() / "lib", error)) {
      files.push_back(version.path() / "site-packages/nvidia/cudnn/lib" / fmt::format("libcudnn.so.{}", major));
    }
  }
  const std::string ending = fmt::format("libcudnn.so.{}", major);
  std::set<fs::path> seen;
  std::erase_if(files, [&](const std::string& file) {
    return !file.ends_with(ending) || !fs::exists(file, error) || !seen.insert(fs::canonical(file, error)).second;
  });
  return files;
}

/// The folder of a libcuda.so.1 that takes code and runs none (loading_driver.c); empty where it is not built.
std::string loading_driver() {
  std::error_code error;
  if (const char* const folder = getenv("XSP_LOADING_DRIVER")) return folder;
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "loading_driver";
  return fs::exists(folder / "libcuda.so.1", error) ? folder.string() : "";
}

/// Runs hidden test cases of this program in a process of their own.
int run_apart(const std::string& tag, const std::string& library) {
  const std::string driver = loading_driver();
  const std::string command = fmt::format("env XSP_PLANNING_CUDNN='{}' {} '{}' '{}'", library,
                                          driver.empty() ? "" : "LD_LIBRARY_PATH='" + driver + "'",
                                          fs::read_symlink("/proc/self/exe").string(), tag);
  return std::system(command.c_str());
}

Api& planning_api() {
  static Api api;
  if (api.version_number() == 0) {
    const char* const library = getenv("XSP_PLANNING_CUDNN");
    REQUIRE(library != nullptr);
    bool is_known = false;
    const Status status = Api::open(library, &api, &is_known);
    INFO(status.error);
    REQUIRE(status.ok());
    REQUIRE(is_known);
  }
  return api;
}

struct Planned {
  size_t plans = 0;
  std::string why;  // there is none
};

/// Tries the graphs of a problem until one has a plan.
Planned planned(const Target& target, const std::string& text) {
  Planned result;
  ProblemInput input;
  std::vector<Graph> graphs;
  Status status = ProblemInput::make(*Problem::parse(text), &input);
  if (status.ok()) status = make_graphs(input, &graphs);
  result.why = status.error;
  for (Graph& graph : graphs) {
    std::shared_ptr<OperationGraph> operations;
    std::vector<EngineConfig> configs;
    status = OperationGraph::make(target, std::make_shared<const Graph>(std::move(graph)), &operations);
    if (status.ok()) status = propose_engines(target, operations, &configs);
    for (const EngineConfig& config : configs) {
      ExecutionPlan plan;
      status = make_plan(target, config, &plan);
      if (status.ok() && ++result.plans == 1) return result;
    }
    if (!status.ok()) result.why = status.error;
  }
  return result;
}

/// Engines of these are all compiled before.
constexpr const char* kPrecompiled[] = {
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32",
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=relu dtype=f32",
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=bf16",
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=0,0,1,1 dil=1x1 groups=1 bias=0 post= dtype=f16",
    "conv src=1x64x56x56 wei=64x1x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=64 bias=0 post= dtype=f32",
    "conv src=1x64x100 wei=64x64x3 strides=1 pads=1,1 dil=1 groups=1 bias=0 post= dtype=tf32",
    "conv src=1x16x8x28x28 wei=32x16x3x3x3 strides=1x1x1 pads=1,1,1,1,1,1 dil=1x1x1 groups=1 bias=0 post= dtype=f32",
    "deconv src=1x64x28x28 wei=64x32x2x2 strides=2x2 pads=0,0,0,0 dil=1x1 outpad=0x0 groups=1 bias=0 post= dtype=f32",
    "maxpool src=1x64x112x112 kernel=3x3 strides=2x2 pads=1,1,1,1 dil=1x1 dtype=f32",
    "avgpool src=1x64x56x56 kernel=3x3 strides=1x1 pads=1,1,1,1 include_pad=0 dtype=f16",
};

/// Engines of these are compiled when a plan is made.
constexpr const char* kCompiledAtRunTime[] = {
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=f16",
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=i8:i8:i32",
    "matmul src=128x768 wei=768x768 ta=0 tb=0 bias=0 post= dtype=f32",
    "matmul src=128x768 wei=3072x768 ta=0 tb=1 bias=3072 post=gelu_tanh dtype=f16",
    "sdpa q=1x12x128x64 k=1x12x128x64 v=1x12x128x64 mask=0 scale=0.125 dtype=f16",
    "eltwise alg=hardswish src=1x64x56x56 alpha=0 beta=0 dtype=f32",
    "binary alg=mul src0=1x64x56x56 src1=1x64x1x1 dtype=f32",
    "batchnorm src=1x64x56x56 dtype=f32",
    "layernorm src=1x128x768 axis=2 bias=1 dtype=f32",
    "reduce alg=sum src=128x768 axes=1 dtype=f32",
    "resize alg=linear src=1x64x28x28 dst=1x64x56x56 dtype=f32",
    "cast src=1x128x768 from=f32 to=f16",
};

}  // namespace

TEST_CASE("plans of cuDNN 9 without a device", "[.cudnn_plans]") {
  const Api& api = planning_api();
  const bool has_driver = !loading_driver().empty();
  for (const int capability : {800, 900, 1000}) {
    Target target{.api = &api};
    const Status status = describe_device(api, device_of_capability(capability), &target.properties);
    INFO(api.version() << ": " << status.error);
    REQUIRE(status.ok());
    const auto check = [&](const char* const problem) {
      const Planned result = planned(target, problem);
      INFO("cuDNN " << api.version() << ", capability " << capability << ", " << problem << ": " << result.why);
      CHECK(result.plans > 0);
    };
    for (const char* const problem : kPrecompiled) check(problem);
    if (!has_driver) continue;
    for (const char* const problem : kCompiledAtRunTime) check(problem);
  }
}

TEST_CASE("engines of cuDNN 9 tell their knobs and notes without a device", "[.cudnn_plans]") {
  const Api& api = planning_api();
  Target target{.api = &api};
  REQUIRE(describe_device(api, device_of_capability(900), &target.properties).ok());
  ProblemInput input;
  std::vector<Graph> graphs;
  REQUIRE(ProblemInput::make(*Problem::parse(kPrecompiled[0]), &input).ok());
  REQUIRE(make_graphs(input, &graphs).ok());
  std::shared_ptr<OperationGraph> operations;
  REQUIRE(OperationGraph::make(target, std::make_shared<const Graph>(graphs[0]), &operations).ok());
  std::vector<EngineConfig> configs;
  REQUIRE(propose_engines(target, operations, &configs).ok());
  size_t exact = 0, reduced = 0, with_knobs = 0;
  for (const EngineConfig& config : configs) {
    CHECK(config.engine >= 0);
    exact += numerics_of(config, true).numerics == Numerics::kExact ? 1 : 0;
    reduced += numerics_of(config, true).numerics == Numerics::kReduced ? 1 : 0;
    with_knobs += config.knobs.empty() ? 0 : 1;
  }
  CHECK(exact > 0);
  CHECK(reduced > 0);
  CHECK(with_knobs > 10);
}

TEST_CASE("calls that are older than graphs are described without a device", "[.cudnn_legacy]") {
  const Api& api = planning_api();
  for (const char* const problem :
       {"softmax src=12x128x128 axis=2 log=0 dtype=f16",
        "maxpool src=1x64x112x112 kernel=3x3 strides=2x2 pads=1,1,1,1 dil=1x1 dtype=f32",
        "avgpool src=1x16x8x8x8 kernel=2x2x2 strides=2x2x2 pads=0,0,0,0,0,0 include_pad=0 dtype=f32",
        "lrn src=1x64x56x56 size=5 dtype=f32", "batchnorm src=1x64x56x56 dtype=f16",
        "reduce alg=mean src=1x2048x7x7 axes=2,3 dtype=f32", "transpose src=1x128x12x64 perm=0,2,1,3 dtype=f32"}) {
    ProblemInput input;
    REQUIRE(ProblemInput::make(*Problem::parse(problem), &input).ok());
    std::vector<std::shared_ptr<const LegacyCall>> calls;
    const Status status = make_legacy_calls(api, nullptr, input, &calls);
    INFO("cuDNN " << api.version() << ", " << problem << ": " << status.error);
    CHECK(status.ok());
    CHECK_FALSE(calls.empty());
  }
}

TEST_CASE("descriptors of operations are those of cuDNN 8", "[.cudnn_8]") {
  const Api& api = planning_api();
  REQUIRE(api.version_number() < 9000);
  const Target target{.api = &api};
  for (const char* const problem : {kPrecompiled[0], kPrecompiled[1], kCompiledAtRunTime[3], kCompiledAtRunTime[5],
                                    kCompiledAtRunTime[8], kPrecompiled[8], kCompiledAtRunTime[9]}) {
    ProblemInput input;
    std::vector<Graph> graphs;
    REQUIRE(ProblemInput::make(*Problem::parse(problem), &input).ok());
    REQUIRE(make_graphs(input, &graphs).ok());
    std::shared_ptr<OperationGraph> operations;
    std::string failed = "nothing";
    const Status status = OperationGraph::make(target, std::make_shared<const Graph>(graphs[0]), &operations, &failed);
    INFO(problem << ": " << failed << ": " << status.error);
    // All but the graph itself, which wants a handle, and that wants a device.
    CHECK((status.ok() || failed == "graph"));
  }
}

TEST_CASE("every kind of problem that cuDNN 9 has a graph for has a plan, on three generations of devices") {
  const auto libraries = real_libraries(9);
  if (libraries.empty()) WARN("skipped: there is no cuDNN 9 here");
  if (loading_driver().empty()) WARN("skipped in part: engines that are compiled at run time need a driver");
  for (const std::string& library : libraries) {
    INFO(library);
    CHECK(run_apart("[.cudnn_plans],[.cudnn_legacy]", library) == 0);
  }
}

TEST_CASE("cuDNN 8 has all functions, and takes the descriptors") {
  const auto libraries = real_libraries(8);
  if (libraries.empty()) WARN("skipped: there is no cuDNN 8 here");
  for (const std::string& library : libraries) {
    INFO(library);
    CHECK(run_apart("[.cudnn_8],[.cudnn_legacy]", library) == 0);
  }
}

}  // namespace xsp::bound::cudnn
