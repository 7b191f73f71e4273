#include <chrono>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "test/bound/database/made_rows.h"

namespace xsp::bound {
namespace {

std::string numbered(int writer, int i) { return "problem " + std::to_string(writer) + " " + std::to_string(i); }

bool add_numbered(Database& database, int writer, int i) {
  return database
      .add(made_system(), made_library(), numbered(writer, i), 1, 1, {made_row("jit", i + 1), made_row("gemm", 1e9)})
      .ok();
}

bool is_sound(const std::string& path) {
  sqlite3* file = nullptr;
  sqlite3_stmt* statement = nullptr;
  bool is_ok = sqlite3_open(path.c_str(), &file) == SQLITE_OK &&
               sqlite3_prepare_v2(file, "PRAGMA integrity_check", -1, &statement, nullptr) == SQLITE_OK &&
               sqlite3_step(statement) == SQLITE_ROW &&
               std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))) == "ok";
  sqlite3_finalize(statement);
  sqlite3_close(file);
  return is_ok;
}

TEST_CASE("several processes make one database and write it at once") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "new/bounds.sqlite";
  constexpr int kWriters = 4;
  constexpr int kProblems = 50;
  int start[2];
  REQUIRE(::pipe(start) == 0);
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(start[1]);
      char byte;
      (void)!::read(start[0], &byte, 1);  // until all are there
      Database database;
      bool is_ok = database.open(path, false).ok();
      for (int i = 0; i < kProblems; ++i) is_ok = is_ok && add_numbered(database, writer, i);
      ::_exit(is_ok ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(start[0]);
  ::close(start[1]);
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  Database database;
  REQUIRE(database.open(path, true).ok());
  for (int writer = 0; writer < kWriters; ++writer) {
    for (int i = 0; i < kProblems; ++i) CHECK(database.find(numbered(writer, i), made_look_up()).rows == 2);
  }
  REQUIRE(database.systems().size() == 1);
  CHECK(database.systems()[0].measurements == 2 * kWriters * kProblems);
  CHECK(is_sound(path));
}

TEST_CASE("a reader sees what was there, and then what another process commits") {
  MadeDatabase made;
  Database reader;
  made.open(reader, true);
  CHECK(!reader.find("later", made_look_up()).hot);
  made.add({made_row("jit", 1)}, "later");
  CHECK(reader.find("later", made_look_up()).hot);
}

TEST_CASE("a writer killed at any moment loses what it was at, and nothing else") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "bounds.sqlite";
  int next = 0;
  int times_grown = 0;
  for (int kill = 0; kill < 30; ++kill) {
    int committed[2];
    REQUIRE(::pipe(committed) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(committed[0]);
      Database database;
      if (!database.open(path, false).ok()) ::_exit(1);
      for (int i = next;; ++i) {
        if (!add_numbered(database, 0, i)) ::_exit(1);
        (void)!::write(committed[1], &i, sizeof i);
      }
    }
    ::close(committed[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(kill * 1500));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    int last = next - 1;
    for (int i; ::read(committed[0], &i, sizeof i) == sizeof i;) last = i;
    ::close(committed[0]);

    Database database;
    const Status opened = database.open(path, kill % 2 == 0);
    INFO("kill " << kill << " " << opened.error);
    REQUIRE(opened.ok());
    // All that was said to be there is, both rows of it, and at most one more.
    for (int i = next; i <= last; ++i) REQUIRE(database.find(numbered(0, i), made_look_up()).rows == 2);
    const size_t more = database.find(numbered(0, last + 1), made_look_up()).rows;
    REQUIRE((more == 0 || more == 2));
    REQUIRE(database.find(numbered(0, last + 2), made_look_up()).rows == 0);
    REQUIRE(database.failure().ok());
    times_grown += last >= next ? 1 : 0;
    next = last + 1 + (more == 0 ? 0 : 1);
  }
  CHECK(times_grown > 5);
  CHECK(is_sound(path));
}

}  // namespace
}  // namespace xsp::bound
