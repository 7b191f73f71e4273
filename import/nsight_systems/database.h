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

/// Columns of a table that are read, in the order of Rows's indexes. An export of another version may lack the optional
/// ones; they then read as NULL.
struct Column {
  std::string_view name;
  bool required = false;
};

/// An SQLite file of a user, which is only read: without locks, journals or anything else beside it. So what makes that
/// unsafe is refused: a file that another program is writing, one with a write-ahead log or a journal, one that is
/// shorter than it says. Tables only; views, virtual tables and functions of a stranger's schema are not evaluated.
class Database {
 public:
  static Status open(const std::string& path, std::unique_ptr<Database>* database);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has(std::string_view table) const { return tables_.contains(std::string(table)); }
  /// In the order of their making.
  const std::vector<std::string>& tables() const { return table_order_; }
  bool has(std::string_view table, std::string_view column) const;
  /// Rows of a table that this program does not read; 0 for one that is not there.
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

/// The rows of one table in the order in which they lie.
///
///     Rows rows(database, "PROCESSES", {{"globalPid", true}, {"name"}});
///     while (rows.next()) use(rows.integer(0), rows.text(1));
///     if (!rows.status().ok()) …
///
/// More rows or text than there can be in a file of that size are damage: a page may be linked to many times.
class Rows {
 public:
  /// A required column that is not there ends the rows with a status that names it. A missing table has no rows.
  Rows(Database& database, std::string_view table, std::vector<Column> columns);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();
  /// Not ok: columns are missing, or the table is damaged behind the rows that came.
  const Status& status() const { return status_; }
  /// Whether it failed before the first row.
  bool unusable() const { return !status_.ok() && count_ == 0; }
  uint64_t count() const { return count_; }

  bool is_integer(int column) const;
  bool is_null(int column) const;
  /// 0 for NULL and what is no number.
  int64_t integer(int column) const;
  /// The same, and 0 for what is negative.
  uint64_t natural(int column) const;
  /// In [0, 2^32): what is outside is 0.
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
  uint64_t bytes_ = 0;  // of the rows so far, at the least
};

}  // namespace xsp::nsight_systems
