#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/joining/joined_trace.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// What a framework does that the model does not ask for (the paper's section III, E, 4; bounds.md 4.6, B6).
enum class InefficiencyKind : uint8_t {
  kMissingCall,     // a layer whose expected library was not called
  kOtherArguments,  // shape, pads, type, layout, math mode
  kExtraCall,       // layout changes of weights, transposes, casts
  kRepeatedSetup,   // algorithm search, primitive or plan made in every call of the model
  kOrder,
  kBetweenKernels,  // kernels outside any library call, between the expected ones
  kBetweenCalls,    // synchronisation, waits, copies between two expected calls
  kHostGap,
};
std::string_view name_of(InefficiencyKind kind);  // "missing_call"

/// Equal ones are folded: `count` says how many.
struct Inefficiency {
  InefficiencyKind kind = InefficiencyKind::kMissingCall;
  std::optional<size_t> trace_layer;      // index in JoinedTrace::layers, of the first one
  std::vector<size_t> trace_layers = {};  // of all of them, ascending
  std::string layer;                      // its name; of several "20 convolutions"
  std::string expected;
  std::string seen;
  size_t count = 1;             // in a call of the model
  double time_ms = 0;           // of all of them in a call of the model, what they cost; 0: not known
  bool is_kernel_time = false;  // time on the device, else on the host
  std::string evidence;         // call_index, kernel or caller
  std::string advice = {};      // what to do about it, where its kind alone does not say
};

/// `model`: null where there is none; what needs it is left out then. Dearest first.
std::vector<Inefficiency> find_inefficiencies(const JoinedTrace& trace, const LayeredModel* model);

}  // namespace xsp::bound
