/// xsp-bound: takes models apart, measures what the database lacks, and reports bounds.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.h"
#include "base/standard_output.h"
#include "base/uncaught_exception.h"
#include "bound/cli/benchmark_plan.h"
#include "bound/cli/bound_inputs.h"
#include "bound/cli/bound_messages.h"
#include "bound/cli/bound_options.h"
#include "bound/cli/bound_outputs.h"
#include "bound/cli/database_work.h"
#include "bound/cli/library_choice.h"
#include "bound/cli/subject_making.h"
#include "bound/cli/work_list.h"
#include "bound/database/database.h"
#include "bound/measure/benchmark_run.h"

namespace xsp::bound {
namespace {

/// What is asked of the database alone.
Status look_after_database(const BoundOptions& options, Database* database) {
  if (Status status = merge_databases(options, database); !status.ok()) return status;
  if (!options.export_csv.empty()) {
    if (Status status = export_measurements(options, *database); !status.ok()) return status;
  }
  return options.list_systems ? list_systems(*database) : Status();
}

/// --run.
Status measure_work_list(const BoundOptions& options, Database* database) {
  std::vector<WorkItem> items;
  if (Status status = read_work_list(options.work_list, &items); !status.ok()) return status;
  Choice choice;
  if (Status status = choose_libraries(options, *database, &choice); !status.ok()) return status;
  size_t measured = 0;
  if (Status status = measure_missing(options, choice, items, database, &measured); !status.ok()) return status;
  if (!options.quiet) {
    tell_note("measured " + std::to_string(measured) + " benchmarks into " + options.database +
              "; to take them over elsewhere: xsp-bound --merge FILE");
  }
  return {};
}

Status open_database(const BoundOptions& options, Database* database) {
  const bool writes = !options.merges.empty() || !options.work_list.empty() ||
                      (options.wants_report() && options.run && options.times.empty());
  if (!writes && !options.quiet && access(options.database.c_str(), F_OK) != 0) {
    tell_note("there is no database " + options.database + " yet");
  }
  return with_hint(database->open(options.database, !writes), kOtherDatabase);
}

int run(int argc, char** argv) {
  BoundOptions options;
  std::string text;
  Status status;
  const BoundRequest request = read_bound_options(argc, argv, &options, &text, &status);
  if (request == BoundRequest::kUsageError) return complain(status, kUsage);
  if (request == BoundRequest::kPrint) {
    status = print_text(text);
    return status.ok() ? kDone : complain(status, kNoOutput);
  }
  std::signal(SIGPIPE, SIG_IGN);
  // Some supervisors leave it ignored, and children could not be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  if (status = log::configure("xsp-bound", options.log_level, options.log_file); !status.ok()) {
    return complain(status, kUsage);
  }
  if (status = check_outputs(options); !status.ok()) return complain(status, kNoOutput);

  // Models first: what is wrong with them is told at once, and before a database is made.
  BoundInputs inputs;
  if (status = read_inputs(options, &inputs); !status.ok()) return complain(status, kBadInput);
  if (!options.generate.empty()) {
    status = write_text_file(options, options.generate, work_list_text(work_items(options, inputs)));
    return status.ok() ? kDone : complain(status, kNoOutput);
  }

  BoundSubject subject;
  if (!options.times.empty()) {
    status = subject_of_given_times(options, inputs, &subject);
    if (!status.ok()) return complain(status, kBadInput);
  } else {
    Database database;
    if (status = open_database(options, &database); !status.ok()) return complain(status, kBadInput);
    if (status = look_after_database(options, &database); !status.ok()) return complain(status, kBadInput);
    if (!options.work_list.empty()) {
      status = measure_work_list(options, &database);
      return status.ok() ? kDone : complain(status, kUsage);
    }
    if (!options.wants_report()) return kDone;
    status = subject_of_benchmarks(options, inputs, &database, &subject);
    if (!status.ok()) return complain(status, kUsage);
  }
  int exit_code = kDone;
  status = write_report(options, subject, &exit_code);
  return status.ok() ? exit_code : complain(status, kNoOutput);
}

/// A child that measures; its parent talks to it through its standard streams.
bool is_child(int argc, char** argv) { return argc == 2 && std::strcmp(argv[1], kChildWord) == 0; }

}  // namespace

int bound_main(int argc, char** argv) {
  return is_child(argc, argv) ? serve_benchmarks(STDIN_FILENO, STDOUT_FILENO) : run(argc, argv);
}

}  // namespace xsp::bound

int main(int argc, char** argv) {
  std::set_terminate([] {
    xsp::end_by_uncaught_exception("xsp-bound", "there is not enough memory for this", xsp::bound::kBadInput);
  });
  return xsp::bound::bound_main(argc, argv);
}
