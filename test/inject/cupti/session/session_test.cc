#include "inject/cupti/session/session_control.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/session/session_start.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/cupti/records/device_records.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::Gap;
using xsp::Loss;
using xsp::Packet;
using xsp::test::kernel;
using xsp::test::ListeningPeer;
using xsp::test::Received;

using ReadTimestamp = int(uint64_t*);

/// The small CUPTI that the session has loaded.
template <typename Function>
Function* small_cupti(const char* name) {
  static void* handle = dlopen(SMALL_CUPTI, RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

void emit(const xsp::test::DeviceRecord& record) {
  small_cupti<void(const uint8_t*)>("small_cupti_emit")(record.data());
}

uint64_t device_time() {
  uint64_t time = 0;
  small_cupti<ReadTimestamp>("cuptiGetTimestamp")(&time);
  return time;
}

void load_small_driver() { dlopen(SMALL_DRIVER, RTLD_NOW | RTLD_GLOBAL); }

void start_with_small_cupti() {
  load_small_driver();
  setenv("XSP_CUPTI", SMALL_CUPTI, 1);
  start_session();
}

Received run(const std::function<void()>& program, int* status = nullptr) {
  ListeningPeer peer;
  auto received = peer.run(program, status);
  REQUIRE(received.size() == 1);
  return std::move(received[0]);
}

void emit_kernels(uint32_t count) {
  const uint64_t time = device_time();
  for (uint32_t i = 0; i < count; ++i) emit(kernel("gemm", i + 1, time + i, time + i + 5));
}

TEST_CASE("a kernel's record arrives with all that is known of it") {
  const auto received = run([] {
    start_with_small_cupti();
    const uint64_t time = device_time();
    emit(kernel("gemm", 77, time, time + 5000));
  });
  REQUIRE(received.activities.size() == 1);
  const auto& activity = received.activities[0];
  CHECK(activity.name == "gemm");
  CHECK(activity.configuration == "grid=[2,3,4] block=[32,33,34] registers=40 static_shared=48 dynamic_shared=1024");
  CHECK(activity.kind == 13);
  CHECK(activity.level == 6);
  CHECK(activity.context == 1);
  CHECK(activity.stream == 7);
  CHECK(activity.correlation == 77);
  CHECK(activity.graph_node == 0x100000003);
  CHECK(activity.graph == 9);
  CHECK(activity.end - activity.begin == 5000);
  CHECK(activity.clock == xsp::CLOCK_CUPTI);
  CHECK(received.goodbye);
}

TEST_CASE("a reading of CUPTI's clock precedes the times that it covers") {
  const auto received = run([] {
    start_with_small_cupti();
    for (int i = 0; i < 50; ++i) {
      emit_kernels(200);
      usleep(3000);
    }
  });
  REQUIRE(received.activities.size() == 10'000);
  size_t covered = 0;
  for (const auto& activity : received.activities) covered += activity.after_clock;
  CHECK(covered == received.activities.size());
}

TEST_CASE("more records than the ring holds all arrive") {
  constexpr uint32_t kCount = 150'000;
  const auto received = run([] {
    start_with_small_cupti();
    emit_kernels(kCount);
  });
  CHECK(received.activities.size() == kCount);
  CHECK(received.loss(Loss::ACTIVITY) == 0);
}

TEST_CASE("launches of ever new sizes leave room for names") {
  constexpr uint32_t kLaunches = 140'000;
  const auto received = run([] {
    start_with_small_cupti();
    const uint64_t time = device_time();
    for (uint32_t i = 0; i < kLaunches; ++i) {
      emit(kernel("gemm", i + 1, time, time + 5).set(cupti::kernel_record::kGrid, i + 1));
    }
    finish_session();
    finish_span(start_span(intern("a new name"), 2, 1, 0, 0), {});
  });
  REQUIRE(received.activities.size() == kLaunches);
  CHECK(received.activities[1].configuration.starts_with("grid=[2,"));
  CHECK(received.activities.back().name == "gemm");
  CHECK(received.loss(Loss::STRINGS_FULL) == kLaunches - (1 << 17));
  CHECK(received.spans[0].name == "a new name");
}

TEST_CASE("a process that is killed behind the flush of its end leaves its activities") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_with_small_cupti();
    emit_kernels(100);
    finish_session();
    kill(getpid(), SIGKILL);
  });
  CHECK(received[0].activities.size() == 100);
}

