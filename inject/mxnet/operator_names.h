#pragma once

#include <cstdint>

#include "inject/record/shapes.h"

namespace xsp::guest {

/// What is read of MXNet's C++ objects. The type of an operator and the shapes of arrays are asked for by MXNet's C
/// API. The rest lies in memory, at places that count only after two independent facts have agreed several times; until
/// then it is read through the kernel of the system.

/// String ids; type 0: nothing is known.
struct OperatorName {
  uint32_t name;  // of the node in the graph; 0: it has none, as those of imperative calls
  uint32_t type;  // "Convolution"
};

/// Of an nnvm::Op and an nnvm::NodeAttrs, which begins with the address of its Op and a std::string. It counts if the
/// Op is the one that is given, and the string is as long as it says.
OperatorName name_of_pushed(const void* an_operator, const void* attributes);

/// Of an mxnet::exec::OpExecutor. The place of its NodeAttrs counts if the Op is one of MXNet's list, and the string is
/// as long as it says.
OperatorName name_of_executor(const void* executor);

/// Shapes of the first arrays, and bytes of all whose type is known.
struct Arrays {
  Shapes shapes;
  uint64_t bytes = 0;
};

/// Adds an mxnet::NDArray.
void add_array(const void* array, Arrays* arrays);

/// Adds those of all in a std::vector<NDArray*>.
void add_arrays(const void* vector_of_pointers, Arrays* arrays);

/// Adds the executor's arrays: the inputs, or the outputs. They lie in two std::vector<NDArray> behind
/// each other. They count if all that was read of the arrays agrees with the C API.
enum class Side : uint8_t { kInputs, kOutputs };
void add_executor_arrays(const void* executor, Side side, Arrays* arrays);

}  // namespace xsp::guest
