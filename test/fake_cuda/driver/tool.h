#ifndef XSP_TEST_FAKE_CUDA_DRIVER_TOOL_H
#define XSP_TEST_FAKE_CUDA_DRIVER_TOOL_H

/* The interface between the stand-ins for libcuda, libcudart and libcupti. As with the real ones, the driver provides
 * it through cuGetExportTable. All times here are nanoseconds of CLOCK_MONOTONIC. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kFakeDriverDomain = 1, kFakeRuntimeDomain = 2, kFakeTools = 4 };

/* Also CUPTI's kinds of activity. */
enum {
  kFakeMemcpy = 1,
  kFakeMemset = 2,
  kFakeKernel = 10,
  kFakePeerCopy = 22,
  kFakeSynchronization = 38,
  kFakeMemory = 49
};

/* A call of the API from its beginning to its end, on one thread. */
typedef struct {
  int domain;
  uint32_t callback; /* CUPTI's number of the function */
  const char* name;
  const void* parameters;
  int* result;        /* null until the end */
  const char* symbol; /* of a launch: the kernel */
  void* context;
  uint32_t context_id;
  uint32_t correlation; /* the same for a call inside a call */
  int depth;
  uint64_t begin, end;
  uint64_t tool_data[kFakeTools];
} fake_call;

typedef struct {
  int kind;
  const char* name;
  uint64_t queued, begin, end;
  uint32_t device, context, stream;
  uint32_t correlation;
  uint64_t bytes;
  uint32_t value; /* of a memset */
  int copy_kind, from_kind, to_kind;
  int asynchronous;
  uint32_t grid[3], block[3];
  uint32_t shared;
  uint64_t graph_node;
  uint32_t graph;
  uint32_t iteration;           /* of a conditional node's body, from 0 */
  uint32_t ordinal, graph_size; /* among the executions of one graph launch, and how many these are */
  int synchronization;          /* CUPTI's type of it */
  uint64_t address;
  int memory_operation;
  /* What a tool wanted of it at launch, and where its record will be. */
  uint32_t wanted[kFakeTools];
  uint64_t place[kFakeTools];
} fake_execution;

typedef struct {
  int index; /* set by add_tool */
  void (*call)(int site, fake_call* call);
  void (*resource)(uint32_t callback, void* context, void* resource, void* descriptor);
  void (*execution)(const fake_execution* execution);
  void (*overhead)(int kind, uint64_t begin, uint64_t end, uint32_t correlation);
  void (*launched)(fake_execution* execution); /* on the thread that launches */
} fake_tool;

typedef struct {
  void (*add_tool)(fake_tool* tool);
  void (*enter)(fake_call* call);
  void (*exit)(fake_call* call);
  uint64_t (*now)(void);
  int (*ready)(void); /* a context has been made */
  uint32_t (*context_id)(void* context);
  uint32_t (*device_of)(void* context);
  uint32_t (*stream_id)(void* context, void* stream, int per_thread);
  uint64_t (*node_id)(void* node);
  uint32_t (*graph_id)(void* graph);
  /* For the truth log: what the thread is doing, and the library function that it is in. */
  void (*label)(const char* text);
  void (*library_call)(const char* function);
  /* Every device: name, memory, processors. */
  int (*device_count)(void);
  /* For what kernels compute. Whether all of these bytes are a device's memory. */
  int (*is_device_memory)(const void* address, size_t bytes);
  /* Has a function called when all that is on the stream by now has run. Takes no time of the stream's, and no tool
   * hears of it. A stream that is being captured does not call it. */
  void (*compute)(void* stream, void (*function)(void*), void* argument);
  /* From now on every function of this process that needs a device returns this, as after an invalid address. */
  void (*break_device)(int status);
} fake_driver;

#define FAKE_DRIVER_TABLE "xsp-fake-driver" /* 16 bytes with its end */

#ifdef __cplusplus
}
#endif

#endif
