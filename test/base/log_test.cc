#include "base/log.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Off again, whatever a test does.
struct LogEnd {
  ~LogEnd() { (void)log::configure("test", "off", ""); }
};

TEST_CASE("a log file has the lines of its level, and names in them are text") {
  const LogEnd end;
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  REQUIRE(log::configure("test", "", path).ok());
  CHECK(log::writes(log::Level::kInfo));
  CHECK_FALSE(log::writes(log::Level::kDebug));
  log::debug("too little");
  log::info("process 7 came: \x1b[2Jnew\nline\xff");
  log::warning("lost 3");
  const std::string text = text_of(path);
  CHECK(text.find("too little") == std::string::npos);
  CHECK(text.find("] info: process 7 came: ?[2Jnew?line?\n") != std::string::npos);
  CHECK(text.find("] warning: lost 3\n") != std::string::npos);
}

TEST_CASE("a file that is no log is left alone") {
  const LogEnd end;
  const test::TemporaryFolder folder;
  const std::string path = folder / "trace.pb";
  const std::string trace("\x0a\x05traces", 8);
  std::ofstream(path) << trace;
  const Status status = log::configure("test", "", path);
  CHECK(status.error.find("it is there and is no log") != std::string::npos);
  CHECK(text_of(path) == trace);

  for (const char* name : {"new", "empty", "log"}) {
    const std::string log = folder / name;
    if (name == std::string("empty")) std::ofstream(log) << "";
    if (name == std::string("log")) std::ofstream(log) << "2026-11-24 10:00:00.000 xsp-run[1] info: earlier\n";
    CHECK(log::configure("test", "", log).ok());
  }
}

TEST_CASE("without a level and a file nothing is logged") {
  const LogEnd end;
  REQUIRE(log::configure("test", "", "").ok());
  CHECK_FALSE(log::writes(log::Level::kError));
  log::error("unheard");
}

TEST_CASE("a log is refused where its level is unknown or its file is not ours to write") {
  const LogEnd end;
  const test::TemporaryFolder folder;
  CHECK(log::configure("test", "loud", "").error.find("--log-level: unknown level 'loud'") != std::string::npos);
  CHECK(log::configure("test", "info", folder / "no/such").error.find("No such file") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "no"));
  std::filesystem::create_symlink(folder / "target", folder / "link");
  CHECK(log::configure("test", "info", folder / "link").error.find("no plain file") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "target"));
  CHECK_FALSE(log::configure("test", "info", "/proc/no/log").ok());
  CHECK_FALSE(log::writes(log::Level::kError));
}

}  // namespace
}  // namespace xsp
