#include "inject/launch/run/environment.h"

#include <algorithm>
#include <cstdlib>

#include "inject/launch/run/install_layout.h"
#include "test/catch.h"

using xsp::launch::command_environment;
using xsp::launch::Options;
using xsp::launch::refuse_old_loader;

namespace {

/// The value of `name`, which stands there at most once.
std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
  std::string value = "(unset)";
  int count = 0;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(name + "=")) continue;
    value = entry.substr(name.size() + 1);
    ++count;
  }
  CHECK(count <= 1);
  return value;
}

}  // namespace

TEST_CASE("the guest comes first in LD_PRELOAD, once, before what the user preloads") {
  setenv("LD_PRELOAD", "libuser.so", 1);
  const auto environment = command_environment({}, {"/x/libxsp_inject.so", "/s", "/d", 42});
  CHECK(value_of(environment, "LD_PRELOAD") == "/x/libxsp_inject.so:libuser.so");
  setenv("LD_PRELOAD", "/x/libxsp_inject.so:libuser.so", 1);
  CHECK(value_of(command_environment({}, {"/x/libxsp_inject.so", "/s", "/d", 42}), "LD_PRELOAD") ==
        "/x/libxsp_inject.so:libuser.so");
  unsetenv("LD_PRELOAD");
  CHECK(value_of(command_environment({}, {"/x/libxsp_inject.so", "/s", "/d", 42}), "LD_PRELOAD") ==
        "/x/libxsp_inject.so");
}

TEST_CASE("NVTX, ITT and oneDNN find the guest, unless the user names another tool") {
  for (const char* name :
       {"NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64", "ONEDNN_ITT_TASK_LEVEL", "DNNL_ITT_TASK_LEVEL"}) {
    unsetenv(name);
  }
  const auto plain = command_environment({}, {"/x/lib.so", "/s", "/d", 42});
  CHECK(value_of(plain, "NVTX_INJECTION64_PATH") == "/x/lib.so");
  CHECK(value_of(plain, "INTEL_LIBITTNOTIFY64") == "/x/lib.so");
  CHECK(value_of(plain, "ONEDNN_ITT_TASK_LEVEL") == "1");
  Options options;
  for (const char* level : {"model", "layer", "library", "kernel"}) {
    options.level = level;
    const std::string wanted = level == std::string("model") || level == std::string("layer") ? "0" : "1";
    CHECK(value_of(command_environment(options, {"/x/lib.so", "/s", "/d", 42}), "ONEDNN_ITT_TASK_LEVEL") == wanted);
  }
  options.level = "model";
  options.range = "a task";
  CHECK(value_of(command_environment(options, {"/x/lib.so", "/s", "/d", 42}), "ONEDNN_ITT_TASK_LEVEL") == "1");
  setenv("DNNL_ITT_TASK_LEVEL", "0", 1);
  CHECK(value_of(command_environment({}, {"/x/lib.so", "/s", "/d", 42}), "ONEDNN_ITT_TASK_LEVEL") == "(unset)");
  setenv("NVTX_INJECTION64_PATH", "/nsight.so", 1);
  setenv("INTEL_LIBITTNOTIFY64", "/vtune.so", 1);
  unsetenv("DNNL_ITT_TASK_LEVEL");
  const auto named = command_environment({}, {"/x/lib.so", "/s", "/d", 42});
  CHECK(value_of(named, "NVTX_INJECTION64_PATH") == "/nsight.so");
  CHECK(value_of(named, "INTEL_LIBITTNOTIFY64") == "/vtune.so");
  CHECK(value_of(named, "ONEDNN_ITT_TASK_LEVEL") == "(unset)");
  unsetenv("NVTX_INJECTION64_PATH");
  unsetenv("INTEL_LIBITTNOTIFY64");
}

TEST_CASE("options reach the guest through its variables, and nothing else changes") {
  setenv("XSP_SOCKET", "outer", 1);
  setenv("XSP_ONLY_PID", "7", 1);
  setenv("PYTHONPATH", "mine", 1);
  Options options;
  const auto plain = command_environment(options, {"/l", "/s", "/d", 42});
  CHECK(value_of(plain, "XSP_SOCKET") == "/s");
  CHECK(value_of(plain, "XSP_SCRATCH") == "/d");
  CHECK(value_of(plain, "XSP_LEVEL") == "(unset)");
  CHECK(value_of(plain, "XSP_LIBRARY_CALLS") == "(unset)");
  CHECK(value_of(plain, "XSP_ONLY_PID") == "(unset)");
  CHECK(value_of(plain, "PYTHONPATH") == "mine");
  options.level = "kernel";
  options.library_calls = "all";
  options.no_children = true;
  options.on_full = "block";
  options.cuda_api = "launch,-query";
  options.activities = "kernel";
  const auto full = command_environment(options, {"/l", "/s", "/d", 42});
  CHECK(value_of(full, "XSP_LEVEL") == "kernel");
  CHECK(value_of(full, "XSP_LIBRARY_CALLS") == "all");
  CHECK(value_of(full, "XSP_CUDA_API") == "launch,-query");
  CHECK(value_of(full, "XSP_ACTIVITIES") == "kernel");
  options.level = "library";
  CHECK(value_of(command_environment(options, {"/l", "/s", "/d", 42}), "XSP_LEVEL") == "library");
  CHECK(value_of(full, "XSP_ONLY_PID") == "42");
  CHECK(value_of(full, "XSP_ON_FULL") == "block");
}

TEST_CASE("the run that counts is told which metrics, and no other run is") {
  setenv("XSP_METRICS", "of_an_outer__run.sum", 1);
  Options options;
  options.metrics = "roofline";
  CHECK(value_of(command_environment(options, {"/x/libxsp_inject.so", "/s", "/d", 42}), "XSP_METRICS") == "(unset)");
  CHECK(value_of(command_environment(options, {.library = "/x/libxsp_inject.so", .counted = true}), "XSP_METRICS") ==
        "roofline");
  unsetenv("XSP_METRICS");
}

