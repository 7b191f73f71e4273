/// XSP's C API and two library calls that it wraps. Run under xsp-run they record; with the guest preloaded and no
/// socket they cost what a switched-off guest costs; plainly, what the calls themselves cost.

#include <cstring>

#include "test/bench/span_cost/span_cost.h"
#include "xsp.h"

// Of empty_library.c.
extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                              const float*, float*, int);
extern "C" int ncclGroupStart();

namespace {

xsp_name name;

void api_span() { xsp_finish_span(xsp_start_span(name, XSP_LAYER)); }

void plt_call() { xsp_finish_span(0); }

void gemm() {
  static const float one = 1;
  static float matrix[1];
  static int handle;
  cublasSgemm_v2(&handle, 0, 1, 128, 64, 32, &one, matrix, 128, matrix, 64, &one, matrix, 128);
}

void library_call() { ncclGroupStart(); }

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::bench;
  name = xsp_intern("span");
  if (argc > 1 && std::strcmp(argv[argc - 1], "--api-alone") == 0) {
    return measure(argc - 1, argv, {subject<api_span>("api_span")});
  }
  return measure(argc, argv,
                 {subject<api_span>("api_span"), subject<plt_call>("plt_call"), subject<library_call>("library_call"),
                  subject<gemm>("gemm")});
}
