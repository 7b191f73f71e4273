/// LTTng-UST: a begin and an end tracepoint, a name and an id in each.

#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "test/bench/span_cost/lttng_provider.h"
#include "test/bench/span_cost/span_cost.h"

namespace {

thread_local uint64_t span = 0;

void tracepoint_pair() {
  const uint64_t id = ++span;
  lttng_ust_tracepoint(xsp_bench, span_begin, 7, id);
  lttng_ust_tracepoint(xsp_bench, span_end, 7, id);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::bench;
  return measure(argc, argv, {subject<tracepoint_pair>("lttng")});
}
