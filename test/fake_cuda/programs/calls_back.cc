// calls_back CASE: what programs do inside library calls, by way of the stand-ins' callback.
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "cuda_api.h"

namespace {

const char* wanted;
void* handle;
jmp_buf target;
int depth;
pid_t child;

void throw_inside() { throw std::runtime_error("the program's own"); }
void jump_inside() { longjmp(target, 1); }
void block_inside() { pause(); }
void fork_inside() {
  wanted = "";
  child = fork();
}
void recurse_inside() {
  if (++depth < 5) multiply(handle, depth, 1, 1);
}

bool is(const char* name) { return std::strcmp(wanted, name) == 0; }

void exception_passes() {
  try {
    multiply(handle, 1, 2, 3);
    std::puts("nothing thrown");
  } catch (const std::runtime_error& error) {
    std::printf("caught %s\n", error.what());
  }
  wanted = "";
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

void nested_exception_passes() {
  wanted = "exception two calls deep";  // cublasLtMatmul inside cublasGemmEx
  try {
    multiply_half(handle, 1, 2, 3);
    std::puts("nothing thrown");
  } catch (const std::runtime_error& error) {
    std::printf("caught %s\n", error.what());
  }
  wanted = "";
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

void longjmp_passes() {
  if (setjmp(target) == 0) {
    multiply(handle, 1, 2, 3);
    std::puts("no jump");
  } else {
    std::puts("jumped");
  }
  wanted = "";
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

void cancellation_passes() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        multiply(handle, 1, 2, 3);
        return nullptr;
      },
      nullptr);
  usleep(200'000);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  std::printf("cancelled %d\n", result == PTHREAD_CANCELED);
  wanted = "";
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

void fork_passes() {
  std::printf("status %d\n", multiply(handle, 1, 2, 3));
  if (child == 0) {
    multiply(handle, 7, 8, 9);
    std::exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", WEXITSTATUS(status));
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

void recursion_passes() {
  std::printf("status %d\n", multiply(handle, 100, 1, 1));
  wanted = "";
  std::printf("then %d\n", multiply(handle, 4, 5, 6));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void fake_cuda_callback(const char* function) {
  if (is("exception two calls deep") && std::strcmp(function, "cublasLtMatmul") == 0) throw_inside();
  if (std::strcmp(function, "cublasSgemm_v2") != 0) return;
  if (is("exception")) throw_inside();
  if (is("longjmp")) jump_inside();
  if (is("cancellation")) block_inside();
  if (is("fork")) fork_inside();
  if (is("recursion")) recurse_inside();
}

int main(int, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  wanted = "";
  cublasCreate_v2(&handle);
  wanted = argv[1];
  if (is("exception")) exception_passes();
  if (is("nested_exception")) nested_exception_passes();
  if (is("longjmp")) longjmp_passes();
  if (is("cancellation")) cancellation_passes();
  if (is("fork")) fork_passes();
  if (is("recursion")) recursion_passes();
  return 0;
}
