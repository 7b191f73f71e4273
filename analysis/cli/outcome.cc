#include "analysis/cli/outcome.h"

#include <utility>

#include "analysis/cli/terminal.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/finding.h"
#include "analysis/compare/matches.h"
#include "analysis/findings/verdict.h"
#include "analysis/render/overview.h"
#include "analysis/render/render.h"
#include "analysis/render/summary.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// `finding`: with a comparison; `said`: with a report.
std::string render(const Options& options, std::vector<Table> tables, const Inputs& inputs, const std::string& finding,
                   const ReportFindings* said = nullptr) {
  ReportOptions report = text_options(options);
  report.finding = finding;
  if (options.diff) report.important = names_of(kCompared.important());
  switch (options.format) {
    case Format::kJson:
      return render_json(std::move(tables), describe_inputs(options, inputs), report, said);
    case Format::kCsv:
      return render_csv(std::move(tables), report);
    case Format::kText:
    case Format::kHtml:
      break;
  }
  return render_text(std::move(tables), report);
}

Status check_conditions(const Options& options, const Study& study, ComparisonTables* comparisons, Outcome* outcome) {
  for (const Condition& condition : options.fail_if) {
    Status status = check_condition(condition, study, comparisons, &outcome->checks.emplace_back());
    if (!status.ok()) return status;
  }
  return {};
}

Status make_report(const Options& options, const Inputs& inputs, Outcome* outcome) {
  const Study& study = *inputs.input.study;
  outcome->lacks_data = is_incomplete(study.trace);
  if (Status status = check_conditions(options, study, nullptr, outcome); !status.ok()) return status;
  if (options.summary) outcome->text = render_summary(study);
  if (options.summary || !wants_text(options)) return {};
  const Report& report = report_of(options, inputs, outcome);
  const ReportFindings said{report.verdict, report.findings};
  outcome->text = wants_overview(options) ? render_overview(report, text_options(options))
                                          : render(options, report.tables, inputs, "", &said);
  return {};
}

Status make_comparison(const Options& options, const Inputs& inputs, Outcome* outcome) {
  const Comparison comparison = compare(*inputs.base.study, *inputs.input.study);
  ComparisonTables comparisons(comparison);
  outcome->lacks_data = is_incomplete(inputs.base.trace) || is_incomplete(inputs.input.trace);
  if (Status status = check_conditions(options, comparison.fresh, &comparisons, outcome); !status.ok()) return status;
  std::vector<Table> tables;
  for (const TableDefinition* analysis : options.analyses) {
    tables.push_back(comparisons.ranked(analysis->id));
    outcome->lacks_data |= tables.back().lacks_data && !options.all_analyses;
  }
  outcome->text = render(options, std::move(tables), inputs, finding_of(comparisons));
  return {};
}

}  // namespace

const Report& report_of(const Options& options, const Inputs& inputs, Outcome* outcome) {
  Report& report = outcome->report;
  if (outcome->has_report) return report;
  outcome->has_report = true;
  const Study& study = *inputs.input.study;
  for (const TableDefinition* analysis : options.analyses) {
    if (options.every_analysis && analysis->has_several != nullptr && !analysis->has_several(study)) continue;
    const Table& table = report.tables.emplace_back(analysis->compute(study));
    outcome->lacks_data |= table.lacks_data && !options.all_analyses;
    if (outcome->contradiction.empty()) outcome->contradiction = table.contradiction;
  }
  report.header = report_header(study);
  report.findings = findings(study, report.tables);
  report.verdict = verdict_of(study);
  if (inputs.bounds) add_given_bounds(study, *inputs.bounds, &report);
  return report;
}

Status make_outcome(const Options& options, const Inputs& inputs, Outcome* outcome) {
  return options.diff ? make_comparison(options, inputs, outcome) : make_report(options, inputs, outcome);
}

}  // namespace xsp::analysis
