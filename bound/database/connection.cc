#include "bound/database/connection.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bound/database/schema.h"

namespace xsp::bound {
namespace {

namespace fs = std::filesystem;

constexpr int kMostValueBytes = 1 << 20;
constexpr int64_t kLeastPageBytes = 512;
constexpr int kStepsBetweenCounts = 1000;
/// Copying a row of 150 bytes takes some hundred steps.
constexpr uint64_t kStepsPerByte = 20;
constexpr uint64_t kLeastSteps = 1'000'000;
constexpr std::string_view kRemoveHint = "move it away, or name another file with --database";

/// Escapes '?', '#' and '%', which have a meaning in SQLite's URIs.
std::string database_uri(const std::string& path, std::string_view options) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::error_code error;
  std::string absolute = fs::absolute(path, error).string();
  if (error) absolute = path;
  std::string uri = "file://";
  for (const char c : absolute) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri.append(options);
}

uint64_t size_of(const std::string& path) {
  struct stat about;
  return ::stat(path.c_str(), &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

/// The log lies beside the file, where links end.
std::string log_of(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return (error ? path : real.string()) + "-wal";
}

bool may_write(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return !error && ::access(real.c_str(), W_OK) == 0 && ::access(real.parent_path().c_str(), W_OK) == 0;
}

Status cannot_read(const std::string& path, std::string_view why, std::string_view hint = {}) {
  return {"cannot read " + path + " (" + std::string(why) + ")", std::string(hint), 3};
}

Status cannot_write(const std::string& path, std::string_view why) {
  return {"cannot write " + path + " (" + std::string(why) + ")", "name another file with --database", 5};
}

bool is_damage(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_INTERRUPT:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR:
      return true;
    default:
      return false;
  }
}

std::string reason_of(int code) {
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return "damaged: it has more rows than a file of its size can hold";
    case SQLITE_NOTADB:
      return "not a database";
    case SQLITE_BUSY:
      return "another process has been writing to it for ten seconds";
    case SQLITE_FULL:
      return "no space left";
    default:
      return (is_damage(code) ? "damaged: " : "") + std::string(sqlite3_errstr(code));
  }
}

}  // namespace

Connection::~Connection() { sqlite3_close_v2(handle_); }

int Connection::count_steps(void* connection) {
  uint64_t& left = static_cast<Connection*>(connection)->steps_left_;
  if (left < kStepsBetweenCounts) return 1;
  left -= kStepsBetweenCounts;
  return 0;
}

void Connection::renew_steps(bool of_whole_file) {
  if (of_whole_file || steps_allowed_ == 0) {
    steps_allowed_ = kLeastSteps + kStepsPerByte * (size_of(path_) + size_of(log_of(path_)));
  }
  steps_left_ = steps_allowed_;
}

int Connection::connect(int flags, std::string_view options) {
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
  const int result = sqlite3_open_v2(database_uri(path_, options).c_str(), &handle_,
                                     flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  if (result != SQLITE_OK) return result;
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  renew_steps();
  sqlite3_progress_handler(handle_, kStepsBetweenCounts, count_steps, this);
  run("PRAGMA cell_size_check = ON");
  return SQLITE_OK;
}

bool Connection::run(std::string_view sql) {
  Statement statement = prepare(sql);
  if (statement.run()) return true;
  failure_ = statement.failure();
  return false;
}

std::optional<int64_t> Connection::setting(std::string_view pragma) {
  Statement statement = prepare("PRAGMA " + std::string(pragma));
  if (statement.next()) return statement.integer(0);
  failure_ = statement.failure();
  return std::nullopt;
}

Status Connection::read_error(int code) const {
  if (code == 0) code = failure_;
  return cannot_read(path_, reason_of(code), is_damage(code) ? kRemoveHint : "");
}

Status Connection::write_error(int code) const {
  if (code == 0) code = failure_;
  return is_damage(code) ? read_error(code) : cannot_write(path_, reason_of(code));
}

Status Connection::unusable(std::string_view why, std::string_view hint) const {
  return cannot_read(path_, why, hint.empty() ? kRemoveHint : hint);
}

/// Reads through SQLite: a descriptor of our own would, when closed, drop the locks that this process has on the file.
Status Connection::find_owner(const std::string& path, Owner* owner) {
  *owner = Owner::kNobody;
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) {
    return errno == ENOENT ? Status() : cannot_read(path, std::strerror(errno));
  }
  if (S_ISDIR(about.st_mode)) return cannot_read(path, "a folder");
  if (!S_ISREG(about.st_mode)) return cannot_read(path, "not a file");
  if (about.st_size == 0) return Status();
  if (about.st_size < kLeastPageBytes) return cannot_read(path, "not a database", kRemoveHint);
  if (::access(path.c_str(), R_OK) != 0) return cannot_read(path, std::strerror(errno));

  Connection peek(path);
  if (const int result = peek.connect(SQLITE_OPEN_READONLY, "?mode=ro&immutable=1"); result != SQLITE_OK) {
    return peek.read_error(result);
  }
  const auto application = peek.setting("application_id");
  if (!application) return peek.read_error();
  if (*application == kApplicationId) {
    *owner = Owner::kXsp;
    // SQLite would read what lacks of the last page as zeros. With a log, it mends that.
    const int64_t page_bytes = peek.setting("page_size").value_or(kLeastPageBytes);
    const bool is_cut = about.st_size % page_bytes != 0 && size_of(log_of(path)) == 0;
    return is_cut ? peek.unusable("damaged: cut off") : Status();
  }
  // An empty database may be ours whose making was cut short. Its tables may also lie in its log still; ours never do.
  Statement tables = peek.prepare("SELECT count(*) FROM sqlite_master");
  const bool is_empty = *application == 0 && size_of(log_of(path)) == 0 && tables.next() && tables.integer(0) == 0;
  return is_empty ? Status() : peek.unusable("a database of another program", "name another file with --database");
}

