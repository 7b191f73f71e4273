#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "bound/database/database.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {

inline const std::string kConvolution =
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 "
    "bias=0 post= dtype=f32";

inline SystemFacts made_system(const std::string& device = "Fast CPU") {
  SystemFacts facts;
  facts.device = device;
  facts.isa = "avx512_vnni";
  facts.cores = 2;
  facts.memory_bytes = uint64_t{24} << 30;
  facts.cache_bytes = uint64_t{48} << 20;
  facts.driver = "6.1.0";
  facts.clocks = "performance, 3500 MHz";
  facts.host_hash = "0123abcd";
  return facts;
}

inline Library made_library(const std::string& version = "3.2.0", const std::string& name = "onednn") {
  return {name, name, version, "gomp", "/usr/lib/lib" + name + ".so"};
}

/// An exact hot row with its time.
inline Measurement made_row(const std::string& implementation, double min_ns, int64_t started_at = 1000) {
  Measurement row;
  row.backend = "onednn";
  row.implementation = implementation;
  row.layout = "plain";
  row.dtype = "f32";
  row.samples_taken = 3;
  row.min_ns = min_ns;
  row.median_ns = min_ns * 1.1;
  row.p90_ns = min_ns * 1.5;
  row.samples_ns = {static_cast<float>(min_ns), 2e6f, 3e6f};
  row.load_average = 0.5;
  row.started_at = started_at;
  row.xsp_version = "0.1.0";
  return row;
}

inline Measurement cold(Measurement row, double min_ns) {
  row.cold = true;
  row.min_ns = min_ns;
  return row;
}

inline Measurement failed(Measurement row, BenchmarkStatus status, const std::string& message) {
  row.status = status;
  row.message = message;
  row.min_ns = row.median_ns = row.p90_ns = 0;
  row.samples_taken = 0;
  row.samples_ns.clear();
  return row;
}

inline LookUp made_look_up(const std::vector<Library>& libraries = {made_library()}) {
  LookUp look_up;
  look_up.system_key = made_system().key();
  look_up.libraries = libraries;
  return look_up;
}

/// A database in a folder of its own.
class MadeDatabase {
 public:
  MadeDatabase() { open(database_, false); }

  Database& operator*() { return database_; }
  Database* operator->() { return &database_; }
  std::string path() const { return folder_ / "bounds.sqlite"; }

  void open(Database& database, bool read_only) const {
    const Status status = database.open(path(), read_only);
    INFO(status.error);
    REQUIRE(status.ok());
  }
  /// The last to close clears the log away.
  void close() { REQUIRE(database_.open(folder_ / "none", true).ok()); }
  void add(const std::vector<Measurement>& rows, const std::string& problem = kConvolution,
           const Library& library = made_library(), const SystemFacts& system = made_system()) {
    const Status status = database_.add(system, library, problem, 1e9, 2e6, rows);
    INFO(status.error);
    REQUIRE(status.ok());
  }

 private:
  test::TemporaryFolder folder_;
  Database database_;
};

/// Runs statements on a file, past our own checks.
inline void run_sql(const std::string& path, const std::string& statements) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  char* message = nullptr;
  sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &message);
  const std::string error = message == nullptr ? "" : message;
  sqlite3_free(message);
  sqlite3_close(database);
  REQUIRE(error == "");
}

/// The first column of the first row that a query gives.
inline std::string answer_of(const std::string& path, const std::string& query) {
  sqlite3* file = nullptr;
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &file) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(file, query.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  const std::string answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(file);
  return answer;
}

}  // namespace xsp::bound
