#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// One whole number that is an input; nothing where it is computed from data.
std::optional<int64_t> number_input(const OperatorCall& call, size_t index) {
  const GivenList list = call.list(index, "");
  if (!list.is_given || !list.is_known || list.values.size() != 1) return std::nullopt;
  return list.values[0];
}

/// Frequencies of a real signal of so many samples that are not mirrored.
int64_t one_side(int64_t length) { return length / 2 + 1; }

/// Signals are [batch, ..., samples, 1 or 2]: the last dimension holds real and imaginary parts.
Finding fourier_transform(OperatorCall& call) {
  Dimensions shape = call.shape(0);
  if (shape.size() < 2) return wrong_rank("the input", shape);
  // An attribute in opset 17, an input from 20 on.
  int64_t axis = call.node().integer("axis", call.opset() < 20 ? 1 : -2);
  if (call.has(2)) {
    const auto given = number_input(call, 2);
    if (!given) return depends_on_data("its axis");
    axis = *given;
  }
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, shape);
  int64_t& length = shape[static_cast<size_t>(axis)];
  const bool one_sided = call.node().integer("onesided", 0) != 0;
  const bool inverse = call.node().integer("inverse", 0) != 0;
  if (call.has(1)) {
    const auto given = number_input(call, 1);
    if (!given) return depends_on_data("its length");
    length = *given;
  }
  // Half of the frequencies of a real signal give the whole real signal.
  const bool makes_real = one_sided && inverse;
  if (makes_real && !call.has(1)) length = std::max<int64_t>(2 * (length - 1), 0);
  if (one_sided && !inverse) length = one_side(length);
  shape.back() = makes_real ? 1 : 2;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// [batch, frames, frequencies, 2] of windows that move by `frame_step`.
Finding short_time_transform(OperatorCall& call) {
  const Dimensions& signal = call.shape(0);
  if (signal.size() < 2) return wrong_rank("the signal", signal);
  const auto step = number_input(call, 1);
  const auto length = call.has(3)                        ? number_input(call, 3)
                      : call.has(2) && call.rank(2) == 1 ? std::optional(call.shape(2)[0])
                                                         : std::nullopt;
  if (!step || !length) return depends_on_data("the length of its frames");
  if (*step < 1 || *length < 1 || *length > signal[1])
    return Finding::impossible(fmt::format("frames of {} every {} of {}", *length, *step, text_of(signal)));
  const bool one_sided = call.node().integer("onesided", 1) != 0;
  call.set_shape(0, {signal[0], (signal[1] - *length) / *step + 1, one_sided ? one_side(*length) : *length, 2});
  return Finding::known();
}

Finding mel_weights(OperatorCall& call) {
  const auto bins = number_input(call, 0);
  const auto length = number_input(call, 1);
  if (!bins || !length) return depends_on_data("its size");
  call.set_shape(0, {one_side(*length), *bins});
  return Finding::known();
}

Finding window(OperatorCall& call) {
  const auto size = number_input(call, 0);
  if (!size) return depends_on_data("its size");
  call.set_shape(0, {*size});
  return Finding::known();
}

constexpr OperatorRule kSignalRules[] = {
    {"", "BlackmanWindow", 1, "@output_datatype:f32", window},
    {"", "DFT", 1, "0", fourier_transform},
    {"", "HammingWindow", 1, "@output_datatype:f32", window},
    {"", "HannWindow", 1, "@output_datatype:f32", window},
    {"", "MelWeightMatrix", 2, "@output_datatype:f32", mel_weights},
    {"", "STFT", 2, "0", short_time_transform},
};

}  // namespace

std::span<const OperatorRule> signal_rules() { return kSignalRules; }

}  // namespace xsp::bound
