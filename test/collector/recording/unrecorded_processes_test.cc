#include "collector/recording/unrecorded_processes.h"

#include <filesystem>

#include "test/catch.h"
#include "test/temporary_folder.h"

using xsp::ScratchFolder;
using xsp::UnrecordedProcesses;
using xsp::test::TemporaryFolder;

TEST_CASE("refused processes are counted by user, one that knocks again once") {
  UnrecordedProcesses processes;
  processes.refuse(1000, 7);
  processes.refuse(1000, 7);
  processes.refuse(1000, 8);
  processes.refuse(33, 9);
  REQUIRE(processes.groups().size() == 2);
  CHECK(processes.groups()[0].user == 1000);
  CHECK(processes.groups()[0].processes == 2);
  CHECK(processes.groups()[1].user == 33);
  CHECK(processes.groups()[1].processes == 1);
}

TEST_CASE("any number of users takes bounded memory, and every process is counted") {
  UnrecordedProcesses processes;
  for (uid_t user = 0; user < 1000; ++user) processes.refuse(user, static_cast<pid_t>(user) + 1);
  uint64_t count = 0;
  for (const auto& group : processes.groups()) count += group.processes;
  CHECK(processes.groups().size() <= 64);
  CHECK(count == 1000);
}

TEST_CASE("notes of processes that could not connect are counted and removed, other files stay") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("NO_DESCRIPTOR", folder / "unrecorded.12");
  std::filesystem::create_symlink("NO_DESCRIPTOR", folder / "unrecorded.13");
  std::filesystem::create_symlink("A_REASON_OF_TOMORROW", folder / "unrecorded.14");
  std::filesystem::create_directory(folder / "unrecorded.15");
  xsp::test::write_file(folder / "ort-1.json", "[]");
  UnrecordedProcesses processes;
  processes.take_notes(ScratchFolder(folder.path()));
  REQUIRE(processes.groups().size() == 1);
  CHECK(processes.groups()[0].reason == "NO_DESCRIPTOR");
  CHECK(processes.groups()[0].processes == 2);
  CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder / "unrecorded.12")));
  CHECK(std::filesystem::exists(folder / "ort-1.json"));
  processes.take_notes(ScratchFolder(folder.path()));
  CHECK(processes.groups()[0].processes == 2);
}