TEST_CASE("records that CUPTI has finished are fetched without anybody's asking") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_FLUSH", "1", 1);
    start_with_small_cupti();
    emit_kernels(100);
    usleep(600'000);
    kill(getpid(), SIGKILL);
  });
  CHECK(received.activities.size() == 100);
}

TEST_CASE("executions without time, and those that end before they begin, are counted") {
  const auto received = run([] {
    start_with_small_cupti();
    const uint64_t time = device_time();
    emit(kernel("good", 1, time, time + 1));
    emit(kernel("none", 2, 0, 0));
    emit(kernel("none", 3, time, 0));
    emit(kernel("inverted", 4, time + 1, time));
  });
  CHECK(received.activities.size() == 1);
  CHECK(received.loss(Loss::ZERO_TIME) == 2);
  CHECK(received.loss(Loss::INVERTED) == 1);
}

TEST_CASE("without libcupti a notice says what was found and the program goes on") {
  const auto received = run([] {
    load_small_driver();
    setenv("XSP_CUPTI", "/nowhere/libcupti.so.13", 1);
    start_session();
    if (device_session() != nullptr) abort();
    finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
  });
  CHECK(received.notices().find("/nowhere/libcupti.so.13") != std::string::npos);
  CHECK(received.spans.size() == 1);
}

TEST_CASE("a libcupti of an unknown version is refused by name") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_VERSION", "140200", 1);
    start_with_small_cupti();
    if (device_session() != nullptr) abort();
  });
  CHECK(received.notices().find("14.2") != std::string::npos);
}

TEST_CASE("a libcupti that is too old is refused with what is needed") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_VERSION", "17", 1);
    start_with_small_cupti();
    if (device_session() != nullptr) abort();
    finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
  });
  CHECK(received.notices().find("older than that of CUDA 11.8") != std::string::npos);
  CHECK(received.spans.size() == 1);
}

TEST_CASE("a libcupti of a newer CUDA than the driver's is refused") {
  const auto received = run([] {
    setenv("SMALL_DRIVER_VERSION", "12040", 1);
    start_with_small_cupti();
    if (device_session() != nullptr) abort();
  });
  CHECK(received.notices().find("is of CUDA 13, the driver of CUDA 12") != std::string::npos);
}

TEST_CASE("without a driver nothing of CUPTI is called") {
  const auto received = run([] {
    setenv("XSP_CUPTI", SMALL_CUPTI, 1);
    start_session();
    if (device_session() != nullptr || dlopen(SMALL_CUPTI, RTLD_NOW | RTLD_NOLOAD) != nullptr) abort();
  });
  CHECK(received.notices().find("no NVIDIA driver") != std::string::npos);
}

TEST_CASE("a driver that does not work is told with what to look at") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_SUBSCRIBE", "999", 1);
    start_with_small_cupti();
    if (device_session()->mode.load() != SessionMode::kNone) abort();
  });
  CHECK(received.notices().find("nvidia-smi") != std::string::npos);
}

TEST_CASE("a device is described once, when it was used") {
  const auto received = run([] {
    start_with_small_cupti();
    emit_kernels(5);
  });
  std::vector<xsp::Device> devices;
  for (const Packet& packet : received.trace.packet()) {
    if (packet.has_device()) devices.push_back(packet.device());
  }
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name() == "Small GPU");
  CHECK(devices[0].uuid() == std::string(16, 'Z'));
  CHECK(devices[0].compute_capability_major() == 75);
  CHECK(devices[0].compute_capability_minor() == 76);
  CHECK(devices[0].multiprocessors() == 16);
  CHECK(devices[0].clock_khz() == 13);
  CHECK(devices[0].memory_clock_khz() == 36);
  CHECK(devices[0].memory_bus_bits() == 37);
  CHECK(devices[0].memory_bytes() == uint64_t{80} << 30);
  CHECK(devices[0].driver_version() == 13000);
  CHECK(devices[0].cupti_version() == 130001);
}

