#pragma once

#include <string>

#include "test/bound/advice/made_evaluations.h"

namespace xsp::bound::test {

/// Arguments of a convolution by cuDNN.
inline MadeArguments made_convolution(const std::string& algorithm, const std::string& x = "f32[8,64,56,56]",
                                      const std::string& w = "f32[64,64,3,3]",
                                      const std::string& math = "DEFAULT_MATH") {
  return {{"x", x},
          {"w", w},
          {"conv", "pad=[1,1] stride=[1,1] dilation=[1,1] groups=1 mode=CROSS_CORRELATION math=" + math},
          {"algo", algorithm},
          {"y", "f32[8,64,56,56]"}};
}

/// The convolution with its kernel, and `inner` before it where there is one.
inline void add_convolution(MadeEvaluations& made, const MadeArguments& arguments = made_convolution("WINOGRAD"),
                            const std::string& inner = "") {
  made.call("cudnn", "cudnnConvolutionForward", 3, arguments, [&](MadeEvaluations& in) {
    if (!inner.empty()) in.kernel(inner, 10);
    in.kernel("implicit_convolve_sgemm", 100);
  });
}

}  // namespace xsp::bound::test
