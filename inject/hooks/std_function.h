#pragma once

namespace xsp::guest {

/// libstdc++'s std::function, of any signature: two words for the callable or its address, and two functions that know
/// its type. Both of libstdc++'s ABIs have it so. It may be moved by copying its words: what it keeps inside itself is
/// trivially copyable.
struct StdFunction {
  enum class Operation : int { kTypeInfo, kAddress, kClone, kDestroy };
  using Manager = bool (*)(StdFunction* to, const StdFunction* from, Operation operation);

  void* callable[2];
  Manager manager;  // null: an empty function
  void* invoker;    // called with the function's address, then the arguments

  /// Leaves an empty function, as a move does.
  StdFunction take() {
    const StdFunction taken = *this;
    manager = nullptr;
    return taken;
  }

  void destroy() {
    if (manager != nullptr) manager(this, this, Operation::kDestroy);
    manager = nullptr;
  }
};

}  // namespace xsp::guest
