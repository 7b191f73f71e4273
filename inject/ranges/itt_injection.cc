#include "inject/ranges/itt_injection.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/ranges/range_stack.h"
#include "inject/ranges/range_text.h"
#include "proto/string_ids.h"

namespace xsp::guest {
namespace {

/// What a library gets if we cannot give it a handle of its own: a domain that is off, a string without text.
constinit itt::Domain domain_off = {};
constinit itt::StringHandle no_text = {};

/// Handles by string id, in chunks made at first use: libraries make one for each task that they begin.
constexpr size_t kChunk = 1024;
constinit std::atomic<itt::StringHandle*> chunks[kFirstCollectorString / kChunk] = {};

itt::StringHandle* chunk_of(uint32_t id) {
  std::atomic<itt::StringHandle*>& place = chunks[id / kChunk];
  itt::StringHandle* known = place.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const ErrnoGuard errno_guard;
  constexpr size_t kBytes = kChunk * sizeof(itt::StringHandle);
  void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* fresh = static_cast<itt::StringHandle*>(pages);
  if (place.compare_exchange_strong(known, fresh)) return fresh;
  munmap(pages, kBytes);
  return known;
}

itt::StringHandle* create_string_handle(const char* text) {
  const uint32_t id = range_text(text);
  itt::StringHandle* chunk = id == 0 ? nullptr : chunk_of(id);
  if (chunk == nullptr) return &no_text;
  itt::StringHandle& handle = chunk[id % kChunk];
  if (__atomic_load_n(&handle.text, __ATOMIC_ACQUIRE) == nullptr) {
    // A copy of the library's own text: that of the id may be "…". Two threads may get here at once; they write the
    // same.
    const ErrnoGuard errno_guard;
    const char* none = nullptr;
    char* copy = strndup(text, kMaxRangeText);
    handle.extra1 = static_cast<int>(id);
    if (!__atomic_compare_exchange_n(&handle.text, &none, copy, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) free(copy);
  }
  return &handle;
}

itt::Domain* create_itt_domain(const char* name) {
  const uint32_t name_id = range_text(name);
  RangeDomain* domain = name_id == 0 ? nullptr : range_domain(wire::Kind::kIttTask, name, name_id);
  return domain == nullptr ? &domain_off : &domain->itt;
}

/// Null for a domain that is off, or if there are too many. The library also has domains that it made itself before it
/// found us.
const RangeDomain* domain_of(const itt::Domain* domain) {
  if (domain == nullptr || domain->flags == 0) return nullptr;
  const void* known = __atomic_load_n(&domain->extra2, __ATOMIC_RELAXED);
  if (is_range_domain(known)) return static_cast<const RangeDomain*>(known);
  const uint32_t name_id = range_text(domain->name);
  RangeDomain* made = name_id == 0 ? nullptr : range_domain(wire::Kind::kIttTask, domain->name, name_id);
  if (made != nullptr) {
    __atomic_store_n(&const_cast<itt::Domain*>(domain)->extra2, static_cast<void*>(made), __ATOMIC_RELAXED);
  }
  return made;
}

uint32_t text_of(const itt::StringHandle* handle) {
  if (handle == nullptr) return 0;
  // Our handles lie in the chunk of their id; others date from before the library found us.
  const auto id = static_cast<uint32_t>(handle->extra1);
  if (id != 0 && id < kFirstCollectorString) {
    const itt::StringHandle* chunk = chunks[id / kChunk].load(std::memory_order_acquire);
    if (chunk != nullptr && handle == chunk + id % kChunk) return id;
  }
  return range_text(handle->text);
}

/// A task of oneDNN is named after the primitive, and after what is done with it unless it is executed.
uint32_t task_name(const RangeDomain& domain, const itt::StringHandle* handle) {
  const uint32_t plain = text_of(handle);
  if (domain.stage[0] == '\0' || handle == nullptr || handle->text == nullptr) return plain;
  char name[128];
  const size_t length = strnlen(handle->text, sizeof name - sizeof domain.stage);
  const size_t stage = strnlen(domain.stage, sizeof domain.stage - 1);
  memcpy(name, handle->text, length);
  memcpy(name + length, domain.stage, stage);
  return range_text(std::string_view(name, length + stage));
}

void task_begin(const itt::Domain* itt_domain, itt::Id, itt::Id, itt::StringHandle* name) {
  const RangeDomain* domain = domain_of(itt_domain);
  if (domain == nullptr) return;
  if (range_thread(*domain) == nullptr && !is_range_awaited()) {
    pass_range(*domain);
    return;
  }
  push_range(*domain, task_name(*domain, name));
}

/// Such a task names a function by its address alone, which is no name that a report could show.
void task_begin_function(const itt::Domain* itt_domain, itt::Id, itt::Id, void*) {
  const RangeDomain* domain = domain_of(itt_domain);
  if (domain != nullptr) push_range(*domain, range_text("task"));
}

void task_end(const itt::Domain* itt_domain) {
  const uint64_t end = now();
  const RangeDomain* domain = domain_of(itt_domain);
  if (domain != nullptr) pop_range(*domain, end);
}

bool wants_text(const RangeDomain* domain) { return domain != nullptr && range_thread(*domain) != nullptr; }

void metadata_text_add(const itt::Domain* itt_domain, itt::Id, itt::StringHandle*, const char* data, size_t length) {
  const RangeDomain* domain = domain_of(itt_domain);
  if (!wants_text(domain) || data == nullptr) return;
  if (length > kMaxRangeText) length = kMaxRangeText;
  describe_range(*domain, range_text(std::string_view(data, strnlen(data, length))));
}

/// Only "%s" is understood, which is what oneDNN sends: a format of the program's must not run in our code.
void formatted_metadata_add(const itt::Domain* itt_domain, itt::StringHandle* format, ...) {
  const RangeDomain* domain = domain_of(itt_domain);
  if (!wants_text(domain) || format == nullptr || format->text == nullptr || strcmp(format->text, "%s") != 0) return;
  va_list arguments;
  va_start(arguments, format);
  describe_range(*domain, range_text(va_arg(arguments, const char*)));
  va_end(arguments);
}

struct Handler {
  const char* name;
  void* function;
};

}  // namespace

void attach_itt(itt::Global* global) {
  if (global == nullptr || memcmp(global->magic, itt::kMagic, sizeof itt::kMagic) != 0) return;
  if (global->version_major != itt::kVersion || global->functions == nullptr) return;
  const Handler handlers[] = {
      {"__itt_domain_create", reinterpret_cast<void*>(create_itt_domain)},
      {"__itt_string_handle_create", reinterpret_cast<void*>(create_string_handle)},
      {"__itt_task_begin", reinterpret_cast<void*>(task_begin)},
      {"__itt_task_begin_fn", reinterpret_cast<void*>(task_begin_function)},
      {"__itt_task_end", reinterpret_cast<void*>(task_end)},
      {"__itt_metadata_str_add", reinterpret_cast<void*>(metadata_text_add)},
      {"__itt_formatted_metadata_add", reinterpret_cast<void*>(formatted_metadata_add)},
  };
  const bool off = state.load(std::memory_order_relaxed) == State::kOff;
  for (itt::Function* function = global->functions; function->name != nullptr; ++function) {
    if (function->pointer == nullptr) continue;
    void* chosen = function->unwanted;
    for (const Handler& handler : handlers) {
      // A guest that is off still answers: with "not wanted" the library stops calling.
      if (!off && strcmp(function->name, handler.name) == 0) chosen = handler.function;
    }
    *function->pointer = chosen;
  }
}

}  // namespace xsp::guest
