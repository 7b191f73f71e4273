/// The floor beside the system's clock.

#include <ctime>

#include "test/bench/span_cost/span_cost.h"

namespace {

void two_clock_gettime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_MONOTONIC, &now);
  asm volatile("" ::"m"(now));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::bench;
  return measure(argc, argv, {subject<two_clock_gettime>("clock_gettime")});
}
