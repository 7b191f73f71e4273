#include <filesystem>

#include "test/bound/database/made_rows.h"
#include "test/contains.h"

namespace xsp::bound {
namespace {

using test::contains;

/// Does everything that reads a file; the first error.
Status read_all(const std::string& path) {
  Database database;
  if (Status status = database.open(path, true); !status.ok()) return status;
  const LookUp look_up = made_look_up();
  for (int i = 0; i < 40; ++i) {
    const std::string problem = "problem " + std::to_string(i);
    const Found found = database.find(problem, look_up);
    if (!found.hot && found.reason.empty()) return {"no reason", "", 99};
    (void)database.has(look_up.system_key, made_library(), 1, problem);
  }
  (void)database.systems();
  size_t bytes = 0;
  const Status exported = database.export_csv([&](std::string_view text) { bytes += text.size(); });
  if (!database.failure().ok()) return database.failure();
  if (!exported.ok()) return exported;
  const test::TemporaryFolder folder;
  Database target;
  if (Status status = target.open(folder / "target", false); !status.ok()) return {status.error, "", 98};
  uint64_t rows = 0;
  return target.merge(path, &rows);
}

class SoundFile {
 public:
  SoundFile() {
    for (int i = 0; i < 40; ++i) {
      Measurement row = made_row("jit", 1e6);
      row.samples_ns.assign(400, 1e6f);
      made_.add({row, made_row("gemm", 2e6), cold(row, 3e6)}, "problem " + std::to_string(i));
    }
    made_.close();
    bytes_ = test::read_file(made_.path());
  }
  const std::string& bytes() const { return bytes_; }
  std::string path() const { return made_.path(); }
  /// The first error that a file of these bytes leads to.
  Status read_as(const std::string& bytes) {
    test::write_file(made_.path(), bytes);
    return read_all(made_.path());
  }

