#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bound/problems/post_steps.h"

namespace xsp::bound {

/// Where a function of one number is looked at: most are points at which it is compared with others, the last ones say
/// what its bounds and slopes are.
inline constexpr std::array kProbes = {-9.0, -5.0, -3.5, -2.7, -2.0, -1.3, -1.0, -0.6, -0.2,
                                       0.0,  0.3,  0.8,  1.5,  2.6,  4.0,  7.5,  -1e4, 1e4};
inline constexpr size_t kComparedProbes = kProbes.size() - 2;
using ProbeValues = std::array<double, kProbes.size()>;

/// The activation that has these values at the probes, whatever operations it was composed of: GELU by erf or by tanh,
/// SiLU, HardSwish, Mish, Softplus, Relu6 and others, with their bounds and slopes. Constants may have been rounded:
/// `rounding` is how far, relatively, a value may be off. Nothing: none of those that back ends compute.
std::optional<PostStep> known_function(const ProbeValues& values, double rounding);

}  // namespace xsp::bound
