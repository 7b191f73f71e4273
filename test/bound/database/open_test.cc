#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/bound/database/made_rows.h"
#include "test/contains.h"

namespace xsp::bound {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::TemporaryFolder;

std::set<std::string> files_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Opens it in both ways; each must fail with exit code 3 and this reason, and leave the folder as it was.
void check_refused(const std::string& path, const std::string& why) {
  const std::string folder = fs::path(path).parent_path();
  const std::set<std::string> files = files_of(folder);
  const std::string bytes = fs::is_regular_file(path) ? test::read_file(path) : "";
  for (const bool read_only : {true, false}) {
    Database database;
    const Status status = database.open(path, read_only);
    INFO(status.error);
    CHECK(status.exit_code == 3);
    CHECK(contains(status.error, path));
    CHECK(contains(status.error, why));
  }
  CHECK(files_of(folder) == files);
  if (fs::is_regular_file(path)) CHECK(test::read_file(path) == bytes);
}

/// Runs it in a process that root's rights do not help; whether it returned true.
template <typename Function>
bool as_nobody(Function function) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_dropped = ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
    ::_exit(is_dropped && function() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A process that adds a row and is killed, so that its log stays beside the file.
void add_and_die(const std::string& path, double min_ns) {
  const pid_t child = ::fork();
  if (child == 0) {
    Database database;
    const bool is_added =
        database.open(path, false).ok() &&
        database.add(made_system(), made_library(), kConvolution, 1, 1, {made_row("jit", min_ns)}).ok();
    if (is_added) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

TEST_CASE("a database is made with its folders, and kept") {
  const TemporaryFolder folder;
  const std::string path = folder / "a/b/bounds.sqlite";
  {
    Database database;
    REQUIRE(database.open(path, false).ok());
    REQUIRE(database.add(made_system(), made_library(), kConvolution, 1e9, 2e6, {made_row("jit", 1e6)}).ok());
  }
  CHECK(files_of(folder / "a/b") == std::set<std::string>{"bounds.sqlite"});
  CHECK(answer_of(path, "PRAGMA user_version") == "1");
  CHECK(answer_of(path, "PRAGMA application_id") == std::to_string(0x58535062));
  CHECK(answer_of(path, "PRAGMA journal_mode") == "wal");
  CHECK(answer_of(path, "PRAGMA integrity_check") == "ok");
  for (const bool read_only : {true, false}) {
    Database database;
    REQUIRE(database.open(path, read_only).ok());
    CHECK(database.find(kConvolution, made_look_up()).hot->min_ns == 1e6);
  }
  CHECK(files_of(folder / "a/b") == std::set<std::string>{"bounds.sqlite"});
}

TEST_CASE("an absent database, opened to be read, is empty and is not made") {
  const TemporaryFolder folder;
  Database database;
  REQUIRE(database.open(folder / "a/bounds.sqlite", true).ok());
  CHECK(database.find(kConvolution, made_look_up()).reason == "not measured");
  CHECK(!database.has(made_system().key(), made_library(), 1, kConvolution));
  CHECK(database.systems().empty());
  std::string csv;
  CHECK(database.export_csv([&](std::string_view text) { csv += text; }).ok());
  CHECK(csv.starts_with("system,device,"));
  CHECK(csv.find('\n') == csv.size() - 1);
  CHECK(database.add(made_system(), made_library(), "p", 1, 1, {}).exit_code == 5);
  CHECK(files_of(folder.path()).empty());
}

TEST_CASE("a database opened to be read is not written") {
  MadeDatabase made;
  Database database;
  made.open(database, true);
  CHECK(database.add(made_system(), made_library(), "p", 1, 1, {made_row("jit", 1)}).exit_code == 5);
  uint64_t rows = 0;
  CHECK(database.merge(made.path(), &rows).exit_code == 5);
}

TEST_CASE("an empty file becomes a database, whether of no bytes or SQLite's") {
  const TemporaryFolder folder;
  const std::string empty = test::write_file(folder / "empty", "");
  const std::string vacuumed = folder / "vacuumed";
  run_sql(vacuumed, "VACUUM");
  for (const std::string& path : {empty, vacuumed}) {
    Database reader;
    REQUIRE(reader.open(path, true).ok());
    CHECK(reader.systems().empty());
    Database writer;
    REQUIRE(writer.open(path, false).ok());
    CHECK(writer.add(made_system(), made_library(), kConvolution, 1, 1, {made_row("jit", 1)}).ok());
  }
}

TEST_CASE("names with the characters of URIs are names") {
  const TemporaryFolder folder;
  for (const std::string name : {"a?mode=memory", "b#c", "%41", ":memory:", "name with blanks"}) {
    Database database;
    REQUIRE(database.open(folder / name, false).ok());
    CHECK(fs::is_regular_file(folder / name));
  }
}

TEST_CASE("what is no database of ours is refused and stays as it is") {
  const TemporaryFolder folder;
  SECTION("text") { check_refused(test::write_file(folder / "notes.txt", std::string(5000, 'x')), "not a database"); }
  SECTION("one byte") { check_refused(test::write_file(folder / "x", "x"), "not a database"); }
  SECTION("a folder") {
    fs::create_directory(folder / "sub");
    check_refused(folder / "sub", "a folder");
  }
  SECTION("a pipe") {
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    check_refused(folder / "pipe", "not a file");
  }
  SECTION("tables of others") {
    run_sql(folder / "other.db", "CREATE TABLE bookmarks (url); INSERT INTO bookmarks VALUES ('x')");
    check_refused(folder / "other.db", "another program");
  }
  SECTION("tables of others that have our names") {
    run_sql(folder / "other.db", "CREATE TABLE measurement (id); PRAGMA user_version = 1");
    check_refused(folder / "other.db", "another program");
  }
  SECTION("an application_id of others") {
    run_sql(folder / "other.db", "PRAGMA application_id = 252006675; VACUUM");
    check_refused(folder / "other.db", "another program");
  }
  SECTION("with a log") {
    run_sql(folder / "other.db", "PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url)");
    check_refused(folder / "other.db", "another program");
  }
  SECTION("whose tables are in its log alone") {
    const std::string path = folder / "other.db";
    const pid_t child = ::fork();
    if (child == 0) {
      sqlite3* file = nullptr;
      sqlite3_open(path.c_str(), &file);
      sqlite3_exec(file, "PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url)", nullptr, nullptr, nullptr);
      ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(fs::file_size(path + "-wal") > 0);
    check_refused(path, "another program");
  }
  SECTION("beneath a file") {
    const std::string path = test::write_file(folder / "file", "x") + "/bounds.sqlite";
    Database database;
    CHECK(database.open(path, true).exit_code == 3);
    CHECK(database.open(path, false).exit_code == 3);
  }
}

TEST_CASE("a database of a later XSP is refused, and said to be one") {
  MadeDatabase made;
  made.close();
  run_sql(made.path(), "PRAGMA user_version = 2");
  check_refused(made.path(), "later XSP");
}

TEST_CASE("tables other than ours under our names are refused") {
  MadeDatabase made;
  made.close();
  SECTION("a table lacks") { run_sql(made.path(), "DROP TABLE measurement"); }
  SECTION("an index lacks") { run_sql(made.path(), "DROP INDEX measurement_of_problem"); }
  SECTION("another column") { run_sql(made.path(), "ALTER TABLE system ADD COLUMN more"); }
  SECTION("an earlier version, which there never was") { run_sql(made.path(), "PRAGMA user_version = 0"); }
  SECTION("a view") {
    run_sql(
        made.path(),
        "DROP TABLE measurement; CREATE VIEW measurement AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT i FROM n");
  }
  check_refused(made.path(), "not those that XSP makes");
}

TEST_CASE("what others added to our file does nothing") {
  MadeDatabase made;
  run_sql(made.path(),
          "CREATE TABLE notes (text); CREATE VIEW quick AS SELECT * FROM measurement;"
          "CREATE TRIGGER spoil AFTER INSERT ON measurement BEGIN DELETE FROM measurement; END");
  REQUIRE(made->open(made.path(), false).ok());
  made.add({made_row("jit", 1e6)});
  CHECK(made->find(kConvolution, made_look_up()).hot);
}

TEST_CASE("no path is an error that says so") {
  Database database;
  CHECK(database.open("", true).exit_code == 5);
  CHECK(!database.open("", false).hint.empty());
}

TEST_CASE("a file or folder that cannot be written is read, and not written") {
  MadeDatabase made;
  made.add({made_row("jit", 1e6)});
  made.close();
  const std::string folder = fs::path(made.path()).parent_path();
  const auto can_read = [&] {
    Database database;
    return database.open(made.path(), true).ok() && database.find(kConvolution, made_look_up()).hot;
  };
  const auto is_refused = [&] {
    Database database;
    return database.open(made.path(), false).exit_code == 5;
  };
  SECTION("a file") {
    ::chmod(folder.c_str(), 0777);
    ::chmod(made.path().c_str(), 0444);
    CHECK(as_nobody(is_refused));
    CHECK(as_nobody(can_read));
  }
  SECTION("a folder") {
    ::chmod(made.path().c_str(), 0666);
    ::chmod(folder.c_str(), 0555);
    CHECK(as_nobody(is_refused));
    CHECK(as_nobody(can_read));
    ::chmod(folder.c_str(), 0755);
    CHECK(files_of(folder) == std::set<std::string>{"bounds.sqlite"});
  }
  SECTION("both, beside a writer that is at work") {
    Database writer;
    made.open(writer, false);
    REQUIRE(writer.add(made_system(), made_library(), "later", 1, 1, {made_row("jit", 2e6)}).ok());
    ::chmod(made.path().c_str(), 0444);
    for (const char* const suffix : {"-wal", "-shm"}) ::chmod((made.path() + suffix).c_str(), 0444);
    ::chmod(folder.c_str(), 0555);
    CHECK(as_nobody([&] {
      Database database;
      return database.open(made.path(), true).ok() && database.find("later", made_look_up()).hot;
    }));
    ::chmod(folder.c_str(), 0755);
  }
  SECTION("both, beside the log of a writer that was killed") {
    add_and_die(made.path(), 2e6);
    fs::remove(made.path() + "-shm");
    ::chmod(folder.c_str(), 0555);
    CHECK(as_nobody([&] {
      Database database;
      const Status status = database.open(made.path(), true);
      return status.exit_code == 3 && contains(status.error, "killed") && !status.hint.empty();
    }));
    ::chmod(folder.c_str(), 0755);
  }
  SECTION("a file that cannot be read") {
    ::chmod(folder.c_str(), 0755);
    ::chmod(made.path().c_str(), 0000);
    CHECK(as_nobody([&] {
      Database database;
      return database.open(made.path(), true).exit_code == 3 && database.open(made.path(), false).exit_code == 3;
    }));
  }
  SECTION("a folder that cannot be made") {
    ::chmod(folder.c_str(), 0555);
    CHECK(as_nobody([&] {
      Database database;
      return database.open(folder + "/sub/bounds.sqlite", false).exit_code == 5;
    }));
    ::chmod(folder.c_str(), 0755);
  }
}

TEST_CASE("the log of a writer that was killed is read") {
  MadeDatabase made;
  made.close();
  add_and_die(made.path(), 2e6);
  REQUIRE(fs::file_size(made.path() + "-wal") > 0);
  Database database;
  made.open(database, true);
  CHECK(database.find(kConvolution, made_look_up()).hot->min_ns == 2e6);
}

TEST_CASE("the default database is in XDG_DATA_HOME if that is absolute, else below HOME") {
  const auto value_of = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const std::string data = value_of("XDG_DATA_HOME"), home = value_of("HOME");
  ::setenv("HOME", "/home/ann", 1);
  ::setenv("XDG_DATA_HOME", "/data", 1);
  CHECK(default_database() == "/data/xsp/bounds.sqlite");
  for (const char* const ignored : {"data", ""}) {
    ::setenv("XDG_DATA_HOME", ignored, 1);
    CHECK(default_database() == "/home/ann/.local/share/xsp/bounds.sqlite");
  }
  ::unsetenv("XDG_DATA_HOME");
  CHECK(default_database() == "/home/ann/.local/share/xsp/bounds.sqlite");
  ::unsetenv("HOME");
  CHECK(default_database().empty());
  if (!data.empty()) ::setenv("XDG_DATA_HOME", data.c_str(), 1);
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace xsp::bound
