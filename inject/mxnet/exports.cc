/// Functions of MXNet's C API that the guest exports under their own names: programs in C and C++ call them by their
/// tables, and others look them up (interpose/looked_up.h). Each calls the real one.

#include <stdint.h>

#include "inject/interpose/forwarded_function.h"
#include "inject/mxnet/model_calls.h"
#include "inject/record/switches.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace xsp::guest {
namespace {

/// Takes more words than any of them has, so that all are passed on the same way. Returns 0 for success.
using Function = int (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

template <typename Run>
int call_graph(const char* name, bool trains, Run&& run) {
  if (state.load(std::memory_order_relaxed) == State::kOff) return run();
  MxnetGraphCall call(name, trains);
  const int status = run();
  call.end(status != 0);
  return status;
}

}  // namespace
}  // namespace xsp::guest

/// An exported function: its name, what its calls are named by, and whether they are training.
#define XSP_GRAPH_CALL(FUNCTION, NAME, TRAINS)                                                                        \
  namespace xsp::guest {                                                                                              \
  static constinit ForwardedFunction<Function> real_##FUNCTION(#FUNCTION, "libmxnet.so");                             \
  }                                                                                                                   \
  extern "C" XSP_EXPORT int FUNCTION(void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i, \
                                     void* j) {                                                                       \
    using namespace xsp::guest;                                                                                       \
    const Function real = real_##FUNCTION.get(__builtin_return_address(0));                                           \
    if (real == nullptr) return -1;                                                                                   \
    return call_graph(NAME, TRAINS, [&] { return real(a, b, c, d, e, f, g, h, i, j); });                              \
  }

XSP_GRAPH_CALL(MXInvokeCachedOp, "CachedOp", false)
XSP_GRAPH_CALL(MXInvokeCachedOpEx, "CachedOp", false)
XSP_GRAPH_CALL(MXExecutorForward, "Executor.forward", static_cast<int>(reinterpret_cast<intptr_t>(b)) != 0)
XSP_GRAPH_CALL(MXPredForward, "Predictor.forward", false)
XSP_GRAPH_CALL(MXExecutorBackward, "backward", true)
XSP_GRAPH_CALL(MXExecutorBackwardEx, "backward", true)
XSP_GRAPH_CALL(MXAutogradBackward, "backward", true)
XSP_GRAPH_CALL(MXAutogradBackwardEx, "backward", true)
