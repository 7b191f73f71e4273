#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What the guests told of each evaluation, in order of `roots`, which are their model spans: null where nothing was
/// told. Empty where nothing was told of any. The pointers are into the trace.
std::vector<const wire::ThreadCount*> find_thread_counts(const Trace& trace, const std::vector<Row>& roots);

/// By evaluation: with how many threads it was computed, as groups tell evaluations apart. A model (an instance in one
/// process) that was computed with its own number of threads all along has none, whatever that number is. A probe with
/// the program's own number is the program's own. Evaluations of which nothing was told have the program's own number
/// if no other one was tried any more as the process ended. `evaluations` has roots and thread counts.
std::vector<EvaluationThreads> find_evaluation_threads(const Trace& trace, const Evaluations& evaluations);

/// "2 threads", "2 threads (own)", "advised threads"; empty where evaluations are not told apart by them.
std::string threads_text(const EvaluationThreads& threads);

}  // namespace xsp::analysis
