#pragma once

#include "analysis/study/step_study.h"
#include "analysis/study/study.h"

/// What columns are there for that not every table of an analysis has (ColumnFacts::only_if()), and what tables are
/// there for that not every report has (TableFacts::has_several). knows_waits() of step_study.h is another such
/// condition.
namespace xsp::analysis {

/// Whether devices still work for any model, or any layer, when its call has returned.
bool models_outlast_calls(const Study& study);
bool layers_outlast_calls(const Study& study);

bool has_devices(const Study& study);

/// Whether it is known of any evaluation under study that it is of training or of inference.
bool knows_modes(const Study& study);

/// Whether any evaluations under study were computed with another number of threads than others of their model.
bool has_thread_settings(const Study& study);

/// Whether there are curves by number of threads: calls or runs with several, or --curves.
bool has_thread_curves(const Study& study);
/// The same, or a graph that says what could run at the same time.
bool has_co_run_input(const Study& study);

/// Whether the kernels under study are known.
bool has_kernels(const Study& study);

/// Whether backward work of any layer of the tables is known.
bool has_backward_work(const Study& study);

/// Totals of a trace have no confidence intervals.
bool has_intervals(const Study& study);

/// Whether each level is timed by runs that record nothing below it.
bool is_leveled(const Study& study);

}  // namespace xsp::analysis
