#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/tables/table.h"
#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace xsp::analysis {

struct SqliteColumn {
  std::string_view name;
  std::string_view type;  // INTEGER, REAL, TEXT
  std::string_view unit;
  std::string_view meaning;
};

/// A table of the database and what it is; its first column is the key where it is called "id".
struct SqliteTable {
  std::string_view name;
  std::string_view meaning;
  std::span<const SqliteColumn> columns;
};

/// A database that is being written, in one transaction, into a new file. After an error further output is discarded
/// and finish() reports the error.
class SqliteDatabase {
 public:
  explicit SqliteDatabase(const std::string& path);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  void run(const std::string& sql);
  void create(const SqliteTable& table);
  bool failed() const { return !status_.ok(); }

  /// Ends the transaction and closes.
  Status finish();

 private:
  friend class SqliteInsertion;

  void fail();

  sqlite3* database_ = nullptr;
  Status status_;
};

/// A prepared INSERT; values are added from the first column on, end() writes the row.
class SqliteInsertion {
 public:
  SqliteInsertion(SqliteDatabase* database, std::string_view table, size_t columns);
  ~SqliteInsertion();
  SqliteInsertion(const SqliteInsertion&) = delete;
  SqliteInsertion& operator=(const SqliteInsertion&) = delete;

  SqliteInsertion& add(int64_t value);
  SqliteInsertion& add_real(double value);  // NULL unless it is finite
  SqliteInsertion& add_null();
  SqliteInsertion& add_unless(int64_t value, int64_t none) { return value == none ? add_null() : add(value); }
  /// Text that stays until end(), valid UTF-8; NULL when empty.
  SqliteInsertion& add_text(std::string_view text);
  /// Any text, which is copied.
  SqliteInsertion& add_copy(std::string_view text);
  SqliteInsertion& add(const Cell& cell);
  void end();

 private:
  SqliteDatabase* database_;
  sqlite3_stmt* statement_ = nullptr;
  int column_ = 0;
};

/// A name as SQL has it: in double quotes.
std::string sql_name(std::string_view name);

}  // namespace xsp::analysis
