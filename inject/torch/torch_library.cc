#include "inject/torch/torch_library.h"

#include "inject/objects/loaded_library.h"

namespace xsp::guest {
namespace {

constexpr const char* kLibrary = "libtorch_cpu.so";

template <typename Function>
bool find(Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(symbol_in_loaded_library(kLibrary, symbol));
  return function != nullptr;
}

}  // namespace

bool find_torch_library(TorchLibrary* library) {
  return find(library->add_global_callback, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE") &&
         find(library->name, "_ZNK2at14RecordFunction4nameEv") &&
         find(library->is_async, "_ZNK2at14RecordFunction7isAsyncEv") &&
         find(library->num_inputs, "_ZNK2at14RecordFunction10num_inputsEv") &&
         find(library->num_outputs, "_ZNK2at14RecordFunction11num_outputsEv") &&
         find(library->current_thread, "_ZN2at14RecordFunction15currentThreadIdEv") &&
         find(library->next_sequence, "_ZN2at15sequence_number4peekEv");
}

bool find_callback_switches(TorchLibrary* library) {
  return find(library->disable_callback, "_ZN2at15disableCallbackEm") &&
         find(library->enable_callback, "_ZN2at16reenableCallbackEm");
}

}  // namespace xsp::guest
