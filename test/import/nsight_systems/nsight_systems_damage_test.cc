#include <filesystem>
#include <set>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/contains.h"
#include "test/import/nsight_systems/nsight_systems_export.h"
#include "test/import/read_timeline.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

const std::string kPid = std::to_string(serialized(7));
const std::string kTid = std::to_string(serialized(7, 70));

/// A folder with one export.
class Exported {
 public:
  explicit Exported(const std::string& statements = newer_tables() + one_kernel()) { run_sql(path(), statements); }
  std::string path() const { return folder_ / "export.sqlite"; }
  ImportedTrace import() const { return import_file(kNsightSystemsImporter, path()); }
  std::string error() const {
    std::unique_ptr<ProfileInput> input;
    REQUIRE(open_profile_input(path(), {}, &input).ok());
    ProfileTimeline timeline;
    const Status read = kNsightSystemsImporter.read(*input, &timeline);
    REQUIRE(!read.ok());
    return read.error;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

 private:
  TemporaryFolder folder_;
};

std::string kernel_row(const std::string& start, const std::string& end, const std::string& correlation = "12",
                       const std::string& name = "2") {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + start + ", " + end + ", 0, 1, NULL, 7, " + correlation +
         ", " + kPid + ", " + name + ", " + name + ", " + name + ", 32, 80, 1, 1, 256, 1, 1, 48, 16384, NULL, NULL);";
}

TEST_CASE("nothing is left beside an export, and its bytes stay as they are") {
  const Exported exported;
  const std::string before = read_file(exported.path());
  exported.import();

  CHECK(exported.files() == std::set<std::string>{"export.sqlite"});
  CHECK(read_file(exported.path()) == before);
}

TEST_CASE("an export in a folder that cannot be written to is read") {
  const Exported exported;
  std::filesystem::permissions(exported.path(), std::filesystem::perms::owner_read);
  CHECK(exported.import().executions.size() == 1);
}

TEST_CASE("a database that another process is writing is refused") {
  const Exported exported;
  int ready[2];
  int done[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(done) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    sqlite3* database = nullptr;
    sqlite3_open(exported.path().c_str(), &database);
    sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
    char byte = 0;
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  const std::string error = exported.error();
  REQUIRE(::write(done[1], &byte, 1) == 1);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);

  CHECK(contains(error, "locked: process " + std::to_string(child)));
  CHECK(exported.import().executions.size() == 1);
}

TEST_CASE("a database with a write-ahead log is refused: its rows are not all in it") {
  const Exported exported;
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(exported.path().c_str(), &database) == SQLITE_OK);
  sqlite3_exec(database, "PRAGMA journal_mode = WAL; INSERT INTO StringIds VALUES (99, 'late')", nullptr, nullptr,
               nullptr);
  const std::string while_open = exported.error();
  sqlite3_close(database);

  CHECK(contains(while_open, "export.sqlite-wal"));
  // Closing moves the log into the database, which still says that it uses one.
  CHECK(exported.import().executions.size() == 1);
  CHECK(exported.files() == std::set<std::string>{"export.sqlite"});
}

TEST_CASE("a log beside the file that a link leads to counts, too") {
  const Exported exported;
  const TemporaryFolder elsewhere;
  std::filesystem::create_symlink(exported.path(), elsewhere / "link");
  write_file(exported.path() + "-journal", "x");
  std::unique_ptr<ProfileInput> input;
  REQUIRE(open_profile_input(elsewhere / "link", {}, &input).ok());
  ProfileTimeline timeline;
  CHECK(contains(kNsightSystemsImporter.read(*input, &timeline).error, "export.sqlite-journal"));
}

TEST_CASE("a truncated database says how much of it is there") {
  const Exported exported;
  const auto size = std::filesystem::file_size(exported.path());
  std::filesystem::resize_file(exported.path(), size - 4096);
  CHECK(contains(exported.error(), std::to_string(size - 4096) + " of " + std::to_string(size) + " bytes"));
}

