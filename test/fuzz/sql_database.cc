#include "test/fuzz/sql_database.h"

#include <cstdlib>
#include <sstream>

#include <sqlite3.h>

namespace xsp::test {
namespace {

constexpr int kMostSteps = 20;  // of a thousand instructions, for each statement

int allow(void*, int action, const char*, const char*, const char*, const char*) {
  const bool reaches_out = action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA;
  return reaches_out ? SQLITE_DENY : SQLITE_OK;
}

int count_step(void* steps) { return ++*static_cast<int*>(steps) > kMostSteps ? 1 : 0; }

}  // namespace

std::string database_of(std::string_view statements) {
  sqlite3* database = nullptr;
  std::string bytes;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK) std::exit(2);
  sqlite3_set_authorizer(database, allow, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
  int steps = 0;
  sqlite3_progress_handler(database, 1000, count_step, &steps);
  std::istringstream lines{std::string(statements)};
  for (std::string line; std::getline(lines, line);) {
    steps = 0;
    sqlite3_exec(database, line.c_str(), nullptr, nullptr, nullptr);
  }
  // Serializing asks for the number of pages by a pragma.
  sqlite3_set_authorizer(database, nullptr, nullptr);
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* image = sqlite3_serialize(database, "main", &size, 0);
  if (image != nullptr) bytes.assign(reinterpret_cast<char*>(image), static_cast<size_t>(size));
  sqlite3_free(image);
  sqlite3_close(database);
  return bytes;
}

}  // namespace xsp::test
