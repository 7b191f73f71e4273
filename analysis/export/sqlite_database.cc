#include "analysis/export/sqlite_database.h"

#include <sqlite3.h>

#include <cmath>

#include "base/text_encoding.h"

namespace xsp::analysis {

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

SqliteDatabase::SqliteDatabase(const std::string& path) {
  // One thread writes: without it each value would take a lock.
  constexpr int kHow = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &database_, kHow, nullptr) != SQLITE_OK) fail();
  // A file that was not finished is thrown away: nothing has to survive a crash.
  run("PRAGMA page_size = 16384");
  run("PRAGMA journal_mode = OFF");
  run("PRAGMA synchronous = OFF");
  run("PRAGMA locking_mode = EXCLUSIVE");
  run("PRAGMA cache_size = -65536");
  run("BEGIN");
}

SqliteDatabase::~SqliteDatabase() { sqlite3_close(database_); }

void SqliteDatabase::fail() {
  if (!status_.ok()) return;
  const char* why = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
  status_ = {std::string("cannot write the database (") + why + ")", ""};
}

void SqliteDatabase::run(const std::string& sql) {
  if (failed()) return;
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void SqliteDatabase::create(const SqliteTable& table) {
  std::string sql;
  for (const SqliteColumn& column : table.columns) {
    sql += (sql.empty() ? "" : ", ") + sql_name(column.name) + " " + std::string(column.type);
    if (column.name == "id" && &column == table.columns.data()) sql += " PRIMARY KEY";
  }
  run("CREATE TABLE " + sql_name(table.name) + " (" + sql + ")");
}

Status SqliteDatabase::finish() {
  run("COMMIT");
  if (sqlite3_close(database_) != SQLITE_OK) fail();
  database_ = nullptr;
  return status_;
}

SqliteInsertion::SqliteInsertion(SqliteDatabase* database, std::string_view table, size_t columns)
    : database_(database) {
  std::string sql = "INSERT INTO " + sql_name(table) + " VALUES (?";
  for (size_t i = 1; i < columns; ++i) sql += ",?";
  sql += ")";
  if (database->failed()) return;
  if (sqlite3_prepare_v2(database->database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) database->fail();
}

SqliteInsertion::~SqliteInsertion() { sqlite3_finalize(statement_); }

SqliteInsertion& SqliteInsertion::add(int64_t value) {
  sqlite3_bind_int64(statement_, ++column_, value);
  return *this;
}

SqliteInsertion& SqliteInsertion::add_real(double value) {
  if (!std::isfinite(value)) return add_null();
  sqlite3_bind_double(statement_, ++column_, value);
  return *this;
}

SqliteInsertion& SqliteInsertion::add_null() {
  sqlite3_bind_null(statement_, ++column_);
  return *this;
}

SqliteInsertion& SqliteInsertion::add_text(std::string_view text) {
  if (text.empty()) return add_null();
  sqlite3_bind_text64(statement_, ++column_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

SqliteInsertion& SqliteInsertion::add_copy(std::string_view text) {
  if (text.empty()) return add_null();
  const std::string valid = valid_utf8(text);
  sqlite3_bind_text64(statement_, ++column_, valid.data(), valid.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqliteInsertion& SqliteInsertion::add(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return add(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return add_real(*real);
  if (const auto* truth = std::get_if<bool>(&cell)) return add(int64_t{*truth});
  if (const auto* text = std::get_if<std::string>(&cell)) return add_copy(*text);
  return add_null();
}

void SqliteInsertion::end() {
  column_ = 0;
  if (statement_ == nullptr || database_->failed()) return;
  if (sqlite3_step(statement_) != SQLITE_DONE) database_->fail();
  sqlite3_reset(statement_);
}

}  // namespace xsp::analysis
