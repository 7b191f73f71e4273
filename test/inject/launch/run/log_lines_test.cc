#include "inject/launch/run/log_lines.h"

#include <filesystem>
#include <fstream>

#include "test/catch.h"
#include "test/temporary_folder.h"

using xsp::launch::last_line_of;
using xsp::launch::last_lines;
namespace fs = std::filesystem;

TEST_CASE("the last lines of a log are those that a terminal would show") {
  const xsp::test::TemporaryFolder folder;
  const std::string log = folder / "x.log";
  std::ofstream(log) << "one\n\n 10 %\r 99 %\r100 %\ntwo\r\n   \nthree";
  CHECK(last_lines(log, 3) == std::vector<std::string>{"100 %", "two", "three"});
  CHECK(last_lines(log, 1) == std::vector<std::string>{"three"});
  std::ofstream(log) << std::string(100000, 'x');
  REQUIRE(last_lines(log, 5).size() == 1);
  CHECK(last_lines(log, 5)[0].size() < 250);
  CHECK(last_lines(folder / "none", 5).empty());
}

TEST_CASE("the last line of a file is the last one that is not empty, whole") {
  const xsp::test::TemporaryFolder folder;
  const std::string log = folder / "x.log";
  std::ofstream(log) << "one\n" << std::string(1000, 'x') << "\n\n";
  CHECK(last_line_of(log) == std::string(1000, 'x'));
  CHECK(last_line_of(folder / "none").empty());
}
