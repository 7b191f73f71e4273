#include "inject/concurrency/thread_functions.h"

#include "inject/objects/loaded_library.h"

namespace xsp::guest {
namespace {

constexpr const char* kTorchLibrary = "libtorch_cpu.so";
/// at::set_num_threads(int), which every build exports: by it the library is found, and with it those that it needs.
constexpr const char* kTorchSetter = "_ZN2at15set_num_threadsEi";

template <typename Function>
bool find_beside(const void* address, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(symbol_beside(address, symbol));
  return function != nullptr;
}

void nothing(void*) {}

}  // namespace

bool find_thread_functions(ThreadFunctions* functions) {
  const void* torch = symbol_in_loaded_library(kTorchLibrary, kTorchSetter);
  if (torch == nullptr || !find_beside(torch, functions->omp_set_num_threads, "omp_set_num_threads") ||
      !find_beside(torch, functions->omp_get_max_threads, "omp_get_max_threads") ||
      !find_beside(torch, functions->parallel, "GOMP_parallel")) {
    return false;
  }
  find_beside(torch, functions->mkl_set_local, "MKL_Set_Num_Threads_Local");
  return true;
}

void prepare_team(const ThreadFunctions& functions, uint32_t threads) {
  functions.parallel(nothing, nullptr, threads, 0);
}

}  // namespace xsp::guest
