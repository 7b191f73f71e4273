#include <filesystem>

#include <unistd.h>

#include "test/bound/database/made_rows.h"
#include "test/contains.h"

namespace xsp::bound {
namespace {

using test::contains;

uint64_t merged(MadeDatabase& into, const MadeDatabase& from) {
  uint64_t rows = 0;
  const Status status = into->merge(from.path(), &rows);
  INFO(status.error);
  REQUIRE(status.ok());
  return rows;
}

std::string csv_of(const Database& database) {
  std::string csv;
  REQUIRE(database.export_csv([&](std::string_view text) { csv += text; }).ok());
  return csv;
}

TEST_CASE("merging takes over what is missing, once") {
  MadeDatabase ours, other;
  const SystemFacts gpu = made_system("GPU");
  ours.add({made_row("jit", 1e6)});
  other.add({made_row("jit", 1e6), made_row("gemm", 2e6), cold(made_row("jit", 3e6), 3e6)});
  other.add({made_row("winograd", 5e5)}, "another", made_library("9.1", "cudnn"), gpu);

  CHECK(merged(ours, other) == 3);
  CHECK(ours->find(kConvolution, made_look_up()).rows == 3);
  CHECK(ours->find(kConvolution, made_look_up()).cold->min_ns == 3e6);
  LookUp look_up = made_look_up({made_library("9.1", "cudnn")});
  look_up.system_key = gpu.key();
  CHECK(ours->find("another", look_up).hot->min_ns == 5e5);

  const std::string before = csv_of(*ours);
  CHECK(merged(ours, other) == 0);
  CHECK(csv_of(*ours) == before);
}

TEST_CASE("a database merged into an empty one is the same") {
  MadeDatabase ours, other;
  Measurement row = made_row("jit", 1e6);
  row.cpu_min_ns = 9e5;
  row.workspace_bytes = 77;
  other.add({row, failed(made_row("gemm", 0), BenchmarkStatus::kError, "wrong result")});
  other.add({made_row("x", 2)}, "p", made_library("2.6.3"), made_system("GPU"));
  CHECK(merged(ours, other) == 3);
  CHECK(csv_of(*ours) == csv_of(*other));
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(ours.path().c_str(), &file) == SQLITE_OK);
  REQUIRE(sqlite3_exec(file, ("ATTACH '" + other.path() + "' AS other").c_str(), nullptr, nullptr, nullptr) == 0);
  sqlite3_stmt* same = nullptr;
  REQUIRE(sqlite3_prepare_v2(file,
                             "SELECT count(*) FROM main.measurement a JOIN other.measurement b ON a.id = b.id "
                             "WHERE a.samples = b.samples",
                             -1, &same, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(same) == SQLITE_ROW);
  CHECK(sqlite3_column_int(same, 0) == 3);
  sqlite3_finalize(same);
  sqlite3_close(file);
}

TEST_CASE("a newer measurement of another file counts after merging, an older one does not") {
  MadeDatabase ours, other;
  ours.add({made_row("jit", 1e6, 2000)});
  other.add({made_row("jit", 2e6, 1000), made_row("jit", 3e6, 3000)});
  CHECK(merged(ours, other) == 2);
  CHECK(ours->find(kConvolution, made_look_up()).hot->min_ns == 3e6);
  MadeDatabase older;
  older.add({made_row("jit", 4e6, 500)});
  CHECK(merged(ours, older) == 1);
  CHECK(ours->find(kConvolution, made_look_up()).hot->min_ns == 3e6);
}

TEST_CASE("what this machine is stays as it is known here when another file is merged") {
  MadeDatabase ours, other;
  SystemFacts here = made_system(), there = made_system();
  there.driver = "5.10.0";
  REQUIRE(here.key() == there.key());
  ours.add({made_row("jit", 1)}, kConvolution, made_library(), here);
  other.add({made_row("gemm", 1)}, kConvolution, made_library(), there);
  merged(ours, other);
  CHECK(!contains(csv_of(*ours), "5.10.0"));
  // Measuring here with a new driver says so.
  ours.add({made_row("brgconv", 1)}, kConvolution, made_library(), there);
  CHECK(contains(csv_of(*ours), "5.10.0"));
  CHECK(!contains(csv_of(*ours), "6.1.0"));
}

TEST_CASE("only another database of ours can be merged") {
  MadeDatabase ours;
  ours.add({made_row("jit", 1)});
  const test::TemporaryFolder folder;
  uint64_t rows = 7;
  const auto check_not_merged = [&](const std::string& path, const std::string& why) {
    const Status status = ours->merge(path, &rows);
    INFO(status.error);
    CHECK(status.exit_code == 3);
    CHECK(contains(status.error, path));
    CHECK(contains(status.error, why));
    CHECK(rows == 0);
  };
  check_not_merged(folder / "none", "No such file");
  check_not_merged(test::write_file(folder / "text", "text"), "not a database");
  check_not_merged(test::write_file(folder / "empty", ""), "empty");
  check_not_merged(folder.path(), "a folder");
  run_sql(folder / "other", "CREATE TABLE t (x)");
  check_not_merged(folder / "other", "another program");
  check_not_merged(ours.path(), "the database itself");
  REQUIRE(::symlink(ours.path().c_str(), (folder / "symlink").c_str()) == 0);
  check_not_merged(folder / "symlink", "the database itself");
  REQUIRE(::link(ours.path().c_str(), (folder / "hard").c_str()) == 0);
  check_not_merged(folder / "hard", "the database itself");
  {
    Database later;
    REQUIRE(later.open(folder / "later", false).ok());
  }
  run_sql(folder / "later", "PRAGMA user_version = 2");
  check_not_merged(folder / "later", "later XSP");
}

TEST_CASE("the file that is merged stays as it is") {
  MadeDatabase ours, other;
  other.add({made_row("jit", 1)});
  other.close();
  const std::string bytes = test::read_file(other.path());
  CHECK(merged(ours, other) == 1);
  CHECK(test::read_file(other.path()) == bytes);
  CHECK(!std::filesystem::exists(other.path() + "-wal"));
}

TEST_CASE("a file that breaks off while it is merged changes nothing") {
  MadeDatabase ours, other;
  for (int i = 0; i < 50; ++i) {
    Measurement row = made_row("jit", 1e6);
    row.samples_ns.assign(400, 1);
    other.add({row}, "problem " + std::to_string(i));
  }
  other.close();
  std::string bytes = test::read_file(other.path());
  // The page of the last rows.
  bytes.replace(bytes.size() - 4096, 4096, 4096, '\xee');
  test::write_file(other.path(), bytes);
  uint64_t rows = 0;
  const Status status = ours->merge(other.path(), &rows);
  CHECK(status.exit_code == 3);
  CHECK(contains(status.error, other.path()));
  CHECK(rows == 0);
  CHECK(ours->systems().empty());
}

TEST_CASE("systems are listed with what was measured on them, newest first") {
  MadeDatabase database;
  Measurement two = made_row("jit", 1, 100);
  two.threads = 2;
  database.add({made_row("jit", 1, 100), two});
  database.add({made_row("jit", 1, 200)}, "p", made_library("2.6.3"));
  database.add({made_row("jit", 1, 900)}, "p", made_library("9.1", "cudnn"), made_system("GPU"));
  const auto systems = database->systems();
  REQUIRE(systems.size() == 2);
  CHECK(systems[0].key == made_system("GPU").key());
  CHECK(systems[0].newest == 900);
  CHECK(systems[1].key == made_system().key());
  CHECK(systems[1].measurements == 3);
  CHECK(systems[1].problems == 2);
  CHECK(systems[1].libraries == std::vector<std::string>{"onednn 2.6.3", "onednn 3.2.0"});
  CHECK(systems[1].threads == std::vector<int>{1, 2});
  CHECK(systems[1].newest == 200);
}

TEST_CASE("the export is RFC 4180, with a row a measurement") {
  MadeDatabase database;
  SystemFacts system = made_system("CPU, \"fast\"");
  Measurement row = made_row("=HYPERLINK(1)", 1.5);
  row.cpu_min_ns = 0.1;
  row.message = "two\nlines";
  database.add({row, failed(made_row("gemm", 0), BenchmarkStatus::kUnsupported, "")}, "matmul 2x2", made_library(),
               system);
  const std::string csv = csv_of(*database);
  CHECK(csv.starts_with(
      "system,device,isa,cores,memory_bytes,cache_bytes,driver,clocks,host_hash,library,library_version,library_build,"
      "problem,operator,flops,bytes,backend,implementation,numerics,math_mode,layout,dtype,threads,cache,status,"
      "message,"
      "n,min_ns,median_ns,p90_ns,cpu_min_ns,workspace_bytes,load_average,started_at,xsp_version\r\n"));
  CHECK(contains(csv,
                 "\"CPU, \"\"fast\"\"\",avx512_vnni,2,25769803776,50331648,6.1.0,\"performance, 3500 MHz\",0123abcd,"
                 "onednn,3.2.0,gomp,matmul 2x2,matmul,1000000000,2000000,onednn,'=HYPERLINK(1),exact,,plain,f32,1,hot,"
                 "ok,\"two\nlines\",3,1.5,"));
  CHECK(contains(csv, ",0.1,0,0.5,1000,0.1.0\r\n"));
  CHECK(contains(csv, ",gemm,exact,,plain,f32,1,hot,unsupported,,0,0,0,0,,0,0.5,1000,0.1.0\r\n"));
}

}  // namespace
}  // namespace xsp::bound
