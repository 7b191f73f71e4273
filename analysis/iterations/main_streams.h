#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/operations.h"
#include "analysis/mining/loops.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The paper's method over operations: those of main streams only. `operations` have symbols by name alone. Ranges of
/// the result are of all operations. Notes say which streams and how each loop was found.
Loops mine_main_streams(const Trace& trace, const Operations& operations, std::vector<uint32_t> counts,
                        std::optional<uint32_t> most_unmatched, std::vector<std::string>* notes);

}  // namespace xsp::analysis
