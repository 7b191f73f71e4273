#include "inject/launch/experiment/run_streams.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/catch.h"
#include "test/temporary_folder.h"

using xsp::launch::RunStreams;
namespace fs = std::filesystem;

TEST_CASE("a log has what a run printed, then its errors, and nothing of an earlier one") {
  const xsp::test::TemporaryFolder folder;
  const std::string log = folder / "001.log";
  std::ofstream(log) << "earlier";
  const auto streams = RunStreams("/dev/zero").begin(log);
  CHECK(streams.input == "/dev/zero");
  std::ofstream(streams.output, std::ios::app) << "output\n";
  std::ofstream(streams.errors, std::ios::app) << "errors\n";
  RunStreams::end(log, false);
  CHECK(xsp::test::read_file(log) == "output\nerrors\n");
  CHECK_FALSE(fs::exists(streams.errors));
}
