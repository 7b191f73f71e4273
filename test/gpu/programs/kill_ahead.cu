// Runs ahead of the device until it is killed: launches without waiting, and learns by events what has finished. Prints its pid,
// then every 20 ms how many kernels had finished and when it knew.
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <deque>

#include "cuda_check.h"

// About 20 us, so that a queue of some hundred lasts for milliseconds.
__global__ void ahead_of_device(float* values, int rounds) {
  float value = values[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1.0f;
  values[threadIdx.x] = value;
}

namespace {

constexpr int kRounds = 8000, kThreads = 256;
constexpr int kOfAnEvent = 25;           // kernels
constexpr long long kMostAhead = 1000;   // kernels that are launched and not known to have finished
constexpr long long kTellNs = 20'000'000, kLongestNs = 100'000'000'000;

struct Mark {
  cudaEvent_t event;
  long long launched;  // before it
};

long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

class RunAhead {
 public:
  RunAhead(float* values, cudaStream_t stream) : values_(values), stream_(stream) {}

  void launch() {
    for (int i = 0; i < kOfAnEvent; ++i) ahead_of_device<<<1, kThreads, 0, stream_>>>(values_, kRounds);
    CHECK(cudaGetLastError());
    launched_ += kOfAnEvent;
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, stream_));
    marks_.push_back({event, launched_});
  }

  /// How many kernels have finished.
  long long finished() {
    while (!marks_.empty()) {
      const cudaError_t status = cudaEventQuery(marks_.front().event);
      if (status == cudaErrorNotReady) {
        cudaGetLastError();  // it counts as an error until it is asked for
        break;
      }
      CHECK(status);
      finished_ = marks_.front().launched;
      CHECK(cudaEventDestroy(marks_.front().event));
      marks_.pop_front();
    }
    return finished_;
  }

  long long launched() const { return launched_; }

 private:
  float* const values_;
  const cudaStream_t stream_;
  std::deque<Mark> marks_;
  long long launched_ = 0, finished_ = 0;
};

}  // namespace

int main() {
  float* values = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&values), kThreads * sizeof(float)));
  CHECK(cudaStreamCreate(&stream));
  printf("{\"pid\": %d}\n", static_cast<int>(getpid()));
  fflush(stdout);
  RunAhead run(values, stream);
  const long long begin = now_ns();
  for (long long told = begin; now_ns() - begin < kLongestNs;) {
    run.launch();
    while (run.launched() - run.finished() >= kMostAhead) usleep(100);
    const long long now = now_ns();
    if (now - told < kTellNs) continue;
    told = now;
    // What is said to have finished by then was known before the clock was read.
    printf("{\"finished\": %lld, \"ahead\": %lld, \"ns\": %lld}\n", run.finished(), run.launched() - run.finished(), now_ns());
    fflush(stdout);
  }
  return 0;
}
