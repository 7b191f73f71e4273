#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace xsp::nsight_systems {

/// https://www.sqlite.org/fileformat2.html#the_database_header
inline constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

/// Columns of a table to be read, in the order of the indexes of Rows. An export of another version may lack the
/// optional ones; they then read as NULL.
struct Column {
  std::string_view name;
  bool required = false;
};

/// A user's SQLite file, which is only read: without locks, journals or anything else beside it. So what would make
/// that unsafe is refused: a file that another program is writing, one with a write-ahead log or a journal, one that is
/// shorter than it claims. Tables only; views, virtual tables and functions of a foreign schema are not evaluated.
class Database {
 public:
  static Status open(const std::string& path, std::unique_ptr<Database>* database);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has(std::string_view table) const { return tables_.contains(std::string(table)); }
  /// In order of creation.
  const std::vector<std::string>& tables() const { return table_order_; }
  bool has(std::string_view table, std::string_view column) const;
  /// Number of rows of a table that this program does not read; 0 if it does not exist.
  uint64_t count(std::string_view table);

 private:
  friend class Rows;
  explicit Database(sqlite3* handle) : handle_(handle) {}
  Status read_schema();

  sqlite3* handle_;
  uint64_t bytes_ = 0;
  std::unordered_map<std::string, std::vector<std::string>> tables_;  // with their columns
  std::vector<std::string> table_order_;
};

/// The rows of one table in storage order.
///
///     Rows rows(database, "PROCESSES", {{"globalPid", true}, {"name"}});
///     while (rows.next()) use(rows.integer(0), rows.text(1));
///     if (!rows.status().ok()) …
///
/// More rows or text than a file of that size can hold are damage: a page may be linked to many times.
class Rows {
 public:
  /// If a required column is missing, the rows end with a status that names it. A missing table has no rows.
  Rows(Database& database, std::string_view table, std::vector<Column> columns);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();
  /// Not ok: columns are missing, or the table is damaged after the rows already returned.
  const Status& status() const { return status_; }
  /// Whether it failed before the first row.
  bool unusable() const { return !status_.ok() && count_ == 0; }
  uint64_t count() const { return count_; }

  bool is_integer(int column) const;
  bool is_null(int column) const;
  /// 0 for NULL and anything that is not a number.
  int64_t integer(int column) const;
  /// The same, but 0 for negative values.
  uint64_t natural(int column) const;
  /// In [0, 2^32): 0 for anything outside.
  uint32_t small(int column) const;
  /// Valid until the next row.
  std::string_view text(int column);

 private:
  Status damaged(const char* why) const;

  sqlite3_stmt* statement_ = nullptr;
  Database& database_;
  std::string table_;
  Status status_;
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;  // lower bound on the bytes of the rows so far
};

}  // namespace xsp::nsight_systems
