#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// What XLA's CPU runtime tells TensorFlow's profiler of an operation (HLO), by the names of two events:
///
///   convolution.2#hlo_op=convolution.2,hlo_module=…,run_id=-1,_pt=0,_p=4294967296#   from its begin until it returns
///   end: convolution.2#_ct=0,_c=4294967296#                                          when it is done
///
/// One that works on other threads returns before it is done. Its end is told after the operations that waited for it
/// were begun, and those that the same thread runs have run: they lie in an event of their own, which ends just before,
///
///   ThunkExecutor::Execute
struct XlaEvent {
  enum class Kind : uint8_t { kOther, kOperation, kEnd, kFollowing };
  Kind kind = Kind::kOther;
  std::string_view operation;  // "convolution.2"
  std::string_view type;       // "convolution"
  std::string_view module;
  uint64_t id = 0;  // common to both events; 0: none
};

XlaEvent parse_xla_event(std::string_view name);

}  // namespace xsp::guest