TEST_CASE("a library that is no libcupti is refused by the function it lacks") {
  const auto received = run([] {
    load_small_driver();
    setenv("XSP_CUPTI", "libm.so.6", 1);
    start_session();
  });
  CHECK(received.notices().find("has no cuptiGetVersion") != std::string::npos);
}

TEST_CASE("the libcupti of a Python environment is found from any of CUDA's packages in it") {
  namespace fs = std::filesystem;
  struct Package {
    const char* loaded;
    const char* cupti;
  };
  for (const Package& package : {Package{"nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/lib/libcupti.so.13"},
                                 Package{"nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13"},
                                 Package{"torch/lib/libtorch_cuda.so", "nvidia/cu13/lib/libcupti.so.13"},
                                 Package{"nvidia/cublas/lib/libcublas.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12"},
                                 Package{"torch/lib/libc10_cuda.so", "nvidia/cuda_cupti/lib/libcupti.so.12"}}) {
    INFO(package.loaded);
    const fs::path site = fs::temp_directory_path() / ("site-packages-" + std::to_string(getpid()));
    for (const auto& [from, to] : {std::pair{SMALL_DRIVER, package.loaded}, std::pair{SMALL_CUPTI, package.cupti}}) {
      fs::create_directories((site / to).parent_path());
      fs::copy_file(from, site / to);
    }
    int status = 0;
    run(
        [&] {
          load_small_driver();
          unsetenv("XSP_CUPTI");
          setenv("SMALL_CUPTI_VERSION", "130099", 1);
          if (dlopen((site / package.loaded).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) _exit(7);
          start_session();
          if (device_session() == nullptr || device_session()->version != 130099) _exit(8);
        },
        &status);
    CHECK(status == 0);
    fs::remove_all(site);
  }
}

TEST_CASE("a failure to enable is rolled back and told") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_ENABLE", "999", 1);
    start_with_small_cupti();
    if (small_cupti<int()>("small_cupti_subscribers")() != 0) _exit(9);
    if (device_session()->mode.load() != SessionMode::kNone) _exit(8);
    finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
  });
  CHECK(received.notices().find("CUPTI_ERROR_UNKNOWN (999)") != std::string::npos);
  CHECK(received.spans.size() == 1);
}

TEST_CASE("a permission that is refused is told with who can give it") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_ENABLE", "35", 1);
    start_with_small_cupti();
    if (device_session()->mode.load() != SessionMode::kNone) _exit(8);
    finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
  });
  CHECK(received.notices().find("(35)") != std::string::npos);
  CHECK(received.notices().find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  CHECK(received.spans.size() == 1);
}

TEST_CASE("a tool unseen that has the subscriber is named, and nothing of CUPTI is taken from it") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_SUBSCRIBE", "39", 1);
    setenv("SMALL_CUPTI_HOLDER", "nsight-systems", 1);
    start_with_small_cupti();
    if (device_session()->mode.load() != SessionMode::kNone) _exit(9);
    if (small_cupti<int()>("small_cupti_has_buffers")() != 0) _exit(8);
    if (small_cupti<uint64_t()>("small_cupti_enabled_kinds")() != 0) _exit(7);
    finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
  });
  CHECK(received.notices().find("nsight-systems") != std::string::npos);
  CHECK(received.spans.size() == 1);
}

