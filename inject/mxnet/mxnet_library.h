#pragma once

#include <cstdint>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// What the guest calls of the loaded MXNet, all of it C. Each returns 0 for success.
struct MxnetLibrary {
  int (*list_operators)(uint32_t* count, void*** operators);
  int (*operator_name)(const void* an_operator, const char** name);
  int (*array_shape)(const void* array, int* rank, const int** sizes);  // rank -1: not known yet
  int (*array_type)(const void* array, int* type);                      // -1: not known yet
  int (*version)(int* version);                                         // 10901 for 1.9.1
  int (*is_recording)(bool* is_recording);                              // whether autograd records, on this thread
};

/// libmxnet.so, found once. Null where it is not loaded or lacks a function: then no operators are recorded.
const MxnetLibrary* mxnet_library();

/// libmxnet.so among the loaded objects; false if it is not there.
bool find_mxnet_object(ElfObject* object);

}  // namespace xsp::guest
