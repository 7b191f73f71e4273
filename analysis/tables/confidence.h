#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/warm_up.h"
#include "analysis/study/study.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Latencies in ns, without warm-up, of the runs that time the model: what A1's row of a group is made of.
RunValues latencies_by_run(const Study& study, const EvaluationGroup& group);

/// Of A1's latency of each group under study.
std::vector<Interval> model_intervals(const Study& study);
/// Of A2's latency of each layer.
std::vector<Interval> layer_intervals(const Study& study);

/// Fills these columns, and adds a note. `intervals` are by row, in ns. With --per trace latencies are totals, which
/// have none: nothing is done.
void add_intervals(const Study& study, const std::vector<Interval>& intervals, const ColumnDefinition& low,
                   const ColumnDefinition& high, Table* table);

/// Under A1, where an interval reaches further than a tenth of the latency from it: what makes it narrower. Empty where
/// none does.
std::string wide_interval_note(const Study& study, const std::vector<Interval>& intervals);

/// What was left out as warm-up of each run that times a level of a group.
std::vector<LeftOut> left_out_of(const EvaluationGroup& group, const TimedLevel& level);

/// Which evaluations of the groups under study were left out as warm-up.
std::string warm_up_note(const Study& study);

/// The rises of throughput, up to the one at which the 5 % rule stops, of which the spread does not tell whether they
/// are above 5 %. `batches` are in ascending order.
std::vector<std::string> uncertain_rise_notes(const Study& study, const std::vector<SweptBatch>& batches);

}  // namespace xsp::analysis
