#ifndef XSP_TEST_FAKE_CUDA_DRIVER_LAUNCH_H
#define XSP_TEST_FAKE_CUDA_DRIVER_LAUNCH_H

/* How the stand-ins for compute libraries run kernels: bypassing libcudart, like the real ones, which carry their own
 * runtime. They open libcuda.so.1 and look up its functions by cuGetProcAddress. Without a stand-in libcuda, nothing is
 * run. */

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/tool.h"

typedef struct {
  const fake_driver* table; /* null: no driver */
  int (*get)(const char*, void**, int, unsigned long long, int*);
  int (*init)(unsigned);
  int (*get_context)(void**);
  int (*set_context)(void*);
  int (*retain)(void**, int);
  int (*load)(void**, const void*);
  int (*function)(void**, void*, const char*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  void* module;
} driver_functions;

static driver_functions the_driver_functions;

static void look_for_driver_functions(void) {
  driver_functions* d = &the_driver_functions;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*table)(const void**, const void*) = NULL;
  const void* found = NULL;
  if (library != NULL) *(void**)&table = dlsym(library, "cuGetExportTable");
  if (table == NULL || table(&found, FAKE_DRIVER_TABLE) != 0) return;
  *(void**)&d->get = dlsym(library, "cuGetProcAddress_v2");
#define GET(member, name) d->get(name, (void**)&d->member, 12000, 0, NULL)
  GET(init, "cuInit");
  GET(get_context, "cuCtxGetCurrent");
  GET(set_context, "cuCtxSetCurrent");
  GET(retain, "cuDevicePrimaryCtxRetain");
  GET(load, "cuModuleLoadData");
  GET(function, "cuModuleGetFunction");
  GET(launch, "cuLaunchKernel");
#undef GET
  d->table = (const fake_driver*)found;
}

/* Threads that come while one is searching wait for it. */
__attribute__((unused)) static const driver_functions* fake_driver_functions(void) {
  static pthread_once_t looked = PTHREAD_ONCE_INIT;
  pthread_once(&looked, look_for_driver_functions);
  return the_driver_functions.table == NULL ? NULL : &the_driver_functions;
}

/* Runs a kernel of the library's function `caller` on the current device or the first one. */
__attribute__((unused)) static int run_kernel(const char* caller, const char* name, unsigned blocks, unsigned threads,
                                              void* stream) {
  driver_functions* d = (driver_functions*)fake_driver_functions();
  void *context = NULL, *function;
  int status;
  if (d == NULL) return 0;
  if ((status = d->init(0)) != 0) return status;
  if (d->get_context(&context) == 0 && context == NULL) {
    if ((status = d->retain(&context, 0)) != 0) return status;
    d->set_context(context);
  }
  if (d->module == NULL && (status = d->load(&d->module, "image")) != 0) return status;
  if ((status = d->function(&function, d->module, name)) != 0) return status;
  d->table->library_call(caller);
  status = d->launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, NULL, NULL);
  d->table->library_call("");
  return status;
}

/* Whether there is a driver, and all of these bytes are a device's memory. */
__attribute__((unused)) static int is_on_device(const void* address, size_t bytes) {
  const driver_functions* d = fake_driver_functions();
  return d != NULL && d->table->is_device_memory(address, bytes);
}

/* Has what a kernel computes computed behind it on the stream; where is_on_device(). */
__attribute__((unused)) static void compute_on_stream(void* stream, void (*function)(void*), void* argument) {
  fake_driver_functions()->table->compute(stream, function, argument);
}

#endif
