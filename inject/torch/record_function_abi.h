#pragma once

#include <cstddef>
#include <cstdint>

/// at::RecordFunction and at::RecordFunctionCallback (ATen/record_function.h) as libtorch's compiled code has them, the
/// same from PyTorch 1.13 to 2.15. Nothing of PyTorch is included or linked.
namespace xsp::guest::torch_abi {

/// at::RecordScope.
inline constexpr uint32_t kFunction = 0;
inline constexpr uint32_t kBackwardFunction = 1;
inline constexpr uint32_t kTorchScriptFunction = 2;
inline constexpr uint32_t kLiteInterpreter = 6;
inline constexpr uint32_t kUserScope = 7;
inline constexpr uint32_t kStaticRuntimeOperator = 8;
inline constexpr uint32_t kStaticRuntimeModel = 9;
inline constexpr uint32_t kScopes = 10;

struct RecordFunction;

/// std::unique_ptr<at::ObserverContext>, always empty. It has a destructor so that it is returned in the same way:
/// through a hidden pointer.
class NoContext {
 public:
  NoContext() = default;
  NoContext(const NoContext&) = delete;
  NoContext& operator=(const NoContext&) = delete;
  ~NoContext() {}  // NOLINT(modernize-use-equals-default)

 private:
  [[maybe_unused]] void* context_ = nullptr;
};

using StartCallback = NoContext (*)(const RecordFunction& function);
using EndCallback = void (*)(const RecordFunction& function, void* context);

/// Passed by value, on the stack. `later` is more than libtorch reads today, so that a version with more members finds
/// zeros.
struct Callback {
  StartCallback start;
  EndCallback end;
  double sampling_probability;
  bool scopes[kScopes];
  bool needs_inputs;
  bool needs_outputs;
  bool needs_ids;
  bool padding[3];
  uint64_t later[8];
};
static_assert(offsetof(Callback, scopes) == 24);
static_assert(offsetof(Callback, later) == 40);

}  // namespace xsp::guest::torch_abi
