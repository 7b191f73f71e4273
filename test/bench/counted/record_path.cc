/// The guest's record path by its own functions: a span opened and closed. A peer listens at XSP_SOCKET.

#include "inject/record/span.h"
#include "test/bench/counted/counted.h"

namespace {

using namespace xsp::guest;

constexpr long kSpans = 1000;

void record_spans(long spans) {
  static Thread* const thread = recording_thread();
  static const uint32_t name = intern("span");
  if (thread == nullptr) return;
  for (long i = 0; i < spans; ++i) {
    const uint32_t slot = open_span(*thread, 3, 2, name, name, 0);
    close_span(*thread, slot, now(), 0, {});
  }
}

}  // namespace

int main() {
  xsp_count_thrice(record_spans, kSpans);
  return recording_thread() == nullptr ? 1 : 0;
}
