#include "inject/mxnet/mxnet_library.h"

#include <string.h>

#include <atomic>

namespace xsp::guest {
namespace {

enum class Search : uint8_t { kNotBegun, kRunning, kFound, kFailed };
constinit std::atomic<Search> search{Search::kNotBegun};
constinit MxnetLibrary functions{};

template <typename Function>
bool find(Function& function, const ElfObject& object, const char* symbol) {
  function = reinterpret_cast<Function>(find_symbol(object, symbol, nullptr));
  return function != nullptr;
}

bool find_all() {
  ElfObject object;
  return find_mxnet_object(&object) && find(functions.list_operators, object, "MXSymbolListAtomicSymbolCreators") &&
         find(functions.operator_name, object, "MXSymbolGetAtomicSymbolName") &&
         find(functions.array_shape, object, "MXNDArrayGetShapeEx") &&
         find(functions.array_type, object, "MXNDArrayGetDType") && find(functions.version, object, "MXGetVersion") &&
         find(functions.is_recording, object, "MXAutogradIsRecording");
}

}  // namespace

const MxnetLibrary* mxnet_library() {
  Search known = search.load(std::memory_order_acquire);
  if (__builtin_expect(known == Search::kFound, 1)) return &functions;
  if (known != Search::kNotBegun || !search.compare_exchange_strong(known, Search::kRunning)) return nullptr;
  const bool has_all = find_all();
  search.store(has_all ? Search::kFound : Search::kFailed, std::memory_order_release);
  return has_all ? &functions : nullptr;
}

bool find_mxnet_object(ElfObject* object) {
  bool is_found = false;
  each_object([&](const ElfObject& each) {
    if (strncmp(each.file_name(), "libmxnet", 8) != 0) return false;
    *object = each;
    is_found = true;
    return true;
  });
  return is_found;
}

}  // namespace xsp::guest
