#include "inject/guard/own_thread.h"

#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "inject/objects/elf_object.h"

namespace xsp::guest {
namespace {

/// The loader takes the thread-local storage of the libraries that the program is linked to out of each thread's stack
/// (cuBLASLt's is 94 kB), and has a function that returns how much that is. Without that function the stack keeps its
/// usual size.
///
/// libc is found by an address in it, which takes no lock. dl_iterate_phdr takes one that fork does not reset: if
/// another thread held it at the fork, the child would wait forever.
void limit_stack(pthread_attr_t* attributes, size_t stack_bytes) {
  using LeastStack = size_t(const pthread_attr_t*);
  ElfObject libc;
  if (!find_object(reinterpret_cast<uintptr_t>(gnu_get_libc_version()), &libc)) return;
  auto* least = reinterpret_cast<LeastStack*>(find_symbol(libc, "__pthread_get_minstack", nullptr));
  if (least != nullptr) pthread_attr_setstacksize(attributes, stack_bytes + least(attributes));
}

constinit thread_local bool is_ours = false;

}  // namespace

void enter_own_thread(const char* name) {
  prctl(PR_SET_NAME, name);
  is_ours = true;
}

bool is_own_thread() { return is_ours; }

bool start_own_thread(void* (*main)(void*), void* argument, size_t stack_bytes) {
  // The new thread inherits the mask: a handler of the program must never run on a thread that the program does not
  // know.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  limit_stack(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace xsp::guest
