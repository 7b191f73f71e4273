#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/database/database.h"
#include "bound/joining/joined_trace.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// A product or convolution that ran: what was used, what the library chooses first, and what is fastest. Times are of
/// benchmarks, so that like is compared with like; nothing where there is none (the paper's section III, E, 3).
struct ImplementationChoice {
  size_t call = 0;        // index in JoinedTrace::calls
  std::string used;       // as the trace names it
  std::string library;    // "onednn 2.6.3": whose benchmark stands for it; the program may have another version of it
  std::string benchmark;  // "onednn 2.6.3 (any: acdb)", with the name that this version has for it where it is another
  std::optional<double> used_ms;  // of that benchmark
  std::string heuristic;
  std::optional<double> heuristic_ms;
  std::string best;           // behind the library's name and version
  bool is_best_exact = true;  // else it rounds otherwise than the plain algorithm does (Winograd, FFT)
  std::optional<double> best_ms;
  std::optional<double> loss_ms;  // used_ms − best_ms; what is used and not known counts with none
  std::string reason;             // why there are no times
};

std::vector<ImplementationChoice> implementation_choices(const JoinedTrace& trace, const Database& database,
                                                         const LookUp& look_up);

/// The problems of the calls of a trace that benchmarks can have, once each.
std::vector<WorkItem> call_items(const JoinedTrace& trace);

}  // namespace xsp::bound
