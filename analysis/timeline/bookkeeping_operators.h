#pragma once

#include <span>
#include <string_view>

namespace xsp::analysis {

/// The type of what nobody would call a layer: layer tables merge all of it in an evaluation into one row of this name.
inline constexpr std::string_view kBookkeeping = "bookkeeping";

/// The type of layers that move data between devices or machines.
inline constexpr std::string_view kCommunication = "communication";

/// An operator of a framework that computes nothing for the model, and why not.
struct BookkeepingOperator {
  std::string_view name;  // one that ends in * stands for all that begin so
  std::string_view reason;
};

std::span<const BookkeepingOperator> bookkeeping_operators();

/// The entry for an operator of this name; null: none.
const BookkeepingOperator* find_bookkeeping(std::string_view operator_name);

/// Whether an operator is one of a library that moves data between processes (c10d, NCCL).
bool is_communication_operator(std::string_view operator_name);

}  // namespace xsp::analysis
