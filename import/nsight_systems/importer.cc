/// Reads the SQLite databases that `nsys export --type sqlite` writes. Their tables and columns differ by version:
/// whatever exists is read by its name (https://docs.nvidia.com/nsight-systems/UserGuide/index.html, "SQLite Schema
/// Reference").

#include <string>

#include "import/frame/importer.h"
#include "import/nsight_systems/database.h"
#include "import/nsight_systems/executions.h"
#include "import/nsight_systems/export.h"
#include "import/nsight_systems/host_calls.h"
#include "import/nsight_systems/target.h"

namespace xsp {
namespace nsight_systems {
namespace {

constexpr int kSure = 100;
constexpr int kSomeDatabase = 10;

/// Accepts any SQLite database, so that a wrong one gets a fitting message.
int recognise(std::string_view head) {
  if (!head.starts_with(kSqliteMagic)) return 0;
  return head.find("StringIds") != std::string_view::npos ? kSure : kSomeDatabase;
}

Status check_kind(const Database& database) {
  constexpr std::string_view kExportHint = " (nsys export --type sqlite writes one)";
  if (database.has("StringIds")) return Status();
  // From nvprof and the Visual Profiler: CUPTI's raw records.
  if (database.has("StringTable") || database.has("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL")) {
    return Status{
        "a database of nvprof, not of Nsight Systems. Import its text: nvprof -i FILE --print-gpu-trace --csv"};
  }
  std::string tables;
  constexpr size_t kShown = 3;
  for (size_t i = 0; i < database.tables().size() && i < kShown; ++i) {
    tables += (i == 0 ? "" : ", ") + database.tables()[i];
  }
  if (database.tables().size() > kShown) tables += ", …";
  return Status{std::string("no export of Nsight Systems: table StringIds is missing") + std::string(kExportHint) +
                "; it has " + (tables.empty() ? "no tables" : "the tables " + tables)};
}

/// What else an export may hold, and why it is left out.
void note_left_out(Export& exported) {
  constexpr std::pair<std::string_view, std::string_view> kTables[] = {
      {"OSRT_API", "calls of the C library"},
      {"GPU_METRICS", "samples of GPU metrics, which belong to no kernel"},
  };
  for (const auto& [table, what] : kTables) {
    const uint64_t rows = exported.database().count(table);
    if (rows == 0) continue;
    exported.timeline().note(
        std::to_string(rows) + " rows of " + std::string(table) + " (" + std::string(what) + ") are not read", 0);
  }
}

Status read_database(Database& database, ProfileTimeline* timeline) {
  if (Status status = check_kind(database); !status.ok()) return status;
  timeline->know_launching_processes();
  Export exported(database, timeline);
  if (Status status = exported.read_strings(); !status.ok()) return status;
  // Of equal intervals the one added first is the outer one.
  read_ranges(exported);
  read_library_calls(exported);
  if (Status status = read_api_calls(exported); !status.ok()) return status;
  if (Status status = Executions(exported).read(); !status.ok()) return status;
  if (exported.processes().empty()) {
    return Status{
        "the database holds no CUDA, library or NVTX events (nsys profile --trace "
        "cuda,nvtx,cudnn,cublas records them)"};
  }
  note_left_out(exported);
  read_target(exported);
  return Status();
}

Status read(ProfileInput& input, ProfileTimeline* timeline) {
  std::string path;
  if (Status status = input.as_file(&path); !status.ok()) return status;
  std::unique_ptr<Database> database;
  if (Status status = Database::open(path, &database); !status.ok()) return status;
  return read_database(*database, timeline);
}

}  // namespace
}  // namespace nsight_systems

const Importer kNsightSystemsImporter = {
    "nsight-systems",
    "Nsight Systems, as nsys export --type sqlite writes it",
    nsight_systems::recognise,
    nsight_systems::read,
};

}  // namespace xsp
