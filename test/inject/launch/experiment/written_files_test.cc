#include "inject/launch/experiment/written_files.h"

#include <filesystem>
#include <fstream>

#include "test/catch.h"

using xsp::launch::WrittenFiles;
namespace fs = std::filesystem;

TEST_CASE("the files of the arguments that a command has made or changed are found, and no others") {
  std::string pattern = fs::temp_directory_path() / "xsp-written-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  const std::string read = folder + "/read";
  const std::string changed = folder + "/changed";
  const std::string made = folder + "/made";
  for (const std::string& path : {read, changed}) {
    std::ofstream(path) << "before";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const WrittenFiles files({"program", "--in", read, changed, "--out=" + made, folder, "-v", ""});
  CHECK(files.found().empty());
  std::ofstream(changed) << "after";
  std::ofstream(made) << "after";
  CHECK(files.found() == std::vector<std::string>{changed, made});
  fs::remove_all(folder);
}
