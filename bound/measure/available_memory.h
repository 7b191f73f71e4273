#pragma once

#include <cstdint>
#include <string>

#include "bound/problems/problem.h"

namespace xsp::bound {

/// Bytes that a process could still take: of the machine, or of its control groups where these leave less. `root`: see
/// facts_from_files(). Unknown: all that a number holds.
uint64_t available_memory(const std::string& root = "");

/// Bytes of all operands and results of the problem as 4-byte numbers, without making any of them. What the text does
/// not tell counts as none.
double operand_bytes(const Problem& problem);

}  // namespace xsp::bound
