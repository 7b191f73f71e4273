#include "inject/tensorflow/tensorflow_library.h"

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

enum class Search : uint8_t { kNotBegun, kRunning, kFound, kFailed };
constinit std::atomic<Search> search{Search::kNotBegun};
constinit TensorflowLibrary found{};

template <typename Function>
bool find(Function& function, const void* beside, const char* symbol) {
  function = reinterpret_cast<Function>(symbol_beside(beside, symbol));
  return function != nullptr;
}

bool find_functions(const void* beside) {
  return find(found.op_name, beside, "TFE_OpGetName") &&
         find(found.op_input_count, beside, "TFE_OpGetFlatInputCount") &&
         find(found.op_input, beside, "TFE_OpGetFlatInput") &&
         find(found.handle_type, beside, "TFE_TensorHandleDataType") &&
         find(found.handle_rank, beside, "TFE_TensorHandleNumDims") &&
         find(found.handle_size, beside, "TFE_TensorHandleDim");
}

bool find_all(const void* beside) {
  found.has_functions = find_functions(beside);
  return find(found.new_status, beside, "TF_NewStatus") && find(found.delete_status, beside, "TF_DeleteStatus") &&
         find(found.get_code, beside, "TF_GetCode") && find(found.tensor_rank, beside, "TF_NumDims") &&
         find(found.tensor_size, beside, "TF_Dim");
}

}  // namespace

const TensorflowLibrary* tensorflow_library(const void* function) {
  Search known = search.load(std::memory_order_acquire);
  if (__builtin_expect(known == Search::kFound, 1)) return &found;
  if (known != Search::kNotBegun || !search.compare_exchange_strong(known, Search::kRunning)) return nullptr;
  const ErrnoGuard errno_guard;
  const bool has_all = find_all(function);
  if (!has_all) {
    notify(1, "tensorflow", "this TensorFlow lacks functions of its C API: its calls are not recorded");
  }
  search.store(has_all ? Search::kFound : Search::kFailed, std::memory_order_release);
  return has_all ? &found : nullptr;
}

}  // namespace xsp::guest