TEST_CASE("a pause hands CUPTI over and is in the trace as a gap") {
  const auto received = run([] {
    start_with_small_cupti();
    emit_kernels(2);
    pause_session(xsp::wire::GapReason::kOtherProfiler, "Kineto");
    if (small_cupti<uint64_t()>("small_cupti_enabled_kinds")() != 0) _exit(9);
    if (small_cupti<int()>("small_cupti_subscribers")() != 0) _exit(8);
    usleep(20'000);
    resume_session(xsp::wire::GapReason::kOtherProfiler);
    if (small_cupti<int()>("small_cupti_subscribers")() != 1) _exit(7);
    emit_kernels(3);
  });
  CHECK(received.activities.size() == 5);
  CHECK(received.goodbye);
  std::vector<Gap> gaps;
  for (const Packet& packet : received.trace.packet()) {
    if (packet.has_gap()) gaps.push_back(packet.gap());
  }
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].end_ns() == 0);
  CHECK(gaps[1].begin_ns() == gaps[0].begin_ns());
  CHECK(gaps[1].end_ns() - gaps[1].begin_ns() >= 20'000'000);
  CHECK(gaps[1].detail() == "Kineto");
}

TEST_CASE("a pause lasts until its last reason has ended") {
  run([] {
    start_with_small_cupti();
    pause_session(xsp::wire::GapReason::kOtherProfiler, "Kineto");
    pause_session(xsp::wire::GapReason::kOutsideRange, "");
    resume_session(xsp::wire::GapReason::kOtherProfiler);
    if (device_session()->mode.load() != SessionMode::kPaused) abort();
    resume_session(xsp::wire::GapReason::kOutsideRange);
    if (device_session()->mode.load() != SessionMode::kCallbacks) abort();
  });
}

uint64_t enabled_kinds() { return small_cupti<uint64_t()>("small_cupti_enabled_kinds")(); }

TEST_CASE("kinds are enabled inside the recording window, and what was launched there arrives behind it") {
  const auto received = run([] {
    setenv("XSP_RANGE", "step", 1);
    start_with_small_cupti();
    if (enabled_kinds() != 0) _exit(9);
    const uint64_t step = start_span(intern("step"), 1, 1, 0, 0);
    if (enabled_kinds() == 0) _exit(8);
    finish_span(step, {});
    if (enabled_kinds() != 0) _exit(7);
    emit_kernels(3);
  });
  CHECK(received.activities.size() == 3);
  CHECK(received.goodbye);
}

TEST_CASE("only the chosen kinds are enabled") {
  run([] {
    setenv("XSP_ACTIVITIES", "memcpy,sync", 1);
    start_with_small_cupti();
    if (enabled_kinds() != (uint64_t{1} << 1 | uint64_t{1} << 22 | uint64_t{1} << 38)) abort();
    emit_kernels(1);
  });
}

TEST_CASE("a kind that the device has not is told, and the others are recorded") {
  const auto received = run([] {
    setenv("SMALL_CUPTI_REFUSES", "2", 1);
    start_with_small_cupti();
    emit_kernels(1);
  });
  CHECK(received.notices().find(": memset\n") != std::string::npos);
  CHECK(received.activities.size() == 1);
}

TEST_CASE("a process of the guest's threads alone ends") {
  int status = 1;
  const auto received = run(
      [] {
        start_with_small_cupti();
        emit_kernels(2);
        syscall(SYS_exit, 0);  // the main thread alone
      },
      &status);
  CHECK(status == 0);
  CHECK(received.activities.size() == 2);
}

TEST_CASE("a forked child has no session") {
  int status = 0;
  ListeningPeer peer;
  const auto received = peer.run(
      [] {
        start_with_small_cupti();
        emit_kernels(1);
        const pid_t child = fork();
        if (child == 0) {
          const bool none = device_session() == nullptr;
          exit(none ? 0 : 5);
        }
        int child_status = 0;
        waitpid(child, &child_status, 0);
        if (child_status != 0) _exit(6);
      },
      &status);
  CHECK(status == 0);
  CHECK(received[0].activities.size() == 1);
}

TEST_CASE("at the level of libraries there is no session") {
  run([] {
    setenv("XSP_LEVEL", "library", 1);
    start_with_small_cupti();
    if (device_session() != nullptr) abort();
    finish_span(start_span(intern("x"), 2, 1, 0, 0), {});
  });
}

}  // namespace
