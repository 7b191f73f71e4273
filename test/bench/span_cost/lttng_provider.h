// A span as two LTTng-UST tracepoints; LTTng's macros read this file several times.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER xsp_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./test/bench/span_cost/lttng_provider.h"

#if !defined(XSP_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define XSP_BENCH_LTTNG_PROVIDER_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(xsp_bench, span_begin, LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, name, name)
                                                   lttng_ust_field_integer(uint64_t, id, id)))
LTTNG_UST_TRACEPOINT_EVENT(xsp_bench, span_end, LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, name, name)
                                                   lttng_ust_field_integer(uint64_t, id, id)))

#endif

#include <lttng/tracepoint-event.h>
