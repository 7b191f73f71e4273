#pragma once

#include <cstdint>

namespace xsp::guest {

/// By what the threads of PyTorch's operators are set: functions of the OpenMP that libtorch_cpu is linked to, and of
/// its MKL. All of them are about the calling thread only. torch.get_num_threads() follows, and a thread that starts
/// meanwhile has the program's number, which at::set_num_threads() would not give.
struct ThreadFunctions {
  void (*omp_set_num_threads)(int threads);
  int (*omp_get_max_threads)();
  /// Computes work(data) on so many threads.
  void (*parallel)(void (*work)(void*), void* data, unsigned threads, unsigned flags);
  /// Returns what was set for this thread before; 0: nothing was, and MKL asks OpenMP. Null without MKL.
  int (*mkl_set_local)(int threads);
};

/// False where libtorch_cpu is not loaded, or is built without OpenMP.
bool find_thread_functions(ThreadFunctions* functions);

/// Has the calling thread's team that many threads before they are needed: changing its size takes longer than most
/// regions.
void prepare_team(const ThreadFunctions& functions, uint32_t threads);

}  // namespace xsp::guest