 private:
  MadeDatabase made_;
  std::string bytes_;
};

TEST_CASE("a sound file is read without an error") { CHECK(read_all(SoundFile().path()).ok()); }

TEST_CASE("a database cut anywhere is an error that names it") {
  SoundFile file;
  for (size_t size = 1; size < file.bytes().size(); size += 1777) {
    const Status status = file.read_as(file.bytes().substr(0, size));
    INFO(size << " " << status.error);
    CHECK(status.exit_code == 3);
    CHECK(contains(status.error, file.path()));
  }
}

TEST_CASE("damage in any page of a database does no harm") {
  SoundFile file;
  size_t errors = 0;
  for (size_t page = 0; page < file.bytes().size(); page += 4096) {
    for (const char fill : {'\0', '\xff', '\x0d', '\x05'}) {
      for (const size_t size : {size_t{8}, size_t{64}, size_t{4096}}) {
        std::string bytes = file.bytes();
        bytes.replace(page + (page == 0 ? 100 : 0), size - (page == 0 && size == 4096 ? 100 : 0),
                      size - (page == 0 && size == 4096 ? 100 : 0), fill);
        const Status status = file.read_as(bytes);
        INFO(page << " " << size << " " << status.error);
        CHECK((status.ok() || status.exit_code == 3));
        errors += status.ok() ? 0 : 1;
      }
    }
  }
  CHECK(errors > 100);
}

TEST_CASE("a look-up in a damaged database says that it cannot be read") {
  SoundFile file;
  std::string bytes = file.bytes();
  // All pages but that of the schema.
  bytes.replace(4096, bytes.size() - 4096, bytes.size() - 4096, '\xee');
  test::write_file(file.path(), bytes);
  Database database;
  REQUIRE(database.open(file.path(), true).ok());
  const Found found = database.find("problem 1", made_look_up());
  CHECK(!found.hot);
  CHECK(found.reason.starts_with("the database cannot be read: "));
  CHECK(contains(found.reason, file.path()));
  CHECK(database.failure().exit_code == 3);
  CHECK(database.systems().empty());
  CHECK(database.export_csv([](std::string_view) {}).exit_code == 3);
  Database writer;
  const Status opened = writer.open(file.path(), false);
  if (opened.ok()) {
    CHECK(writer.add(made_system(), made_library(), "p", 1, 1, {made_row("jit", 1)}).exit_code == 3);
  } else {
    CHECK(opened.exit_code == 3);
  }
}

/// A page of a table that leads 60 times to another one.
std::string page_of_children(uint32_t child, size_t page_bytes) {
  constexpr size_t kChildren = 60;
  const auto big_endian = [](uint32_t value, size_t bytes) {
    std::string text;
    for (size_t i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  constexpr size_t kCellBytes = 5;
  const size_t content = page_bytes - kChildren * kCellBytes;
  std::string page = "\x05" + big_endian(0, 2) + big_endian(kChildren, 2) + big_endian(content, 2) + big_endian(0, 1) +
                     big_endian(child, 4);
  for (size_t i = 0; i < kChildren; ++i) page += big_endian(static_cast<uint32_t>(content + i * kCellBytes), 2);
  page.resize(content);
  for (size_t i = 0; i < kChildren; ++i) page += big_endian(child, 4) + static_cast<char>(i + 1);
  return page;
}

TEST_CASE("a small database that claims more rows than anybody could read is given up") {
  constexpr size_t kPageBytes = 4096;
  MadeDatabase made;
  made.add({made_row("jit", 1e6)}, "problem 1");
  made.close();
  const size_t root =
      std::stoul(answer_of(made.path(), "SELECT rootpage FROM sqlite_master WHERE name = 'measurement'"));
  std::string bytes = test::read_file(made.path());
  const std::string leaf = bytes.substr((root - 1) * kPageBytes, kPageBytes);
  const auto next = [&] { return static_cast<uint32_t>(bytes.size() / kPageBytes + 1); };
  bytes.replace((root - 1) * kPageBytes, kPageBytes, page_of_children(next(), kPageBytes));
  for (int level = 0; level < 8; ++level) bytes += page_of_children(next() + 1, kPageBytes);
  bytes += leaf;
  // The number of pages that the header tells.
  const auto pages = static_cast<uint32_t>(bytes.size() / kPageBytes);
  for (size_t i = 0; i < 4; ++i) bytes[28 + i] = static_cast<char>(pages >> (24 - 8 * i));
  test::write_file(made.path(), bytes);

  Database database;
  made.open(database, true);
  const Status exported = database.export_csv([](std::string_view) {});
  CHECK(exported.exit_code == 3);
  CHECK(contains(exported.error, "more rows than"));
  (void)database.systems();
  CHECK(contains(database.failure().error, "more rows than"));
  MadeDatabase target;
  uint64_t rows = 0;
  CHECK(contains(target->merge(made.path(), &rows).error, "more rows than"));
}

TEST_CASE("values of any type in any column do no harm") {
  const auto [column, value] = GENERATE(table<std::string, std::string>({
      {"implementation", "zeroblob(3000000)"},
      {"implementation", "x'00ff'"},
      {"message", "printf('%.2000000c', 'x')"},
      {"min_ns", "'quick'"},
      {"min_ns", "-1"},
      {"min_ns", "9e999"},
      {"cpu_min_ns", "x'01'"},
      {"threads", "9223372036854775807"},
      {"threads", "'one'"},
      {"n", "-9223372036854775808"},
      {"status", "'wonderful'"},
      {"numerics", "7"},
      {"cache", "''"},
      {"started_at", "'yesterday'"},
      {"samples", "'text'"},
      {"samples", "x'010203'"},
      {"samples", "zeroblob(5000000)"},
      {"library", "99"},
      {"system", "'none'"},
      {"problem", "-1"},
  }));
  SoundFile file;
  run_sql(file.path(), "UPDATE measurement SET " + column + " = " + value + " WHERE id % 3 != 0");
  const Status status = read_all(file.path());
  INFO(column << " " << value << " " << status.error);
  CHECK((status.ok() || status.exit_code == 3));
}

TEST_CASE("NULL in every column of a database does no harm") {
  SoundFile file;
  // As a damaged file could have them: the declarations say otherwise.
  run_sql(
      file.path(),
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '         '); "
      "PRAGMA writable_schema = RESET;"
      "UPDATE measurement SET backend = NULL, implementation = NULL, numerics = NULL, math_mode = NULL, layout = NULL, "
      "dtype = NULL, cache = NULL, status = NULL, n = NULL, min_ns = NULL, samples = NULL, message = NULL, "
      "started_at = NULL WHERE id % 2;"
      "UPDATE measurement SET library = NULL WHERE id % 5 = 0; UPDATE problem SET key = NULL WHERE id = 3; "
      "UPDATE system SET device = NULL, cores = NULL, driver = NULL; UPDATE library SET build = NULL");
  CHECK(contains(read_all(file.path()).error, "not those that XSP makes"));
  run_sql(file.path(),
          "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '         ', ' NOT NULL'); "
          "PRAGMA writable_schema = RESET");
  const Status status = read_all(file.path());
  INFO(status.error);
  CHECK((status.ok() || status.exit_code == 3));
}

}  // namespace
}  // namespace xsp::bound
