#include <fmt/format.h>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// All states, the last state, and of an LSTM the last cell.
Finding recurrent(OperatorCall& call) {
  const Dimensions& input = call.shape(0);
  const Dimensions& recurrence = call.shape(2);
  if (input.size() != 3) return wrong_rank("the input", input);
  if (recurrence.size() != 3) return wrong_rank("R", recurrence);
  const int64_t directions = call.node().text("direction", "forward") == "bidirectional" ? 2 : 1;
  if (recurrence[0] != directions)
    return Finding::impossible(fmt::format("R is {} for {} directions", text_of(recurrence), directions));
  const int64_t hidden = call.node().integer("hidden_size", recurrence[2]);
  const bool batch_first = call.node().integer("layout", 0) != 0;
  const int64_t batch = input[batch_first ? 0 : 1];
  const Dimensions last = batch_first ? Dimensions{batch, directions, hidden} : Dimensions{directions, batch, hidden};
  if (batch_first)
    call.set_shape(0, {batch, input[1], directions, hidden});
  else
    call.set_shape(0, {input[0], directions, batch, hidden});
  call.set_shape(1, last);
  call.set_shape(2, last);
  return Finding::known();
}

/// com.microsoft.DynamicQuantizeLSTM stores R as [directions, hidden, 4·hidden].
Finding quantized_lstm(OperatorCall& call) {
  if (call.node().attribute("hidden_size") == nullptr) return Finding::impossible("it has no hidden_size");
  return recurrent(call);
}

constexpr OperatorRule kRecurrentRules[] = {
    {"", "GRU", 3, "0", recurrent},
    {"", "LSTM", 3, "0", recurrent},
    {"", "RNN", 3, "0", recurrent},
    {"com.microsoft", "DynamicQuantizeLSTM", 3, "0", quantized_lstm},
};

}  // namespace

std::span<const OperatorRule> recurrent_rules() { return kRecurrentRules; }

}  // namespace xsp::bound
