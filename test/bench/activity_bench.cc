// What the thread xsp-activity spends on a record: CPU time of the thread over records of kernels, whatever the sender
// and the other side take. Prints records a second.
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "inject/cupti/session/session_start.h"
#include "test/inject/cupti/records/device_records.h"
#include "test/inject/listening_peer.h"

namespace {

constexpr uint32_t kRecords = 500'000;
constexpr uint32_t kWarmUp = 50'000;

/// Nanoseconds on a CPU, of the thread with that name; 0: none.
uint64_t thread_time(const std::string& wanted) {
  DIR* tasks = opendir("/proc/self/task");
  uint64_t time = 0;
  while (const dirent* entry = tasks == nullptr ? nullptr : readdir(tasks)) {
    const std::string folder = std::string("/proc/self/task/").append(entry->d_name);
    std::string name;
    std::ifstream(folder + "/comm") >> name;
    if (name == wanted) std::ifstream(folder + "/schedstat") >> time;
  }
  if (tasks != nullptr) closedir(tasks);
  return time;
}

/// Once it has nothing to do.
uint64_t settled_time() {
  for (uint64_t before = 0, time = 0;; before = time) {
    usleep(300'000);
    time = thread_time("xsp-activity");
    if (time - before < 1'000'000) return time;
  }
}

void record_kernels() {
  dlopen(SMALL_DRIVER, RTLD_NOW | RTLD_GLOBAL);
  setenv("XSP_CUPTI", SMALL_CUPTI, 1);
  xsp::guest::start_session();
  void* cupti = dlopen(SMALL_CUPTI, RTLD_NOW);
  auto* emit = reinterpret_cast<void (*)(const uint8_t*)>(dlsym(cupti, "small_cupti_emit"));
  const char* names[] = {"gemm", "relu", "softmax", "copy"};
  uint64_t before = 0;
  for (uint32_t i = 0; i < kWarmUp + kRecords; ++i) {
    if (i == kWarmUp) before = settled_time();
    emit(xsp::test::kernel(names[i % 4], i + 1, 1000 + i, 1005 + i).data());
  }
  const auto spent = static_cast<double>(settled_time() - before);
  std::printf("%.2f million records/s, %.0f ns of CPU a record\n", kRecords * 1e3 / spent, spent / kRecords);
  std::fflush(stdout);
}

}  // namespace

int main() {
  xsp::test::ListeningPeer peer;
  const auto received = peer.run(record_kernels);
  const bool all = received.size() == 1 && received[0].activities.size() == kRecords + kWarmUp;
  if (!all) std::printf("not all records arrived\n");
  return all ? 0 : 1;
}
