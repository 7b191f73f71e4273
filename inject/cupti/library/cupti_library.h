#pragma once

#include <cstdint>

#include "inject/cupti/library/cupti_abi.h"
#include "inject/guard/fixed_text.h"

namespace xsp::guest {

/// cuptiSubscribe_v2, which returns the name of the present subscriber, if there is one.
struct SubscribeParameters {
  size_t size;
  const char* name;
  char* old_name;
  size_t old_name_bytes;
};
using NamedSubscribe = cupti::Result(void** subscriber, cupti::Callback* callback, void* user_data,
                                     SubscribeParameters* parameters);

struct CuptiLibrary {
  void* handle;
  cupti::Functions functions;
  NamedSubscribe* named_subscribe;  // null before CUDA 13
  uint32_t version;
  FixedText<1024> path;
};

/// Finds and loads, for good, the libcupti that belongs to the program's CUDA: one that is mapped already, the one
/// beside the program's CUDA, that of $CUDA_HOME or $CUDA_PATH, the loader's (LD_LIBRARY_PATH), that of /usr/local. It
/// fits the driver when its major version is not above the driver's. XSP_CUPTI names another one. False: none;
/// `why_not` says what was found and what is wrong with it.
bool load_cupti(CuptiLibrary* library, FixedText<1024>* why_not);

/// The major version of CUDA that a version of CUPTI belongs to; 0: older than 11.8.
uint32_t cuda_major_of(uint32_t cupti_version);

}  // namespace xsp::guest
