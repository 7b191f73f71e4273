#pragma once

#include <cstdint>
#include <string_view>

#include "bound/advice/layer_kind.h"

namespace xsp::bound {

enum class CallRole : uint8_t {
  kOther,         // questions, settings, descriptors
  kCompute,       // what a model asks for
  kLayoutChange,  // moves a tensor to another order in memory
  kSetUp,         // what is needed once: handles, plans, the search for an algorithm, memory
};

/// What a call into a compute library, or of the CUDA API, is for.
struct CallMeaning {
  CallRole role = CallRole::kOther;
  LayerKind kind = LayerKind::kOther;  // of kCompute
  std::string_view instead;            // of kSetUp, what would be enough: "a primitive made once"

  bool computes() const { return role == CallRole::kCompute; }
};

/// `library` as spans of calls have it: "onednn", "cudnn", "cublas", "cublaslt", "blas", "cblas".
CallMeaning meaning_of_call(std::string_view library, std::string_view function);

/// Of the CUDA runtime or driver: kSetUp or kOther.
CallMeaning meaning_of_runtime_call(std::string_view function);

}  // namespace xsp::bound
