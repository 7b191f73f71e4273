#include "inject/onnxruntime/api_tables.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fixed_text.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/writable_slots.h"
#include "inject/onnxruntime/api_hooks.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// The only major version so far. The slots of another one would not be known.
constexpr unsigned long kMajorVersion = 1;
constexpr unsigned long kMaxMinorVersion = 999;

struct PatchedTable {
  ort::Slot* slots;
  ort::Slot* editor_slots;
};
constinit PatchedTable patched_tables[kMaxOrtTables]{};
constinit std::atomic<bool> patching{false};

void tell(std::string_view what, std::string_view why) {
  FixedText<400> text;
  text.put(what).put(": ").put(why).put("; its sessions are not recorded");
  notify(1, "onnxruntime", text.view());
}

/// "1.31.1" -> 31; 0 for a version whose slots are not known.
uint32_t minor_version(const char* text) {
  char* end = nullptr;
  if (text == nullptr || strtoul(text, &end, 10) != kMajorVersion || *end != '.') return 0;
  const unsigned long minor = strtoul(end + 1, &end, 10);
  return minor <= kMaxMinorVersion ? static_cast<uint32_t>(minor) : 0;
}

void set_slot(ort::Slot* slot, ort::Slot value) { __atomic_store_n(slot, value, __ATOMIC_RELEASE); }

/// Copies the table's functions into `api`. Returns the name of the first one that is not where it should be, or null.
const char* read_functions(const ElfObject& library, const ort::Slot* slots, uint32_t version, ort::Api* api) {
  const char* missing = nullptr;
  const auto take = [&](const char* name, uint32_t slot, uint32_t since, ort::Slot* to) {
    *to = version >= since ? slots[slot] : nullptr;
    if (version >= since && !library.contains(reinterpret_cast<uintptr_t>(*to)) && missing == nullptr) missing = name;
  };
#define XSP_TAKE(name, slot, since, ...) take(#name, slot, since, reinterpret_cast<ort::Slot*>(&api->name));
  XSP_ORT_STATUS_FUNCTIONS(XSP_TAKE)
  XSP_ORT_RELEASE_FUNCTIONS(XSP_TAKE)
#undef XSP_TAKE
  return missing;
}

/// Patches the table for sessions that are made from models in memory, where the build has one.
void patch_model_editor(const ElfObject& library, const ort::Slot* slots, uint32_t version, uint32_t table) {
  if (version < ort::kModelEditorVersion) return;
  const auto get = reinterpret_cast<ort::GetModelEditorApi>(slots[ort::kGetModelEditorApiSlot]);
  if (!library.contains(reinterpret_cast<uintptr_t>(get))) return;
  auto* editor = const_cast<ort::Slot*>(get());
  if (!library.contains(reinterpret_cast<uintptr_t>(editor))) return;
  for (const PatchedTable& known : patched_tables) {
    if (known.editor_slots == editor && &known != &patched_tables[table]) return;
  }
  ort::Slot* slot = editor + ort::kCreateSessionFromModelSlot;
  if (!library.contains(reinterpret_cast<uintptr_t>(*slot))) return;
  const WritableSlots writable(library, slot, sizeof *slot);
  if (!writable) return;
  ort_apis[table].CreateSessionFromModel = reinterpret_cast<ort::CreateSessionFromModel>(*slot);
  patched_tables[table].editor_slots = editor;
  set_slot(slot, ort_model_hook(table));
}

/// Whether the table was patched and still is: a library that was closed may have been loaded again at the same
/// address.
bool is_patched(const ort::Slot* slots, uint32_t table) {
  const OrtHook& first = *ort_hooks(table);
  return patched_tables[table].slots == slots && slots[first.place.slot] == first.hook;
}

void patch(const ElfObject& library, ort::Slot* slots, uint32_t version) {
  uint32_t table = 0;
  for (; table < kMaxOrtTables && patched_tables[table].slots != nullptr; ++table) {
    if (is_patched(slots, table)) return;
    if (patched_tables[table].slots == slots) break;
  }
  if (table == kMaxOrtTables) return tell(library.file_name(), "too many copies of ONNX Runtime in one process");
  ort::Api api{};
  if (const char* missing = read_functions(library, slots, version, &api)) {
    return tell(library.file_name(), FixedText<200>().put("its table has no ").put(missing).view());
  }
  const OrtHook* hooks = ort_hooks(table);
  uint32_t last = 0;
  for (const OrtHook* hook = hooks; hook->name != nullptr; ++hook) {
    if (hook->place.since <= version && hook->place.slot > last) last = hook->place.slot;
  }
  {
    const WritableSlots writable(library, slots, (last + 1) * sizeof *slots);
    if (!writable) return tell(library.file_name(), "its table cannot be written");
    // Before the slots: a hook may be called as soon as its slot is set.
    ort_apis[table] = api;
    patched_tables[table] = {slots, nullptr};
    for (const OrtHook* hook = hooks; hook->name != nullptr; ++hook) {
      if (hook->place.since <= version) set_slot(slots + hook->place.slot, hook->hook);
    }
  }
  patch_model_editor(library, slots, version, table);
}

bool may_patch() {
  if (state.load(std::memory_order_relaxed) == State::kOff) return false;
  const Settings settings = read_settings();
  return wanted(settings) && settings.deepest_level >= kLevelModel;
}

void patch_all(const ort::ApiBase& base, const ElfObject& library) {
  const char* text = base.version_string();
  const uint32_t newest = minor_version(text);
  if (newest == 0) {
    return tell(library.file_name(), FixedText<200>().put("unknown version ").put(text == nullptr ? "" : text).view());
  }
  const ort::Slot* last = nullptr;
  // From the newest down: versions share tables, and the newest of them says how many slots a table has.
  for (uint32_t version = newest; version > 0; --version) {
    const ort::Slot* slots = base.get_api(version);
    if (slots == nullptr || slots == last) continue;
    last = slots;
    ElfObject holder;
    if (find_object(reinterpret_cast<uintptr_t>(slots), &holder)) {
      patch(holder, const_cast<ort::Slot*>(slots), version);
    } else {
      tell(library.file_name(), "its table is not where any version has it");
    }
  }
}

}  // namespace

void attach_onnxruntime(void* get_base) {
  const ErrnoGuard errno_guard;
  ElfObject library;
  if (get_base == nullptr || !may_patch() || !find_object(reinterpret_cast<uintptr_t>(get_base), &library)) return;
  const auto* base = reinterpret_cast<const ort::ApiBase* (*)()>(get_base)();
  if (base == nullptr || base->get_api == nullptr || base->version_string == nullptr) return;
  // Another thread is patching. In a child of a fork that thread may not exist, so the wait has an end.
  for (int i = 0; i < 1000 && patching.exchange(true, std::memory_order_acquire); ++i) {
    if (i == 999) return;
    sched_yield();
  }
  patch_all(*base, library);
  patching.store(false, std::memory_order_release);
}

}  // namespace xsp::guest
