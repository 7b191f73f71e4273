// The guest's side of the C API (xsp.h). Its other exports are in the exports.cc of their folders.
#include "inject/api/direct_span.h"
#include "inject/api/xsp.h"
#include "inject/guard/errno_guard.h"
#include "proto/trace_numbers.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace {

constexpr auto kKindApi = static_cast<uint8_t>(xsp::wire::Kind::kApi);

// Not inlined, so that the direct way stays a function that saves no register.
__attribute__((noinline)) uint64_t start_anyhow(uint32_t name, uint32_t level) {
  if (level < XSP_APPLICATION || level > XSP_DEVICE) return 0;
  return xsp::guest::start_span(name, static_cast<uint8_t>(level), kKindApi, 0, 0);
}

__attribute__((noinline)) void finish_anyhow(uint64_t span) { xsp::guest::finish_span(span, {}); }

}  // namespace

extern "C" {

XSP_EXPORT xsp_name xsp_intern(const char* name) {
  if (name == nullptr) return 0;
  const xsp::guest::ErrnoGuard errno_guard;
  return xsp::guest::intern(name);
}

XSP_EXPORT xsp_span xsp_start_span(xsp_name name, enum xsp_level level) {
  const uint32_t word = xsp::guest::switch_word();
  const uint64_t span = xsp::guest::start_directly(word, name, level);
  if (__builtin_expect(span != 0, 1)) return span;
  return xsp::guest::is_nothing_recorded(word) ? 0 : start_anyhow(name, level);
}

XSP_EXPORT void xsp_finish_span(xsp_span span) {
  if (static_cast<uint32_t>(span) == 0) return;  // the id, which is 0 of no span
  if (__builtin_expect(!xsp::guest::finish_directly(span), 0)) finish_anyhow(span);
}

XSP_EXPORT void xsp_tag_span(xsp_span span, const char* key, const char* value) {
  xsp::guest::tag_span(span, key, value);
}

}  // extern "C"
