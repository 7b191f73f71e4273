#pragma once

#include <array>

#include "inject/ranges/nvtx_abi.h"
#include "inject/ranges/nvtx_injection.h"

namespace xsp::test {

/// A copy of NVTX as libraries contain one, by its ABI alone: function pointers, the tables that point to them, and the
/// export table that an injection asks for. One at a time, as the callbacks carry no object.
class FakeNvtx {
 public:
  using Core = guest::nvtx::CoreFunction;
  using Core2 = guest::nvtx::Core2Function;
  static constexpr uint32_t kEntries = 16;

  FakeNvtx() {
    current = this;
    for (uint32_t i = 1; i < kEntries; ++i) {
      core_table[i] = &core[i];
      core2_table[i] = &core2[i];
    }
  }

  int attach() { return guest::attach_nvtx(export_table); }

  template <typename Signature, typename... Arguments>
  auto call(Core function, Arguments... arguments) {
    return reinterpret_cast<Signature*>(core[static_cast<uint32_t>(function)])(arguments...);
  }
  template <typename Signature, typename... Arguments>
  auto call(Core2 function, Arguments... arguments) {
    return reinterpret_cast<Signature*>(core2[static_cast<uint32_t>(function)])(arguments...);
  }

  int push(const char* text) { return call<int(const char*)>(Core::kRangePushA, text); }
  int pop() { return call<int()>(Core::kRangePop); }
  uint64_t start(const char* text) { return call<uint64_t(const char*)>(Core::kRangeStartA, text); }
  void end(uint64_t range) { call<void(uint64_t)>(Core::kRangeEnd, range); }
  const void* domain(const char* name) { return call<const void*(const char*)>(Core2::kDomainCreateA, name); }
  const void* string(const void* domain, const char* text) {
    return call<const void*(const void*, const char*)>(Core2::kDomainRegisterStringA, domain, text);
  }
  int push(const void* domain, const guest::nvtx::EventAttributes& event) {
    return call<int(const void*, const void*)>(Core2::kDomainRangePushEx, domain, &event);
  }
  int pop(const void* domain) { return call<int(const void*)>(Core2::kDomainRangePop, domain); }

  static guest::nvtx::EventAttributes ascii(const char* text) {
    guest::nvtx::EventAttributes event = empty();
    event.message_type = guest::nvtx::MessageType::kAscii;
    event.message.ascii = text;
    return event;
  }
  static guest::nvtx::EventAttributes empty() {
    guest::nvtx::EventAttributes event{};
    event.version = 3;
    event.size = sizeof event;
    return event;
  }

  std::array<guest::nvtx::FunctionPointer, kEntries> core{};
  std::array<guest::nvtx::FunctionPointer, kEntries> core2{};
  std::array<guest::nvtx::FunctionPointer*, kEntries + 1> core_table{};
  std::array<guest::nvtx::FunctionPointer*, kEntries + 1> core2_table{};
  uint32_t core_size = kEntries;
  uint32_t core2_size = kEntries;
  bool has_core = true;
  bool has_callbacks = true;
  guest::nvtx::Callbacks callbacks{sizeof(guest::nvtx::Callbacks), module_functions};

 private:
  static int module_functions(int32_t module, guest::nvtx::FunctionTable* table, uint32_t* entries) {
    if (module == static_cast<int32_t>(guest::nvtx::Module::kCore) && current->has_core) {
      *table = current->core_table.data();
      *entries = current->core_size;
      return 1;
    }
    if (module == static_cast<int32_t>(guest::nvtx::Module::kCore2)) {
      *table = current->core2_table.data();
      *entries = current->core2_size;
      return 1;
    }
    return 0;
  }
  static const void* export_table(uint32_t table) {
    return table == guest::nvtx::kCallbacksTable && current->has_callbacks ? &current->callbacks : nullptr;
  }
  static inline FakeNvtx* current = nullptr;
};

}  // namespace xsp::test
