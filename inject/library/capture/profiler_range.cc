// cudaProfilerStart and cudaProfilerStop delimit the range of xsp-run --range cudaProfilerApi.
#include "inject/record/recording_window.h"

extern "C" {

void xsp_observe_cudaProfilerStart(void* real);
void xsp_observe_cudaProfilerStop(void* real);

void xsp_observe_cudaProfilerStart(void* /*real*/) { xsp_profiler_range(1); }
void xsp_observe_cudaProfilerStop(void* /*real*/) { xsp_profiler_range(0); }

}  // extern "C"
