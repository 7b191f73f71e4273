/// A stand-in for the OpenMP and MKL that libtorch_cpu is linked to: numbers of threads that belong to the calling
/// thread. Nothing runs at the same time.

namespace {

constexpr int kOwn = 4;

thread_local int threads = kOwn;
thread_local int local_of_mkl = 0;
thread_local unsigned last_region = 0;

}  // namespace

namespace at {
void set_num_threads(int wanted);
void set_num_threads(int wanted) {
  threads = wanted;
  local_of_mkl = wanted;
}
}  // namespace at

extern "C" {

void omp_set_num_threads(int wanted);
void omp_set_num_threads(int wanted) { threads = wanted; }

int omp_get_max_threads();
int omp_get_max_threads() { return threads; }

int MKL_Set_Num_Threads_Local(int wanted);
int MKL_Set_Num_Threads_Local(int wanted) {
  const int before = local_of_mkl;
  local_of_mkl = wanted;
  return before;
}

void GOMP_parallel(void (*work)(void*), void* data, unsigned wanted, unsigned flags);
void GOMP_parallel(void (*work)(void*), void* data, unsigned wanted, unsigned /*flags*/) {
  last_region = wanted;
  work(data);
}

/// With how many threads the calling thread's last region was computed.
unsigned fake_last_region();
unsigned fake_last_region() { return last_region; }
}
