#pragma once

#include "inject/python/cpython.h"
#include "inject/streams/stream_events.h"

namespace xsp::guest {

/// PyTorch's use of CUDA, through PyTorch's own functions. torch_hooks.py passes them, where PyTorch has them, to
///   use_cuda(names of torch.cuda, _cuda_getDevice, _cuda_getCurrentRawStream, _cuda_isInBadFork)
///   finish_device_times()                             before the interpreter ends
bool add_torch_stream_functions(PyObject* globals);

/// The current stream of the current device; false if PyTorch has not initialised CUDA in this process. Never
/// initialises it.
bool current_stream(DeviceStream* where);

}  // namespace xsp::guest
