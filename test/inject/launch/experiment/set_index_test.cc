#include "inject/launch/experiment/set_index.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test/catch.h"
#include "test/temporary_folder.h"

using xsp::launch::files_of_set;
using xsp::launch::new_index;
using xsp::launch::PlannedRun;
using xsp::launch::RunPurpose;
using xsp::launch::RunState;
using xsp::launch::SetIndex;
using xsp::launch::write_index;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

SetIndex index_of_two() {
  SetIndex index = new_index("xsp-run", {"infer", "{run}"});
  index.add({.command = {"infer", "1"}, .level = "model"});
  index.add({.command = {"infer", "2"},
             .level = "kernel",
             .purpose = RunPurpose::kSerialised,
             .parameters = {{"batch", "4"}, {"model", "../x y"}},
             .inputs = 4});
  return index;
}

}  // namespace

TEST_CASE("the index says what is planned, what was run, and how it ended") {
  const xsp::test::TemporaryFolder folder;
  SetIndex index = index_of_two();
  index.runs[0].state = RunState::kDone;
  index.runs[0].seconds = 1.5;
  REQUIRE(write_index(folder.path(), index).ok());
  Json written = read_json(folder / "set.json");
  CHECK(written["format"] == 1);
  CHECK(written["set"].get<std::string>().size() == 16);
  CHECK(written["program"].get<std::string>().starts_with("xsp-run "));
  CHECK(written["command"] == Json({"infer", "{run}"}));
  CHECK(written["state"] == "running");
  CHECK(written["runs"][0]["state"] == "done");
  CHECK(written["runs"][0]["exit_status"] == 0);
  CHECK(written["runs"][0]["seconds"] == 1.5);
  CHECK(written["runs"][1]["state"] == "planned");
  CHECK(written["runs"][1]["purpose"] == "serialised");
  CHECK(written["runs"][1]["parameters"] == Json({{"batch", "4"}, {"model", "../x y"}}));
  CHECK_FALSE(written["runs"][1].contains("exit_status"));

  index.runs[1].state = RunState::kFailed;
  index.runs[1].ending = {true, 9};
  index.state = "stopped";
  index.stopped_by = "run 2 failed";
  REQUIRE(write_index(folder.path(), index).ok());
  written = read_json(folder / "set.json");
  CHECK(written["stopped_by"] == "run 2 failed");
  CHECK(written["runs"][1]["signal"] == 9);
  CHECK_FALSE(written["runs"][1].contains("exit_status"));
  CHECK_FALSE(fs::exists(folder / "set.json.partial"));
}

TEST_CASE("the names of a run's files sort by its number and cannot leave the folder") {
  const SetIndex index = index_of_two();
  CHECK(index.runs[0].trace == "001-model.pb");
  CHECK(index.runs[0].log == "001-model.log");
  CHECK(index.runs[1].trace == "002-batch-4-model-.._x_y-serialised.pb");
}

TEST_CASE("two sets have different names") { CHECK(new_index("p", {}).id != new_index("p", {}).id); }

TEST_CASE("a trace's header gets set, number, purpose and parameters of its run") {
  const SetIndex index = index_of_two();
  const Json run = Json::parse(xsp::launch::run_json(index, index.runs[1]));
  CHECK(run["set"] == index.id);
  CHECK(run["index"] == 2);
  CHECK(run["repetition"] == 1);
  CHECK(run["purpose"] == 2);
  CHECK(run["parameters"] == Json::array({Json::array({"batch", "4"}), Json::array({"model", "../x y"})}));
  CHECK(run["inputs"] == 4);
}

TEST_CASE("the files of a set are those that its index names, in its folder only") {
  const xsp::test::TemporaryFolder folder;
  REQUIRE(write_index(folder.path(), index_of_two()).ok());
  const auto files = files_of_set(folder.path());
  REQUIRE(files);
  CHECK(files->size() == 5);
  CHECK(files->back() == "set.json");

  std::ofstream(folder / "set.json")
      << R"({"format": 1, "set": "0", "runs": [{"trace": "../x", "log": "/etc/x"}, {"trace": "..", "log": "a.log"}]})";
  CHECK(files_of_set(folder.path()) == std::vector<std::string>{"a.log", "set.json"});
}

TEST_CASE("an index of somebody else is none of ours") {
  const xsp::test::TemporaryFolder folder;
  CHECK_FALSE(files_of_set(folder.path()));
  for (const char* text : {"", "{", "[]", "{}", R"({"runs": []})", R"({"format": 1, "set": "0", "runs": [1]})"}) {
    std::ofstream(folder / "set.json") << text;
    CHECK_FALSE(files_of_set(folder.path()));
  }
}
