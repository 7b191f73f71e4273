#include "bound/database/statement.h"

#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace xsp::bound {
namespace {

uint32_t little_endian(uint32_t value) {
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) {
  failure_ = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                &statement_, nullptr);
  is_prepared_ = failure_ == SQLITE_OK;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      failure_(other.failure_),
      is_prepared_(std::exchange(other.is_prepared_, false)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(failure_, other.failure_);
  std::swap(is_prepared_, other.is_prepared_);
  return *this;
}

void Statement::note(int result) {
  if (failure_ == SQLITE_OK) failure_ = result;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  const char* const bytes = text.data() == nullptr ? "" : text.data();
  note(sqlite3_bind_text64(statement_, parameter, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_integer(int parameter, int64_t value) {
  note(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind_real(int parameter, double value) {
  note(sqlite3_bind_double(statement_, parameter, std::isfinite(value) ? value : 0));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  note(sqlite3_bind_null(statement_, parameter));
  return *this;
}

Statement& Statement::bind_floats(int parameter, const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(uint32_t), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t stored = little_endian(std::bit_cast<uint32_t>(values[i]));
    std::memcpy(&bytes[i * sizeof stored], &stored, sizeof stored);
  }
  note(sqlite3_bind_blob64(statement_, parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

bool Statement::next() {
  if (failure_ != 0 || statement_ == nullptr) return false;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) note(result);
  return false;
}

bool Statement::run() {
  while (next()) {
  }
  return failure_ == 0;
}

void Statement::reset() {
  if (!is_prepared_) return;
  sqlite3_reset(statement_);
  failure_ = 0;
}

std::string_view Statement::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement_, column) : 0;
}

double Statement::real(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return 0;
  const double value = sqlite3_column_double(statement_, column);
  return std::isfinite(value) ? value : 0;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::vector<float> Statement::floats(int column) const {
  std::vector<float> values;
  if (sqlite3_column_type(statement_, column) != SQLITE_BLOB) return values;
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return values;
  values.resize(static_cast<size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(uint32_t));
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t stored;
    std::memcpy(&stored, bytes + i * sizeof stored, sizeof stored);
    values[i] = std::bit_cast<float>(little_endian(stored));
  }
  return values;
}

}  // namespace xsp::bound
