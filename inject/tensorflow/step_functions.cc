#include "inject/tensorflow/step_functions.h"

#include <string.h>

#include <array>
#include <iterator>
#include <utility>

#include "inject/objects/writable_slots.h"
#include "inject/record/process.h"
#include "inject/record/switches.h"
#include "inject/tensorflow/model_calls.h"
#include "inject/tensorflow/open_calls.h"

namespace xsp::guest {
namespace {

/// All are called with up to nine words and return at most one, and the step is a parameter, or the first member of
/// one. The ends of the names differ by version: of what 64 bits are called, and of absl.
using Begin = void* (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*);
struct StepFunction {
  const char* prefix;
  int parameter;
  bool is_session;      // the parameter is the step itself
  bool returns_at_end;  // else it returns while the step runs
};
constexpr StepFunction kStepFunctions[] = {
#define XSP_RUNTIME "_ZNK10tensorflow29ProcessFunctionLibraryRuntime"
#define XSP_OPTIONS "ERKNS_22FunctionLibraryRuntime7OptionsE"
    {XSP_RUNTIME "7RunSync" XSP_OPTIONS "mN", 2, false, true},
    {XSP_RUNTIME "7RunSync" XSP_OPTIONS "mP", 2, false, true},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "mN", 1, false, false},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "mP", 1, false, false},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "mR", 1, false, false},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "yN", 1, false, false},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "yP", 1, false, false},
    {XSP_RUNTIME "3Run" XSP_OPTIONS "yR", 1, false, false},
#undef XSP_OPTIONS
#undef XSP_RUNTIME
    {"_ZN10tensorflow13DirectSession11RunInternalEl", 2, true, true},
    {"_ZN10tensorflow13DirectSession11RunInternalEx", 2, true, true},
};
constexpr size_t kSteps = std::size(kStepFunctions);
constinit Begin real_begins[kSteps]{};

/// A Status, which is returned in memory: a null pointer, or since 2.16 the number 1, says that all went well.
bool is_failure(const void* status) { return *static_cast<const uintptr_t*>(status) > 1; }

template <size_t index>
void* begin(void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i) {
  constexpr StepFunction kFunction = kStepFunctions[index];
  void* const told = kFunction.parameter == 1 ? b : c;
  const int64_t step = kFunction.is_session ? reinterpret_cast<int64_t>(told) : *static_cast<const int64_t*>(told);
  const Begin real = real_begins[index];
  Thread* thread = known_thread();
  if (thread != nullptr && thread->of<TensorflowThread>().call != 0) {
    // A function may run inside of a call that has a step, or in eager mode none.
    const int64_t outer = begin_step(*thread, step);
    void* const result = real(a, b, c, d, e, f, g, h, i);
    if (kFunction.returns_at_end) begin_step(*thread, outer);
    return result;
  }
  if (kFunction.is_session && state.load(std::memory_order_relaxed) != State::kOff) {
    TensorflowCall call;
    thread = known_thread();
    if (thread != nullptr) begin_step(*thread, step);
    void* const result = real(a, b, c, d, e, f, g, h, i);
    call.end(result == a && is_failure(result));
    return result;
  }
  return real(a, b, c, d, e, f, g, h, i);
}

template <size_t... indices>
constexpr auto begins_of(std::index_sequence<indices...>) {
  return std::array<Begin, kSteps>{begin<indices>...};
}
constexpr auto kBeginHooks = begins_of(std::make_index_sequence<kSteps>());

void hook(const TensorflowObjects& libraries, const ElfObject& object, const SymbolSlot& slot, size_t index) {
  const auto begin = reinterpret_cast<Begin>(libraries.find(slot.name));
  if (begin == nullptr || (real_begins[index] != nullptr && real_begins[index] != begin)) return;
  const WritableSlots writable(object, slot.place, sizeof *slot.place);
  if (!writable) return;
  real_begins[index] = begin;
  __atomic_store_n(slot.place, reinterpret_cast<uintptr_t>(kBeginHooks[index]), __ATOMIC_RELEASE);
}

}  // namespace

void hook_step(const TensorflowObjects& libraries, const ElfObject& object, const SymbolSlot& slot) {
  for (size_t index = 0; index < kSteps; ++index) {
    const char* prefix = kStepFunctions[index].prefix;
    if (strncmp(slot.name, prefix, strlen(prefix)) == 0) hook(libraries, object, slot, index);
  }
}

}  // namespace xsp::guest