TEST_CASE("CUDA finds the guest, which finds the tool of the user") {
  unsetenv("CUDA_INJECTION64_PATH");
  unsetenv("XSP_CUDA_INJECTION");
  const std::string guest = "/x/libxsp_inject.so";
  const auto plain = command_environment({}, {guest, "/s", "/d", 42});
  CHECK(value_of(plain, "CUDA_INJECTION64_PATH") == guest);
  CHECK(value_of(plain, "XSP_CUDA_INJECTION") == "(unset)");
  setenv("CUDA_INJECTION64_PATH", "/users.so", 1);
  const auto chained = command_environment({}, {guest, "/s", "/d", 42});
  CHECK(value_of(chained, "CUDA_INJECTION64_PATH") == guest);
  CHECK(value_of(chained, "XSP_CUDA_INJECTION") == "/users.so");
  // As an xsp-run inside another one finds it.
  setenv("CUDA_INJECTION64_PATH", "/other/libxsp_inject.so", 1);
  setenv("XSP_CUDA_INJECTION", "/users.so", 1);
  CHECK(value_of(command_environment({}, {guest, "/s", "/d", 42}), "XSP_CUDA_INJECTION") == "/users.so");
  unsetenv("CUDA_INJECTION64_PATH");
  unsetenv("XSP_CUDA_INJECTION");
}

TEST_CASE("below the kernel level CUDA loads what the user named, and nothing of ours") {
  unsetenv("CUDA_INJECTION64_PATH");
  unsetenv("XSP_CUDA_INJECTION");
  Options options;
  for (const char* level : {"model", "layer", "library"}) {
    options.level = level;
    CHECK(value_of(command_environment(options, {"/l", "/s", "/d", 42}), "CUDA_INJECTION64_PATH") == "(unset)");
  }
  setenv("CUDA_INJECTION64_PATH", "/users.so", 1);
  CHECK(value_of(command_environment(options, {"/l", "/s", "/d", 42}), "CUDA_INJECTION64_PATH") == "/users.so");
  setenv("CUDA_INJECTION64_PATH", "/l", 1);
  setenv("XSP_CUDA_INJECTION", "/users.so", 1);
  const auto inner = command_environment(options, {"/l", "/s", "/d", 42});
  CHECK(value_of(inner, "CUDA_INJECTION64_PATH") == "/users.so");
  CHECK(value_of(inner, "XSP_CUDA_INJECTION") == "(unset)");
  unsetenv("CUDA_INJECTION64_PATH");
  unsetenv("XSP_CUDA_INJECTION");
}

TEST_CASE("the window is given as an instant, the same for all processes of the run") {
  setenv("XSP_RANGE", "of the outer one", 1);
  setenv("XSP_DURATION_NS", "1", 1);
  const auto plain = command_environment({}, {"/l", "/s", "/d", 42, {}, 1000});
  for (const char* name : {"XSP_RANGE", "XSP_BEGIN_NS", "XSP_DURATION_NS"}) CHECK(value_of(plain, name) == "(unset)");
  unsetenv("XSP_RANGE");
  unsetenv("XSP_DURATION_NS");
  Options options;
  options.duration_ns = 7;
  const auto from_start = command_environment(options, {"/l", "/s", "/d", 42, {}, 1000});
  CHECK(value_of(from_start, "XSP_BEGIN_NS") == "1000");
  CHECK(value_of(from_start, "XSP_DURATION_NS") == "7");
  options.delay_ns = 20;
  options.range = "step";
  const auto later = command_environment(options, {"/l", "/s", "/d", 42, {}, 1000});
  CHECK(value_of(later, "XSP_BEGIN_NS") == "1020");
  CHECK(value_of(later, "XSP_RANGE") == "step");
}

TEST_CASE("--serialize makes CUDA and OpenMP do one thing at a time") {
  setenv("OMP_NUM_THREADS", "8", 1);
  Options options;
  CHECK(value_of(command_environment(options, {"/l", "/s", "/d", 42}), "OMP_NUM_THREADS") == "8");
  options.serialize = true;
  const auto serial = command_environment(options, {"/l", "/s", "/d", 42});
  CHECK(value_of(serial, "OMP_NUM_THREADS") == "1");
  CHECK(value_of(serial, "CUDA_LAUNCH_BLOCKING") == "1");
  unsetenv("OMP_NUM_THREADS");
}

TEST_CASE("an auditor is named only when asked for, before the user's") {
  unsetenv("LD_AUDIT");
  CHECK(value_of(command_environment({}, {"/l", "/s", "/d", 42}), "LD_AUDIT") == "(unset)");
  CHECK(value_of(command_environment({}, {"/l", "/s", "/d", 42, "/a.so"}), "LD_AUDIT") == "/a.so");
  setenv("LD_AUDIT", "/users.so", 1);
  CHECK(value_of(command_environment({}, {"/l", "/s", "/d", 42}), "LD_AUDIT") == "/users.so");
  CHECK(value_of(command_environment({}, {"/l", "/s", "/d", 42, "/a.so"}), "LD_AUDIT") == "/a.so:/users.so");
  unsetenv("LD_AUDIT");
}

TEST_CASE("a loader that would pass every call by the auditor is refused") {
  for (const char* version : {"2.35", "2.36", "2.41", "3.0"}) CHECK(refuse_old_loader(version).ok());
  for (const char* version : {"2.34", "2.31", "1.9", "unknown"}) {
    const auto status = refuse_old_loader(version);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error.find(version) != std::string::npos);
  }
}
