#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "inject/record/span.h"
#include "test/inject/listening_peer.h"

namespace xsp::test {

constexpr uint8_t kApi = 1;
constexpr uint64_t kMillisecond = 1'000'000;

/// Records `count` layers of zero length.
inline void record(uint32_t name, int count) {
  for (int i = 0; i < count; ++i) guest::finish_span(guest::start_span(name, 2, kApi, 0, 0), {});
}

inline size_t count_named(const Received& received, const std::string& name) {
  size_t count = 0;
  for (const auto& span : received.spans) count += span.name == name ? 1 : 0;
  return count;
}

}  // namespace xsp::test
