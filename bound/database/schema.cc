#include "bound/database/schema.h"

#include <string>
#include <string_view>

#include "bound/database/connection.h"
#include "bound/database/database.h"
#include "bound/database/statement.h"

namespace xsp::bound {
namespace {

struct SchemaObject {
  std::string_view name;
  std::string_view sql;
};

/// The texts are what SQLite keeps of them, so that a file can be compared with them. Large columns come last: reading
/// those before them does not follow their pages.
constexpr SchemaObject kSchema[] = {
    {"system", R"(CREATE TABLE system (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  device TEXT NOT NULL,
  isa TEXT NOT NULL,
  cores INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  cache_bytes INTEGER NOT NULL,
  driver TEXT NOT NULL,
  clocks TEXT NOT NULL,
  host_hash TEXT NOT NULL
))"},
    {"library", R"(CREATE TABLE library (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  build TEXT NOT NULL,
  UNIQUE (name, version, build)
))"},
    {"problem", R"(CREATE TABLE problem (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  operator TEXT NOT NULL,
  flops REAL NOT NULL,
  bytes REAL NOT NULL
))"},
    {"measurement", R"(CREATE TABLE measurement (
  id INTEGER PRIMARY KEY,
  problem INTEGER NOT NULL REFERENCES problem (id),
  system INTEGER NOT NULL REFERENCES system (id),
  library INTEGER NOT NULL REFERENCES library (id),
  backend TEXT NOT NULL,
  implementation TEXT NOT NULL,
  numerics TEXT NOT NULL,
  math_mode TEXT NOT NULL,
  layout TEXT NOT NULL,
  dtype TEXT NOT NULL,
  threads INTEGER NOT NULL,
  cache TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  min_ns REAL NOT NULL,
  median_ns REAL NOT NULL,
  p90_ns REAL NOT NULL,
  cpu_min_ns REAL,
  workspace_bytes INTEGER NOT NULL,
  load_average REAL NOT NULL,
  started_at INTEGER NOT NULL,
  xsp_version TEXT NOT NULL,
  message TEXT NOT NULL,
  samples BLOB NOT NULL
))"},
    {"measurement_of_problem", "CREATE INDEX measurement_of_problem ON measurement (problem, system, threads)"},
};

}  // namespace

Status create_schema(Connection& connection) {
  Transaction transaction(connection);
  if (!transaction.is_open()) return connection.write_error();
  if (connection.setting("application_id") == kApplicationId) return Status();
  Statement tables = connection.prepare("SELECT count(*) FROM sqlite_master");
  if (!tables.next()) return connection.write_error(tables.failure());
  if (tables.integer(0) != 0) return connection.unusable("a database of another program");
  tables = Statement();
  bool is_written = true;
  for (const SchemaObject& object : kSchema) is_written = is_written && connection.run(object.sql);
  // Both are in the first page, and part of the transaction.
  is_written = is_written && connection.run("PRAGMA application_id = " + std::to_string(kApplicationId)) &&
               connection.run("PRAGMA user_version = " + std::to_string(Database::kSchemaVersion)) &&
               transaction.commit();
  return is_written ? Status() : connection.write_error();
}

Status check_schema(Connection& connection) {
  const auto version = connection.setting("user_version");
  if (!version) return connection.read_error();
  if (*version > Database::kSchemaVersion) {
    return connection.unusable("made by a later XSP", "use that one, or name another file with --database");
  }
  Statement objects = connection.prepare("SELECT sql FROM sqlite_master WHERE name = ?1");
  for (const SchemaObject& object : kSchema) {
    objects.reset();
    objects.bind_text(1, object.name);
    const bool is_there = objects.next();
    if (objects.failure() != 0) return connection.read_error(objects.failure());
    if (*version != Database::kSchemaVersion || !is_there || objects.text(0) != object.sql) {
      return connection.unusable("its tables are not those that XSP makes");
    }
  }
  return Status();
}

}  // namespace xsp::bound
