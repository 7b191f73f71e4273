#pragma once

/// What an NVTX v3 injection and the copy of NVTX inside a program tell each other, in our own words;
/// test/inject/ranges/nvtx_headers_check.cc compares it with NVIDIA's headers where they are.

#include <cstddef>
#include <cstdint>

namespace xsp::guest::nvtx {

using FunctionPointer = void (*)();

/// A table of the places of function pointers, by callback id; null for a function that this copy does not have. Entry
/// 0 is unused.
using FunctionTable = FunctionPointer**;

enum class Module : int32_t { kCore = 1, kCore2 = 5 };

enum class CoreFunction : uint32_t {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
};

enum class Core2Function : uint32_t {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize,
};

/// Export tables, by id.
inline constexpr uint32_t kCallbacksTable = 1;
inline constexpr uint32_t kVersionTable = 3;

struct Callbacks {
  size_t struct_size;
  /// 1 if the module is there. `entries` counts entry 0.
  int (*get_module_functions)(int32_t module, FunctionTable* table, uint32_t* entries);
};

struct Version {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved;
  void (*set_injection_version)(uint32_t version);
};
inline constexpr uint32_t kInjectionVersion = 3;

using GetExportTable = const void* (*)(uint32_t table);

enum class MessageType : int32_t { kNone = 0, kAscii = 1, kUnicode = 2, kRegistered = 3 };

union Message {
  const char* ascii;
  const wchar_t* unicode;
  const void* registered;
};

struct EventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  MessageType message_type;
  Message message;
};

/// What push and pop return where nobody counts levels (NVTX_NO_PUSH_POP_TRACKING).
inline constexpr int kNotTracked = -2;

}  // namespace xsp::guest::nvtx
