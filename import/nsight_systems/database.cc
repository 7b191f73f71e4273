#include "import/nsight_systems/database.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace xsp::nsight_systems {
namespace {

constexpr size_t kHeaderBytes = 100;
constexpr size_t kPageSizeAt = 16;
constexpr size_t kChangesAt = 24;
constexpr size_t kPagesAt = 28;
constexpr size_t kPagesValidForAt = 92;
/// The bytes that SQLite locks between processes, wherever the file ends.
constexpr off_t kLockBytesAt = 0x40000000;
constexpr off_t kLockBytes = 512;
constexpr int kMaxTextBytes = 16 << 20;
constexpr size_t kMaxTables = 4096;
/// A cell's size, row id and header, and its place in the page.
constexpr uint64_t kMinRowBytes = 5;
/// Texts may be read twice, and expand when they are not stored as UTF-8.
constexpr uint64_t kMaxTimes = 4;

uint32_t big_endian(const unsigned char* bytes, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool is_not_empty(const std::string& path) {
  struct stat about;
  return ::stat(path.c_str(), &about) == 0 && about.st_size > 0;
}

/// Checks what SQLite would check if it took locks, and reads how long the file claims to be.
Status check_file(const std::string& path, uint64_t* size) {
  const File file(path);
  if (file.fd() < 0) return Status{std::string("the database cannot be read (") + strerror(errno) + ")"};
  struct stat about;
  unsigned char header[kHeaderBytes];
  if (::fstat(file.fd(), &about) != 0 ||
      ::pread(file.fd(), header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
      memcmp(header, kSqliteMagic.data(), kSqliteMagic.size()) != 0) {
    return Status{"the file is no SQLite database (its header is missing or damaged)"};
  }
  *size = static_cast<uint64_t>(about.st_size);
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockBytesAt;
  lock.l_len = kLockBytes;
  if (::fcntl(file.fd(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
    return Status{"the database is locked: process " + std::to_string(lock.l_pid) +
                  " is writing to it. Import it when that has ended"};
  }
  for (const char* const suffix : {"-wal", "-journal"}) {
    if (!is_not_empty(path + suffix)) continue;
    return Status{"the database was not closed by the program that wrote it (" + path + suffix +
                  " lies beside it). Open it once with sqlite3, or export it again"};
  }
  const uint32_t stored_page_size = big_endian(header + kPageSizeAt, 2);
  const uint64_t page_size = stored_page_size == 1 ? 65536 : stored_page_size;
  const uint64_t bytes = page_size * big_endian(header + kPagesAt, 4);
  const bool pages_are_valid = big_endian(header + kChangesAt, 4) == big_endian(header + kPagesValidForAt, 4);
  if (pages_are_valid && bytes > *size) {
    return Status{"the database is truncated: it has " + std::to_string(*size) + " of " + std::to_string(bytes) +
                  " bytes"};
  }
  return Status();
}

/// Escapes '?', '#' and '%', which have a meaning in SQLite's URIs.
std::string uri_of(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  // Two slashes would introduce a host name.
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?mode=ro&immutable=1";
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> resolved(::realpath(path.c_str(), nullptr), &::free);
  return resolved == nullptr ? path : resolved.get();
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

Status Database::open(const std::string& named, std::unique_ptr<Database>* database) {
  // Sidecar files are next to the real file, where links end.
  const std::string path = real_path(named);
  uint64_t bytes = 0;
  if (Status status = check_file(path, &bytes); !status.ok()) return status;
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(uri_of(path).c_str(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> opened(new Database(handle));
  opened->bytes_ = bytes;
  if (result != SQLITE_OK) {
    return Status{std::string("the database cannot be opened (") + sqlite3_errstr(result) + ")"};
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxTextBytes);
  sqlite3_exec(handle, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  if (Status status = opened->read_schema(); !status.ok()) return status;
  *database = std::move(opened);
  return Status();
}

Database::~Database() { sqlite3_close_v2(handle_); }

Status Database::read_schema() {
  sqlite3_stmt* names = nullptr;
  // Virtual tables have no root page.
  int result = sqlite3_prepare_v2(handle_, "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0", -1,
                                  &names, nullptr);
  while (result == SQLITE_OK || result == SQLITE_ROW) {
    result = sqlite3_step(names);
    if (result != SQLITE_ROW || table_order_.size() == kMaxTables) break;
    table_order_.emplace_back(text_of(names, 0));
  }
  sqlite3_finalize(names);
  if (result != SQLITE_DONE && result != SQLITE_ROW) {
    return Status{std::string("the database is damaged (") + sqlite3_errmsg(handle_) + ")"};
  }
  for (const std::string& table : table_order_) {
    auto& columns = tables_[table];
    sqlite3_stmt* about = nullptr;
    if (sqlite3_prepare_v2(handle_, "SELECT name FROM pragma_table_xinfo(?)", -1, &about, nullptr) == SQLITE_OK) {
      sqlite3_bind_text(about, 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC);
      while (sqlite3_step(about) == SQLITE_ROW) columns.emplace_back(text_of(about, 0));
    }
    sqlite3_finalize(about);
  }
  return Status();
}

bool Database::has(std::string_view table, std::string_view column) const {
  const auto known = tables_.find(std::string(table));
  return known != tables_.end() && std::find(known->second.begin(), known->second.end(), column) != known->second.end();
}

uint64_t Database::count(std::string_view table) {
  if (!has(table)) return 0;
  sqlite3_stmt* statement = nullptr;
  const std::string query = "SELECT count(*) FROM " + quoted(table);
  uint64_t rows = 0;
  if (sqlite3_prepare_v2(handle_, query.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    rows = static_cast<uint64_t>(sqlite3_column_int64(statement, 0));
  }
  sqlite3_finalize(statement);
  return rows;
}

Rows::Rows(Database& database, std::string_view table, std::vector<Column> columns)
    : database_(database), table_(table) {
  if (!database.has(table)) return;
  std::string query = "SELECT ";
  for (const Column& column : columns) {
    const bool exists = database.has(table, column.name);
    if (!exists && column.required) {
      status_ = Status{"table " + table_ + " has no column " + std::string(column.name) +
                       " (an export of a version that is not known)"};
      return;
    }
    if (&column != &columns.front()) query += ", ";
    query += exists ? quoted(column.name) : "NULL";
  }
  query += " FROM " + quoted(table);
  if (sqlite3_prepare_v2(database.handle_, query.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
    status_ = Status{"table " + table_ + " cannot be read (" + sqlite3_errmsg(database.handle_) + ")"};
  }
}

Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (statement_ == nullptr || !status_.ok()) return false;
  const int result = sqlite3_step(statement_);
  bytes_ += kMinRowBytes;
  if (result == SQLITE_ROW && bytes_ / kMaxTimes <= database_.bytes_) {
    ++count_;
    return true;
  }
  if (result == SQLITE_ROW) {
    status_ = damaged("more than the file can hold");
  } else if (result != SQLITE_DONE) {
    status_ = damaged(sqlite3_errmsg(database_.handle_));
  }
  // Must not be stepped again: that would restart it.
  sqlite3_finalize(statement_);
  statement_ = nullptr;
  return false;
}

Status Rows::damaged(const char* why) const {
  return Status{"table " + table_ + " is damaged behind row " + std::to_string(count_) + " (" + why + ")"};
}

bool Rows::is_integer(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

uint64_t Rows::natural(int column) const {
  const int64_t number = integer(column);
  return number > 0 ? static_cast<uint64_t>(number) : 0;
}

uint32_t Rows::small(int column) const {
  const int64_t number = integer(column);
  return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

std::string_view Rows::text(int column) {
  const std::string_view text = text_of(statement_, column);
  bytes_ += text.size();
  return text;
}

}  // namespace xsp::nsight_systems
