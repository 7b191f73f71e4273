// What the guest's callback takes of a launch: CUPTI's four calls for one (the runtime's function, inside it the
// driver's, begin and end of each) to the guest's function, beside the same to one that does nothing. Bursts with
// rests, in which the records are read. Prints nanoseconds a launch: of the fastest burst, and of the median one.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "inject/cupti/library/cupti_abi.h"
#include "inject/cupti/session/session_start.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;

constexpr int kBursts = 400;
constexpr int kWarmUpBursts = 40;
constexpr uint32_t kLaunches = 1000;
constexpr uint32_t kRuntimeLaunch = 211, kDriverLaunch = 307;  // cudaLaunchKernel, cuLaunchKernel

using Callback = void(void* user_data, int domain, uint32_t callback_id, const void* data);

void do_nothing(void*, int, uint32_t, const void*) {}

/// As in a program: the calls of both are inside each other.
__attribute__((noinline)) void call_driver(Callback* callback, cupti::CallbackData data) {
  data.function_name = "cuLaunchKernel";
  data.site = cupti::kEnter;
  callback(nullptr, cupti::kDriverApi, kDriverLaunch, &data);
  data.site = cupti::kExit;
  callback(nullptr, cupti::kDriverApi, kDriverLaunch, &data);
}

__attribute__((noinline)) void launch(Callback* callback, uint32_t correlation) {
  int status = 0;
  uint64_t own = 0;
  cupti::CallbackData data{};
  data.function_name = "cudaLaunchKernel";
  data.symbol_name = "gemm";
  data.return_value = &status;
  data.correlation_data = &own;
  data.correlation_id = correlation;
  data.site = cupti::kEnter;
  callback(nullptr, cupti::kRuntimeApi, kRuntimeLaunch, &data);
  call_driver(callback, data);
  data.site = cupti::kExit;
  callback(nullptr, cupti::kRuntimeApi, kRuntimeLaunch, &data);
}

double burst(Callback* callback, uint32_t first) {
  timespec before;
  timespec after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  for (uint32_t i = 0; i < kLaunches; ++i) launch(callback, first + i);
  clock_gettime(CLOCK_MONOTONIC, &after);
  return (static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
          static_cast<double>(after.tv_nsec - before.tv_nsec)) /
         kLaunches;
}

struct Figures {
  double least, median;
};

Figures figures_of(std::vector<double> bursts) {
  std::sort(bursts.begin(), bursts.end());
  return {bursts.front(), bursts[bursts.size() / 2]};
}

void launch_by_callbacks() {
  dlopen(SMALL_DRIVER, RTLD_NOW | RTLD_GLOBAL);
  setenv("XSP_CUPTI", SMALL_CUPTI, 1);
  start_session();
  void* library = dlopen(SMALL_CUPTI, RTLD_NOW);
  auto* callback = reinterpret_cast<Callback* (*)()>(dlsym(library, "small_cupti_callback"))();
  if (callback == nullptr) std::abort();
  std::vector<double> empty;
  std::vector<double> ours;
  for (int i = 0; i < kBursts + kWarmUpBursts; ++i) {
    Callback* volatile nothing = do_nothing;  // or the compiler would leave it out
    const double without = burst(nothing, 1);
    const double with = burst(callback, 1 + static_cast<uint32_t>(i) * kLaunches);
    usleep(3000);
    if (i < kWarmUpBursts) continue;
    empty.push_back(without);
    ours.push_back(with);
  }
  const Figures none = figures_of(empty);
  const Figures all = figures_of(ours);
  std::printf("empty callbacks: %.1f ns a launch (median burst %.1f)\n", none.least, none.median);
  std::printf("the guest's: %.1f ns (%.1f); its own: %.1f ns (%.1f)\n", all.least, all.median, all.least - none.least,
              all.median - none.median);
  std::fflush(stdout);
}

}  // namespace

int main() {
  xsp::test::ListeningPeer peer;
  const auto received = peer.run(launch_by_callbacks);
  const uint64_t launches = uint64_t{kLaunches} * (kBursts + kWarmUpBursts);
  const uint64_t spans = received.empty() ? 0 : received[0].spans.size();
  std::printf("%llu launches, %llu spans\n", static_cast<unsigned long long>(launches),
              static_cast<unsigned long long>(spans));
  return spans >= launches * 9 / 10 ? 0 : 1;
}
