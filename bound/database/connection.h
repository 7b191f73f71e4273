#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "bound/database/statement.h"

struct sqlite3;

namespace xsp::bound {

/// A file of ours, opened through SQLite. What it holds is not trusted: views and triggers in it do not run, texts are
/// bounded, and work on it is bounded by its size.
///
/// Whose a file is, is found out without writing anything, so that another program's database stays as it is.
class Connection {
 public:
  static constexpr int kBusyMilliseconds = 10'000;

  /// `connection` stays empty where there is no file, or nothing in it. Errors: exit code 3.
  static Status open_for_reading(const std::string& path, std::unique_ptr<Connection>* connection);
  /// Makes the file and its folders where they are not there. Errors: exit codes 3 and 5.
  static Status open_for_writing(const std::string& path, std::unique_ptr<Connection>* connection);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& path() const { return path_; }
  bool can_write() const { return can_write_; }

  Statement prepare(std::string_view sql) { return Statement(handle_, sql); }
  /// A statement without rows; false: see write_error().
  bool run(std::string_view sql);
  /// The number that a PRAGMA gives; nothing: it cannot be read.
  std::optional<int64_t> setting(std::string_view pragma);

  /// Allows as many further steps of SQLite as a sound file of this size can take, with `of_whole_file` counted anew.
  /// Called at the beginning of each piece of work.
  void renew_steps(bool of_whole_file = false);

  /// What went wrong, by SQLite's code, or by that of the last run() or setting() that failed.
  Status read_error(int code = 0) const;
  Status write_error(int code = 0) const;
  /// "FILE cannot be used (WHY)", exit code 3.
  Status unusable(std::string_view why, std::string_view hint = {}) const;

 private:
  explicit Connection(std::string path) : path_(std::move(path)) {}

  enum class Owner { kNobody, kXsp };
  static Status find_owner(const std::string& path, Owner* owner);
  int connect(int flags, std::string_view options);
  Status connect_read_only();

  static int count_steps(void* connection);

  std::string path_;
  sqlite3* handle_ = nullptr;
  bool can_write_ = false;
  int failure_ = 0;
  uint64_t steps_allowed_ = 0;
  uint64_t steps_left_ = 0;
};

/// A transaction that is taken back unless it is committed.
class Transaction {
 public:
  /// Waits for other writers.
  explicit Transaction(Connection& connection) : connection_(connection), is_open_(connection.run("BEGIN IMMEDIATE")) {}
  ~Transaction() {
    if (is_open_) connection_.run("ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool is_open() const { return is_open_; }
  bool commit() {
    if (is_open_ && connection_.run("COMMIT")) is_open_ = false;
    return !is_open_;
  }

 private:
  Connection& connection_;
  bool is_open_;
};

}  // namespace xsp::bound
