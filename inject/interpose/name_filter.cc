#include "inject/interpose/name_filter.h"

#include "inject/interpose/function_table.h"
#include "inject/interpose/looked_up.h"
#include "inject/record/upward_calls.h"

namespace xsp::guest {

constinit NameFilter name_filter{};

void NameFilter::add(const char* name) {
  const uint32_t bit = bit_of(name);
  words_[bit / 64].fetch_or(uint64_t{1} << (bit % 64), std::memory_order_relaxed);
}

void NameFilter::fill() {
  for (uint32_t function = 0; function < xsp_function_count; ++function) add(xsp_function_name(function));
  for (size_t i = 0; i < upward_calls.looked_up_count; ++i) add(upward_calls.looked_up[i].name);
  filled_.store(true, std::memory_order_release);
}

}  // namespace xsp::guest
