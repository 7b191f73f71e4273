#include "inject/launch/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/standard_output.h"
#include "inject/launch/check/check_rows.h"
#include "inject/launch/options/exit_codes.h"

namespace xsp::launch {
namespace {

std::string_view state_word(CheckRow::State state) {
  switch (state) {
    case CheckRow::State::kOk:
      return "ok";
    case CheckRow::State::kDegraded:
      return "degraded";
    case CheckRow::State::kMissing:
      return "missing";
    case CheckRow::State::kUnused:
      return "not used";
  }
  return "";
}

Status print_rows(const std::vector<CheckRow>& rows) {
  std::string table;
  size_t width = 0;
  for (const CheckRow& row : rows) width = std::max(width, row.what.size());
  for (const CheckRow& row : rows) {
    table += fmt::format("{:<{}}  {:<8}  {}\n", row.what, width, state_word(row.state), row.why);
    if (!row.fix.empty()) table += fmt::format("{:<{}}  {:<8}  -> {}\n", "", width, "", row.fix);
  }
  return print_text(table);
}

}  // namespace

int run_check(const Options& options) {
  const InstallLayout layout = find_install_layout();
  std::vector<CheckRow> rows = check_machine(options, layout);
  const std::string command = options.command.empty() ? "python3" : options.command[0];
  std::vector<std::string> cupti_folders;
  const std::string python = python_of(command);
  std::vector<CheckRow> of_command =
      python.empty() ? check_program_file(command) : check_python(python, &cupti_folders);
  for (CheckRow& row : check_cuda(options, layout, cupti_folders)) rows.push_back(std::move(row));
  for (CheckRow& row : of_command) rows.push_back(std::move(row));
  if (const Status printed = print_rows(rows); !printed.ok()) return report_failure(printed);
  const bool missing =
      std::any_of(rows.begin(), rows.end(), [](const CheckRow& row) { return row.state == CheckRow::State::kMissing; });
  return options.strict && missing ? kExitOwnFailure : 0;
}

}  // namespace xsp::launch
