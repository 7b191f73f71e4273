// A program with a CUPTI subscriber of its own, before the first CUDA call or (late) after some kernels. Prints how many
// launches it made and how many its callbacks saw, and whether it got the subscriber.
#include <cupti.h>

#include <cstdio>
#include <cstring>

#include "cuda_check.h"

__global__ void add_one(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += 1;
}

namespace {

constexpr int kCount = 80 * 256, kLaunches = 50;
int seen_launches = 0;

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId, const void* data) {
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API || call->callbackSite != CUPTI_API_ENTER) return;
  if (strstr(call->functionName, "LaunchKernel") != nullptr) ++seen_launches;
}

void launch(float* values) {
  for (int i = 0; i < kLaunches; ++i) add_one<<<80, 256>>>(values, kCount);
  CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int count, char** arguments) {
  const bool late = count > 1 && strcmp(arguments[1], "late") == 0;
  float* values = nullptr;
  if (late) {
    CHECK(cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float)));
    launch(values);
  }
  CUpti_SubscriberHandle subscriber;
  CHECK(cuptiSubscribe(&subscriber, on_callback, nullptr));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  if (!late) CHECK(cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float)));
  launch(values);
  CHECK(cuptiUnsubscribe(subscriber));
  launch(values);
  printf("{\"launched\": %d, \"seen\": %d}\n", (late ? 3 : 2) * kLaunches, seen_launches);
  return 0;
}