TEST_CASE("what is no database, or not of Nsight Systems, is said to be that") {
  CHECK(contains(import_error(kNsightSystemsImporter, "SQLite format 3"), "no SQLite database"));
  CHECK(contains(import_error(kNsightSystemsImporter, std::string(200, 'x')), "no SQLite database"));
  std::string zeros("SQLite format 3");
  zeros.resize(8192);
  CHECK(!import_error(kNsightSystemsImporter, zeros).empty());

  const Exported browser("CREATE TABLE moz_places (id); CREATE TABLE moz_hosts (id)");
  CHECK(contains(browser.error(), "StringIds is missing"));
  CHECK(contains(browser.error(), "moz_places, moz_hosts"));
  const Exported nvprof("CREATE TABLE StringTable (id); CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (id)");
  CHECK(contains(nvprof.error(), "a database of nvprof"));
  const Exported empty("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  CHECK(contains(empty.error(), "no CUDA, library or NVTX events"));
}

TEST_CASE("a missing column of what matters is named with its table") {
  const Exported kernels(newer_tables() + one_kernel() +
                         "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId;");
  CHECK(contains(kernels.error(), "table CUPTI_ACTIVITY_KIND_KERNEL has no column streamId"));
  const Exported calls(newer_tables() + one_kernel() + "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN nameId;");
  CHECK(contains(calls.error(), "table CUPTI_ACTIVITY_KIND_RUNTIME has no column nameId"));
}

TEST_CASE("a missing column of a table beside leaves only that table out") {
  const Exported exported(newer_tables() + one_kernel() + "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN bytes;");
  const ImportedTrace trace = exported.import();
  CHECK(trace.executions.size() == 1);
  CHECK(trace.has_note("table CUPTI_ACTIVITY_KIND_MEMCPY has no column bytes"));
}

TEST_CASE("columns that a version lacks are done without") {
  std::string drop;
  for (const char* column : {"globalPid", "contextId", "demangledName", "mangledName", "greenContextId", "graphNodeId",
                             "graphId", "gridX", "correlationId"}) {
    drop += "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN " + std::string(column) + ";";
  }
  const Exported exported(newer_tables() + one_kernel() + drop);
  const ImportedTrace trace = exported.import();
  CHECK(trace.execution("gemm").configuration.empty());
  CHECK(trace.execution("gemm").process == 1);
  CHECK(trace.processes.size() == 1);
}

TEST_CASE("rows without times, or with impossible ones, are counted and left out") {
  const Exported exported(
      "CREATE TABLE StringIds (id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, "
      "deviceId, streamId, globalPid, shortName); INSERT INTO StringIds VALUES (1, 'gemm');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 7, 1, 1), (NULL, 200, 0, 7, 1, "
      "1), (100, 'soon', 0, 7, 1, 1), (300, 200, 0, 7, 1, 1), (0, 0, 0, 7, 1, 1), (100, "
      "9223372036854775807, 0, 7, 1, 1);");
  const ImportedTrace trace = exported.import();
  CHECK(trace.executions.size() == 1);
  CHECK(trace.has_note("kernel without times"));
  CHECK(trace.has_note("kernel that ends before it begins"));
  CHECK(trace.has_note("kernel whose times were not collected"));
  CHECK(trace.has_note("kernel with times beyond any clock"));
}

TEST_CASE("ids out of range, and names that are not there, are counted") {
  const Exported exported(newer_tables() + one_kernel() + kernel_row("7000", "7100", "-5") +
                          kernel_row("7200", "7300", "99999999999999") + kernel_row("7400", "7500", "14", "12345"));
  const ImportedTrace trace = exported.import();
  CHECK(trace.executions.size() == 4);
  CHECK(trace.execution("unknown").end - trace.execution("unknown").begin == 100);
  CHECK(trace.has_note("correlation id that is out of range"));
  CHECK(trace.has_note("name that StringIds does not hold"));
}

TEST_CASE("of an id that StringIds holds twice the first text counts") {
  const Exported exported(
      "CREATE TABLE StringIds (id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, "
      "deviceId, streamId, globalPid, shortName); INSERT INTO StringIds VALUES (1, 'gemm'), (1, "
      "'conv'); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 7, 1, 1);");
  const ImportedTrace trace = exported.import();
  CHECK(trace.execution("gemm").kind == KIND_KERNEL);
  CHECK(trace.has_note("StringIds holds twice"));
}

TEST_CASE("rows before a damaged page are kept, and the damage is told") {
  std::string many = newer_tables() + one_kernel() + "BEGIN;";
  for (int i = 0; i < 2000; ++i) many += kernel_row(std::to_string(10000 + i * 10), std::to_string(10005 + i * 10));
  const Exported exported(many + "COMMIT;");
  std::string bytes = read_file(exported.path());
  const size_t middle = bytes.size() / 2 / 4096 * 4096;
  bytes.replace(middle, 4096, std::string(4096, '\xff'));
  write_file(exported.path(), bytes);
  const ImportedTrace trace = exported.import();
  CHECK(trace.executions.size() > 100);
  CHECK(trace.executions.size() < 2001);
  CHECK(trace.has_note("table CUPTI_ACTIVITY_KIND_KERNEL is damaged behind row"));
}

TEST_CASE("views and virtual tables of a stranger's schema are not evaluated") {
  const Exported exported(
      "CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'gemm'); CREATE VIEW "
      "CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT i AS start, i AS end, 0 AS deviceId, 0 AS streamId, 1 AS shortName FROM n;");
  CHECK(contains(exported.error(), "no CUDA, library or NVTX events"));
}

}  // namespace
}  // namespace xsp::test
