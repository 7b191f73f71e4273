#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace xsp::bound {

/// A prepared statement. Parameters and columns are numbered as SQLite does: parameters from 1, columns from 0.
///
/// Columns may hold anything, whatever their declaration says: what is no text reads as "", what is no number as 0.
class Statement {
 public:
  Statement() = default;
  /// What cannot be prepared fails at its first step, with that code.
  Statement(sqlite3* database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  explicit operator bool() const { return statement_ != nullptr; }

  /// Values are copied.
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_integer(int parameter, int64_t value);
  /// What is not finite becomes 0.
  Statement& bind_real(int parameter, double value);
  Statement& bind_null(int parameter);
  /// As float32, little endian.
  Statement& bind_floats(int parameter, const std::vector<float>& values);

  /// Steps on; false at the end, and when something went wrong.
  bool next();
  /// Steps to the end; whether that was reached.
  bool run();
  /// Ready to be bound and stepped again.
  void reset();
  /// The first failure of preparing, binding or stepping since reset(), as SQLite's code; 0: none.
  int failure() const { return failure_; }

  std::string_view text(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  bool is_null(int column) const;
  std::vector<float> floats(int column) const;

 private:
  void note(int result);

  sqlite3_stmt* statement_ = nullptr;
  int failure_ = 0;
  bool is_prepared_ = false;
};

}  // namespace xsp::bound
