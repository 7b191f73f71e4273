#include "bound/fusion/known_function.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace xsp::bound {
namespace {

double value_at(const ProbeValues& values, double probe) {
  return values[static_cast<size_t>(std::ranges::find(kProbes, probe) - kProbes.begin())];
}

/// A function that may be meant, with what the values say of its bounds and slopes.
struct Suspect {
  std::string_view alg;
  double (*alpha)(const ProbeValues& values) = nullptr;
  double (*beta)(const ProbeValues& values) = nullptr;
};
constexpr Suspect kSuspects[] = {
    {"relu"},
    {"gelu_erf"},
    {"gelu_tanh"},
    {"silu", [](const ProbeValues&) { return 1.0; }},
    // QuickGelu's slope.
    {"silu", [](const ProbeValues&) { return static_cast<double>(1.702F); }},
    {"hardswish"},
    {"mish"},
    {"softplus"},
    {"sigmoid"},
    {"tanh"},
    {"clip", [](const ProbeValues& values) { return value_at(values, -1e4); },
     [](const ProbeValues& values) { return value_at(values, 1e4); }},
    {"leaky_relu", [](const ProbeValues& values) { return -value_at(values, -1); }},
    {"hardsigmoid", [](const ProbeValues& values) { return (value_at(values, 0.3) - value_at(values, 0)) / 0.3; },
     [](const ProbeValues& values) { return value_at(values, 0); }},
    {"elu", [](const ProbeValues& values) { return -value_at(values, -1e4); }},
};

/// The largest relative difference, or the first one that is not below `limit`.
double difference(const ProbeValues& values, const ElementwiseAlgorithm& algorithm, double alpha, double beta,
                  double limit) {
  double largest = 0;
  for (size_t i = 0; i < kComparedProbes; ++i) {
    const double expected = algorithm.value(kProbes[i], alpha, beta);
    const double off = std::abs(values[i] - expected) / (1 + std::abs(expected));
    if (!(off < limit)) return limit;
    largest = std::max(largest, off);
  }
  return largest;
}

/// "0.1" of what was computed as 0.09999999.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace

std::optional<PostStep> known_function(const ProbeValues& values, double rounding) {
  const Suspect* best = nullptr;
  double best_alpha = 0, best_beta = 0;
  double least = rounding;
  const bool is_finite =
      std::all_of(values.begin(), values.begin() + kComparedProbes, [](double value) { return std::isfinite(value); });
  if (!is_finite) return {};
  for (const Suspect& suspect : kSuspects) {
    double alpha = suspect.alpha == nullptr ? 0 : suspect.alpha(values);
    const double beta = suspect.beta == nullptr ? 0 : rounded(suspect.beta(values));
    if (suspect.alg != "silu") alpha = rounded(alpha);
    if (!std::isfinite(alpha) || !std::isfinite(beta)) continue;
    if (suspect.alg == "clip" && !(alpha < beta && std::abs(alpha) < 1e3 && beta < 1e3)) continue;
    if (suspect.alg == "leaky_relu" && alpha == 1) continue;  // nothing is done
    const double off = difference(values, *elementwise_algorithm(suspect.alg), alpha, beta, least);
    if (off >= least) continue;
    least = off;
    best = &suspect;
    best_alpha = alpha;
    best_beta = beta;
  }
  if (best == nullptr) return {};
  return PostStep{std::string(best->alg), best_alpha, best_beta, elementwise_algorithm(best->alg)->arguments};
}

}  // namespace xsp::bound
