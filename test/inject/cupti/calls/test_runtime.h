#pragma once

#include "inject/cupti/library/cupti_abi.h"

extern "C" {
/// Like the vendor's: reports itself through the callback that test_runtime_callback names.
int cudaLaunchKernel(void* func, int correlation, void* stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamCreate(int correlation);
extern xsp::guest::cupti::Callback* test_runtime_callback;
}

namespace xsp::test {

/// Callback ids of test_cupti's functions.
enum RuntimeId : uint32_t {
  kLaunchKernel = 1,
  kStreamSynchronize = 3,
  kStreamCreate = 4,
  kMalloc = 5,
  kGetDevice = 6,
  kGraphLaunch = 8
};
enum DriverId : uint32_t { kDriverLaunch = 1, kDriverMemAlloc = 2, kDriverCtxGetCurrent = 3, kDriverStreamCreate = 4 };

/// A call of the CUDA API as CUPTI reports it: begins and ends when told to.
class ApiCall {
 public:
  ApiCall(guest::cupti::Callback* callback, int domain, uint32_t id, uint32_t correlation)
      : callback_(callback), domain_(domain), id_(id) {
    data_.correlation_id = correlation;
  }
  void enter() { tell(guest::cupti::kEnter); }
  void exit(int status = 0) {
    status_ = status;
    tell(guest::cupti::kExit);
  }

 private:
  void tell(int site) {
    data_.site = site;
    data_.return_value = &status_;
    callback_(nullptr, domain_, id_, &data_);
  }

  guest::cupti::Callback* callback_;
  int domain_;
  uint32_t id_;
  int status_ = 0;
  guest::cupti::CallbackData data_{};
};

}  // namespace xsp::test
