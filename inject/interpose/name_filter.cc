#include "inject/interpose/name_filter.h"

#include "inject/interpose/function_table.h"

namespace xsp::guest {

constinit NameFilter name_filter{};

void NameFilter::fill() {
  for (uint32_t function = 0; function < xsp_function_count; ++function) {
    const uint32_t bit = bit_of(xsp_function_name(function));
    words_[bit / 64].fetch_or(uint64_t{1} << (bit % 64), std::memory_order_relaxed);
  }
  filled_.store(true, std::memory_order_release);
}

}  // namespace xsp::guest