/// Where file and folder may be written, SQLite may put its log in order and clear it away; else its files beside are
/// read as they are, and without any the file alone.
Status Connection::connect_read_only() {
  const bool may_tidy = may_write(path_);
  int result = connect(may_tidy ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, may_tidy ? "?mode=rw" : "?mode=ro");
  if (result != SQLITE_OK) return read_error(result);
  if (setting("user_version")) return run("PRAGMA query_only = ON") ? Status() : read_error();
  if ((failure_ & 0xff) != SQLITE_CANTOPEN && (failure_ & 0xff) != SQLITE_READONLY) return read_error();
  if (size_of(log_of(path_)) != 0) {
    return cannot_read(path_, "its writer was killed, and its folder cannot be written",
                       "copy it, with the file that ends in -wal, to another folder");
  }
  result = connect(SQLITE_OPEN_READONLY, "?mode=ro&immutable=1");
  return result == SQLITE_OK ? Status() : read_error(result);
}

Status Connection::open_for_reading(const std::string& path, std::unique_ptr<Connection>* connection) {
  connection->reset();
  Owner owner;
  if (Status status = find_owner(path, &owner); !status.ok() || owner == Owner::kNobody) return status;
  std::unique_ptr<Connection> opened(new Connection(path));
  if (Status status = opened->connect_read_only(); !status.ok()) return status;
  if (Status status = check_schema(*opened); !status.ok()) return status;
  *connection = std::move(opened);
  return Status();
}

Status Connection::open_for_writing(const std::string& path, std::unique_ptr<Connection>* connection) {
  connection->reset();
  Owner owner;
  if (Status status = find_owner(path, &owner); !status.ok()) return status;
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return cannot_write(path, error.message());
  std::unique_ptr<Connection> opened(new Connection(path));
  const int result = opened->connect(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "?mode=rwc");
  if (result != SQLITE_OK) return opened->write_error(result);
  if (sqlite3_db_readonly(opened->handle_, "main") == 1) return cannot_write(path, std::strerror(EACCES));
  // Made with a rollback journal, so that the file itself says from its first transaction on whose it is.
  if (owner == Owner::kNobody) {
    if (Status status = create_schema(*opened); !status.ok()) return status;
  }
  // The first access: a folder that cannot be written has no room for the log.
  if (!opened->setting("user_version")) return opened->write_error();
  if (Status status = check_schema(*opened); !status.ok()) return status;
  // Refused where others have the file open, or its file system cannot do it; the journal then does as well, if slower.
  opened->run("PRAGMA journal_mode = WAL");
  Statement mode = opened->prepare("PRAGMA journal_mode");
  const bool has_log = mode.next() && mode.text(0) == "wal";
  mode = Statement();
  // With the log, a power cut loses the last transactions at most.
  opened->run(has_log ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  opened->run("PRAGMA foreign_keys = ON");
  opened->can_write_ = true;
  *connection = std::move(opened);
  return Status();
}

}  // namespace xsp::bound
