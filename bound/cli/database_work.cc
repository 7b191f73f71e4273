#include "bound/cli/database_work.h"

#include <fmt/format.h>

#include <ctime>

#include "analysis/export/byte_sink.h"
#include "base/quantity_text.h"
#include "base/standard_output.h"
#include "base/text_encoding.h"
#include "bound/cli/bound_messages.h"

namespace xsp::bound {
namespace {

std::string date_of(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  char text[sizeof "2026-01-01"] = "";
  if (localtime_r(&time, &parts) == nullptr || std::strftime(text, sizeof text, "%F", &parts) == 0) return "?";
  return text;
}

}  // namespace

Status merge_databases(const BoundOptions& options, Database* database) {
  for (const std::string& path : options.merges) {
    uint64_t rows = 0;
    if (Status status = database->merge(path, &rows); !status.ok()) {
      if (status.exit_code != kNoOutput) status.hint = "--merge takes a database that xsp-bound made";
      return status;
    }
    if (!options.quiet) tell_note(fmt::format("took over {} from {}", plural(rows, "measurement"), path));
  }
  return {};
}

Status list_systems(const Database& database) {
  std::string text;
  for (const Database::System& system : database.systems()) {
    text += fmt::format("{}\n  {} of {}, newest of {}; threads {}; {}\n", printable(system.key),
                        plural(system.measurements, "measurement"), plural(system.problems, "problem"),
                        date_of(system.newest), fmt::join(system.threads, ", "),
                        printable(fmt::format("{}", fmt::join(system.libraries, ", "))));
  }
  Status status = print_text(text.empty() ? "no measurements\n" : text);
  status.exit_code = kNoOutput;
  return status;
}

Status export_measurements(const BoundOptions& options, const Database& database) {
  analysis::ByteSink sink(options.export_csv);
  Status status = database.export_csv([&](std::string_view text) { sink.write(text); });
  if (!status.ok()) {
    sink.abandon();
    return status;
  }
  status = sink.finish();
  if (sink.broken_pipe()) return {};
  if (!status.ok()) {
    status.exit_code = kNoOutput;
  } else if (!options.quiet && options.export_csv != "-") {
    tell_written(options.export_csv, sink.written());
  }
  return status;
}

}  // namespace xsp::bound
