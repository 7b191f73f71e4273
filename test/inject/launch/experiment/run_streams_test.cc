#include "inject/launch/experiment/run_streams.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/catch.h"

using xsp::launch::RunStreams;
namespace fs = std::filesystem;

namespace {

struct StreamsFolder {
  StreamsFolder() {
    std::string pattern = fs::temp_directory_path() / "xsp-streams-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~StreamsFolder() { fs::remove_all(path); }
  std::string path;
};

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a log has what a run printed, then its errors, and nothing of an earlier one") {
  const StreamsFolder folder;
  const std::string log = folder.path + "/001.log";
  std::ofstream(log) << "earlier";
  const auto streams = RunStreams("/dev/zero").begin(log);
  CHECK(streams.input == "/dev/zero");
  std::ofstream(streams.output, std::ios::app) << "output\n";
  std::ofstream(streams.errors, std::ios::app) << "errors\n";
  RunStreams::end(log, false);
  CHECK(text_in(log) == "output\nerrors\n");
  CHECK_FALSE(fs::exists(streams.errors));
}
