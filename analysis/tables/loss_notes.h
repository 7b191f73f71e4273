#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Findings about the trace that touch every table made from its spans: spans lost, damage, an unfinished trace.
std::vector<std::string> loss_notes(const Study& study);

/// What to do about spans inside several concurrent ones, or why a serialised run did not tell their parents.
std::string resolve_ambiguous(const Study& study);

/// Losses of one reason over all processes.
uint64_t losses(const Trace& trace, LossReason reason);

/// Operators and annotations, removed ones included, of processes from which some were removed before a profile was
/// imported; 0 if none were.
uint64_t numbered_operators(const Trace& trace);

/// Whether most of them were removed: then nobody knows what the host does in gaps, nor whether kernels are complete.
bool is_filtered(const Trace& trace);

/// Spans known to have happened and not to be in the trace (RING_FULL, NO_RING, TOO_DEEP, DISK_FULL, CORRUPT,
/// ACTIVITY).
uint64_t dropped_spans(const Trace& trace);

/// Whether any part of the input is missing: torn, damaged, unfinished, with sequence gaps or losses.
bool is_incomplete(const Trace& trace);

/// One line for each thing about the input that a user must hear before reading numbers; for standard error.
std::vector<std::string> input_warnings(const Trace& trace);

}  // namespace xsp::analysis
