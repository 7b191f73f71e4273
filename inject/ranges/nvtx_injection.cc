#include "inject/ranges/nvtx_injection.h"

#include <stddef.h>
#include <string.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/ranges/open_ranges.h"
#include "inject/ranges/range_stack.h"
#include "inject/ranges/range_text.h"

namespace xsp::guest {
namespace {

using nvtx::EventAttributes;
using nvtx::kNotTracked;

/// Handles of registered strings are the string's id with a mark in the upper half: they need no memory and stay valid
/// in forked children.
constexpr uintptr_t kStringTag = uintptr_t{0x58535052} << 32;
constexpr uintptr_t kStringMask = uintptr_t{0xffffffff} << 32;

const void* string_handle(uint32_t id) { return reinterpret_cast<const void*>(kStringTag | id); }

uint32_t registered_text(const void* handle) {
  const auto bits = reinterpret_cast<uintptr_t>(handle);
  return (bits & kStringMask) == kStringTag ? static_cast<uint32_t>(bits) : 0;
}

/// The domain of a handle; null for one that is not ours.
const RangeDomain* domain_of(const void* handle) {
  if (handle == nullptr) return default_domain();
  return is_range_domain(handle) ? static_cast<const RangeDomain*>(handle) : nullptr;
}

/// Structures of older versions end before the message.
constexpr size_t kSizeWithMessage = offsetof(EventAttributes, message) + sizeof(nvtx::Message);

uint32_t message_of(const EventAttributes* event) {
  if (event == nullptr || event->size < kSizeWithMessage) return 0;
  switch (event->message_type) {
    case nvtx::MessageType::kAscii:
      return range_message(event->message.ascii);
    case nvtx::MessageType::kUnicode:
      return range_text(event->message.unicode);
    case nvtx::MessageType::kRegistered:
      return registered_text(event->message.registered);
    case nvtx::MessageType::kNone:
      break;
  }
  return 0;
}

/// Whether a range that is not recorded may be the one that opens the recording window. The texts of other such ranges
/// are not interned.
bool may_open_window(const char* text) {
  return text != nullptr && may_be_awaited(std::string_view(text, strnlen(text, kMaxRangeText)));
}
bool may_open_window(const wchar_t* text) { return text != nullptr && is_range_awaited(); }

bool may_open_window(const EventAttributes* event) {
  if (!is_range_awaited() || event == nullptr) return false;
  // Only plain texts can be compared as they are; any other is interned, and push_range() compares ids.
  return event->message_type != nvtx::MessageType::kAscii || event->size < kSizeWithMessage ||
         may_open_window(event->message.ascii);
}

int domain_push(const void* handle, const EventAttributes* event) {
  const RangeDomain* domain = domain_of(handle);
  if (domain == nullptr) return kNotTracked;
  if (range_thread(*domain) == nullptr && !may_open_window(event)) return pass_range(*domain);
  return push_range(*domain, message_of(event));
}

int domain_pop(const void* handle) {
  const uint64_t end = now();
  const RangeDomain* domain = domain_of(handle);
  return domain == nullptr ? kNotTracked : pop_range(*domain, end);
}

uint64_t domain_start(const void* handle, const EventAttributes* event) {
  const RangeDomain* domain = domain_of(handle);
  if (domain == nullptr || (range_thread(*domain) == nullptr && !may_open_window(event))) return 0;
  return start_range(*domain, message_of(event));
}

void domain_end(const void*, uint64_t range) { end_range(range, now()); }

void domain_mark(const void* handle, const EventAttributes* event) {
  const RangeDomain* domain = domain_of(handle);
  if (domain != nullptr && range_thread(*domain) != nullptr) mark_range(*domain, message_of(event));
}

template <typename Character>
uint32_t plain_message(const Character* text) {
  if constexpr (sizeof(Character) == 1) {
    return range_message(text);
  } else {
    return range_text(text);
  }
}

template <typename Character>
int push(const Character* text) {
  const RangeDomain& domain = *default_domain();
  if (range_thread(domain) == nullptr && !may_open_window(text)) return pass_range(domain);
  return push_range(domain, plain_message(text));
}

template <typename Character>
uint64_t start(const Character* text) {
  const RangeDomain& domain = *default_domain();
  if (range_thread(domain) == nullptr && !may_open_window(text)) return 0;
  return start_range(domain, plain_message(text));
}

template <typename Character>
void mark(const Character* text) {
  const RangeDomain& domain = *default_domain();
  if (range_thread(domain) != nullptr) mark_range(domain, plain_message(text));
}

int push_ex(const EventAttributes* event) { return domain_push(nullptr, event); }
int pop() { return domain_pop(nullptr); }
uint64_t start_ex(const EventAttributes* event) { return domain_start(nullptr, event); }
void end(uint64_t range) { end_range(range, now()); }
void mark_ex(const EventAttributes* event) { domain_mark(nullptr, event); }

/// Handle of a domain whose ranges are not recorded. Not null, which programs take for "no tool here", and some for an
/// error. It only has to be a handle that is_range_domain() does not know.
constinit char unrecorded_domain = 0;

const void* domain_handle(const char* name, uint32_t name_id) {
  const RangeDomain* domain = range_domain(wire::Kind::kNvtxRange, name, name_id);
  return domain == nullptr ? static_cast<const void*>(&unrecorded_domain) : domain;
}

const void* create_nvtx_domain(const char* name) { return domain_handle(name, range_text(name)); }
const void* create_wide_domain(const wchar_t* name) { return domain_handle(nullptr, range_text(name)); }
const void* register_string(const void*, const char* text) { return string_handle(range_message(text)); }
const void* register_wide_string(const void*, const wchar_t* text) { return string_handle(range_text(text)); }

/// Resources only give things names, which nothing here uses.
constinit char resource = 0;
const void* create_resource(const void*, const void*) { return &resource; }

struct Entry {
  uint32_t function;
  nvtx::FunctionPointer pointer;
};

template <typename Function, typename Pointer>
Entry entry(Function function, Pointer pointer) {
  return {static_cast<uint32_t>(function), reinterpret_cast<nvtx::FunctionPointer>(pointer)};
}

/// False when the copy of NVTX has no such module.
template <size_t kCount>
bool attach_module(const nvtx::Callbacks& callbacks, nvtx::Module module, const Entry (&entries)[kCount]) {
  nvtx::FunctionTable table = nullptr;
  uint32_t size = 0;
  if (callbacks.get_module_functions(static_cast<int32_t>(module), &table, &size) == 0 || table == nullptr)
    return false;
  for (const Entry& wanted : entries) {
    if (wanted.function < size && table[wanted.function] != nullptr) *table[wanted.function] = wanted.pointer;
  }
  return true;
}

bool attach_core(const nvtx::Callbacks& callbacks) {
  using Function = nvtx::CoreFunction;
  const Entry entries[] = {
      entry(Function::kMarkEx, mark_ex),
      entry(Function::kMarkA, mark<char>),
      entry(Function::kMarkW, mark<wchar_t>),
      entry(Function::kRangeStartEx, start_ex),
      entry(Function::kRangeStartA, start<char>),
      entry(Function::kRangeStartW, start<wchar_t>),
      entry(Function::kRangeEnd, end),
      entry(Function::kRangePushEx, push_ex),
      entry(Function::kRangePushA, push<char>),
      entry(Function::kRangePushW, push<wchar_t>),
      entry(Function::kRangePop, pop),
  };
  return attach_module(callbacks, nvtx::Module::kCore, entries);
}

bool attach_core2(const nvtx::Callbacks& callbacks) {
  using Function = nvtx::Core2Function;
  const Entry entries[] = {
      entry(Function::kDomainMarkEx, domain_mark),
      entry(Function::kDomainRangeStartEx, domain_start),
      entry(Function::kDomainRangeEnd, domain_end),
      entry(Function::kDomainRangePushEx, domain_push),
      entry(Function::kDomainRangePop, domain_pop),
      entry(Function::kDomainResourceCreate, create_resource),
      entry(Function::kDomainRegisterStringA, register_string),
      entry(Function::kDomainRegisterStringW, register_wide_string),
      entry(Function::kDomainCreateA, create_nvtx_domain),
      entry(Function::kDomainCreateW, create_wide_domain),
  };
  return attach_module(callbacks, nvtx::Module::kCore2, entries);
}

}  // namespace

int attach_nvtx(nvtx::GetExportTable get_export_table) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  if (get_export_table == nullptr || wake_process() == nullptr) return 0;
  // That copy of NVTX then calls nobody: its ranges cost the program nothing.
  if (!are_ranges_wanted(*default_domain()) && !is_range_awaited()) return 0;
  const auto* callbacks = static_cast<const nvtx::Callbacks*>(get_export_table(nvtx::kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks ||
      callbacks->get_module_functions == nullptr) {
    return 0;
  }
  const bool core = attach_core(*callbacks);
  const bool core2 = attach_core2(*callbacks);
  if (!core && !core2) return 0;
  const auto* version = static_cast<const nvtx::Version*>(get_export_table(nvtx::kVersionTable));
  if (version != nullptr && version->struct_size >= sizeof *version && version->set_injection_version != nullptr) {
    version->set_injection_version(nvtx::kInjectionVersion);
  }
  return 1;
}

}  // namespace xsp::guest
