#include "inject/launch/run/command_lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/catch.h"

using xsp::launch::check_command;
using xsp::launch::command_name;

namespace {

/// The test runs in an empty folder.
class EmptyFolder {
 public:
  EmptyFolder() : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "xsp-lookup-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::current_path(folder_);
  }
  ~EmptyFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  static void write(const char* name, const char* text, mode_t mode) {
    std::ofstream(name) << text;
    chmod(name, mode);
  }

 private:
  std::filesystem::path before_;
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("the name of a command is what a user calls it") {
  CHECK(command_name({"python", "infer.py"}) == "infer");
  CHECK(command_name({"/usr/bin/python3.11", "-O", "-W", "ignore", "dir/infer.py", "-c"}) == "infer");
  CHECK(command_name({"python3", "-m", "torch.distributed.run"}) == "torch.distributed.run");
  CHECK(command_name({"python3", "-c", "pass"}) == "python3");
  CHECK(command_name({"python3", "-Ic", "pass"}) == "python3");
  CHECK(command_name({"bash", "run.sh"}) == "run");
  CHECK(command_name({"bin/model server"}) == "model_server");
  CHECK(command_name({"python-config"}) == "python-config");
  CHECK(command_name({std::string(300, 'x')}).size() == 64);
}

TEST_CASE("a command that cannot run is refused with what was meant") {
  EmptyFolder folder;
  CHECK(check_command({"nothing-of-that-name"}).exit_code == 127);
  CHECK(check_command({"./nothing"}).exit_code == 127);
  CHECK(check_command({"./"}).exit_code == 126);

  folder.write("infer.py", "pass\n", 0644);
  CHECK(check_command({"infer.py"}).exit_code == 126);
  CHECK(check_command({"infer.py", "-b"}).hint.find("name its interpreter: python") != std::string::npos);
  CHECK(check_command({"./infer.py", "-b"}).hint.find("./infer.py -b") != std::string::npos);

  folder.write("tool", "#!/bin/sh\n", 0755);
  CHECK(check_command({"tool"}).hint == "did you mean ./tool?");
  CHECK(check_command({"./tool"}).ok());

  folder.write("run.pb", "\n", 0644);
  CHECK(check_command({"run.pb"}).hint == "did you mean xsp-report run.pb?");
}
