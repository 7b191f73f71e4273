#include "inject/tensorflow/tensorflow_library.h"

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/process.h"
#include "inject/tensorflow/open_calls.h"

namespace xsp::guest {
namespace {

enum class Search : uint8_t { kNotBegun, kRunning, kFound, kFailed };
constinit std::atomic<Search> search{Search::kNotBegun};
constinit TensorflowLibrary known_library{};

template <typename Function>
bool find(Function& function, const void* beside, const char* symbol) {
  function = reinterpret_cast<Function>(symbol_beside(beside, symbol));
  return function != nullptr;
}

bool find_functions(const void* beside) {
  return find(known_library.op_name, beside, "TFE_OpGetName") &&
         find(known_library.op_input_count, beside, "TFE_OpGetFlatInputCount") &&
         find(known_library.op_input, beside, "TFE_OpGetFlatInput") &&
         find(known_library.handle_type, beside, "TFE_TensorHandleDataType") &&
         find(known_library.handle_rank, beside, "TFE_TensorHandleNumDims") &&
         find(known_library.handle_size, beside, "TFE_TensorHandleDim");
}

bool find_all(const void* beside) {
  known_library.has_functions = find_functions(beside);
  return find(known_library.new_status, beside, "TF_NewStatus") &&
         find(known_library.delete_status, beside, "TF_DeleteStatus") &&
         find(known_library.get_code, beside, "TF_GetCode") && find(known_library.tensor_rank, beside, "TF_NumDims") &&
         find(known_library.tensor_size, beside, "TF_Dim");
}

}  // namespace

OwnStatus::OwnStatus(const TensorflowLibrary& library, Thread& thread) : library_(library) {
  void*& kept = thread.of<TensorflowThread>().status;
  status_ = static_cast<tf::Status*>(kept);
  // Not every function sets it where all is well.
  if (status_ != nullptr && !is_ok()) {
    library.delete_status(status_);
    status_ = nullptr;
  }
  if (status_ == nullptr) kept = status_ = library.new_status();
}

void leave_tensorflow(Thread& thread) {
  close_tensorflow_call(thread);
  void*& kept = thread.of<TensorflowThread>().status;
  if (kept != nullptr && search.load(std::memory_order_acquire) == Search::kFound) {
    known_library.delete_status(static_cast<tf::Status*>(kept));
  }
  kept = nullptr;
}

const TensorflowLibrary* tensorflow_library(const void* function) {
  Search known = search.load(std::memory_order_acquire);
  if (__builtin_expect(known == Search::kFound, 1)) return &known_library;
  if (known != Search::kNotBegun || !search.compare_exchange_strong(known, Search::kRunning)) return nullptr;
  const ErrnoGuard errno_guard;
  const bool has_all = find_all(function);
  if (!has_all) {
    notify(1, "tensorflow", "this TensorFlow lacks functions of its C API: its calls are not recorded");
  }
  search.store(has_all ? Search::kFound : Search::kFailed, std::memory_order_release);
  return has_all ? &known_library : nullptr;
}

}  // namespace xsp::guest
