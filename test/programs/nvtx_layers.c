/* Marks what it does as XLA, TensorRT and PyTorch's emit_nvtx do: `nvtx_layers xla|tensorrt|pytorch`. */
#include "nvtx_by_abi.h"

#include <stdio.h>
#include <string.h>

static nvtxDomainHandle_t domain;

static void push(const char* text) {
  nvtxEventAttributes_t event;
  memset(&event, 0, sizeof event);
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, text);
  nvtxDomainRangePushEx(domain, &event);
}

static void pop(void) { nvtxDomainRangePop(domain); }

static void range(const char* text) {
  push(text);
  pop();
}

static void xla(void) {
  push("XlaModule:#prefix=jit(predict)/jit(main),hlo_module=jit_predict,program_id=3#");
  range("Thunk:#name=jit(predict)/dot_general,hlo_op=custom-call.7#");
  range("Thunk:#name=jit(predict)/add,hlo_op=loop_add_fusion.1#");
  pop();
}

static void tensorrt(void) {
  push("ExecutionContext::enqueue");
  range("Conv_0 + Relu_1");
  range("(Unnamed Layer* 1) [Fully Connected]");
  pop();
}

/* Without a model of its own: each text is new, as emit_nvtx counts the calls. */
static void pytorch(int call) {
  char text[128];
  snprintf(text, sizeof text, "aten::linear, op_id = %d, sizes = [[4, 8], [16, 8], [16]]", 10 * call);
  nvtxRangePushA(text);
  snprintf(text, sizeof text, "aten::addmm, seq = %d, op_id = %d, sizes = [[16], [4, 8]]", call, 10 * call + 1);
  nvtxRangePushA(text);
  nvtxRangePop();
  nvtxRangePop();
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  domain = nvtxDomainCreateA(strcmp(what, "xla") == 0 ? "TSL" : "TensorRT");
  for (int call = 0; call < 10; ++call) {
    if (strcmp(what, "xla") == 0) xla();
    if (strcmp(what, "tensorrt") == 0) tensorrt();
    if (strcmp(what, "pytorch") == 0) pytorch(call);
  }
  return 0;
}
