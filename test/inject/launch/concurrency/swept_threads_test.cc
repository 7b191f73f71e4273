#include "inject/launch/concurrency/swept_threads.h"

#include <fstream>

#include "inject/launch/experiment/set_index.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

using xsp::launch::new_index;
using xsp::launch::own_thread_variables;
using xsp::launch::read_swept_threads;
using xsp::launch::SetIndex;
using xsp::launch::thread_variables;
using xsp::launch::ThreadKind;
using xsp::launch::write_index;

namespace {

std::string variable_in(const std::vector<std::pair<std::string, std::string>>& variables, const std::string& name) {
  for (const auto& [known, value] : variables) {
    if (known == name) return value;
  }
  return "(none)";
}

}  // namespace

TEST_CASE("a number of threads reaches every library by its variable, and ONNX Runtime by the guest") {
  const auto intra = thread_variables(3, ThreadKind::kIntra);
  for (const char* name :
       {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"}) {
    CHECK(variable_in(intra, name) == "3");
  }
  CHECK(variable_in(intra, "XSP_CONCURRENCY") == "record sessions-intra=3");
  const auto inter = thread_variables(3, ThreadKind::kInter);
  CHECK(variable_in(inter, "OMP_NUM_THREADS") == "1");
  CHECK(variable_in(inter, "XSP_CONCURRENCY") == "record sessions-intra=1 sessions-inter=3");
  CHECK(own_thread_variables().size() == 1);
  CHECK(variable_in(own_thread_variables(), "XSP_CONCURRENCY") == "record");
}

TEST_CASE("a set tells whether variables or the command had the numbers of threads") {
  const xsp::test::TemporaryFolder folder;
  CHECK_FALSE(read_swept_threads(folder.path()).has_value());
  SetIndex index = new_index("xsp-bench", {"infer"});
  index.add({.command = {"infer"}, .parameters = {{"batch", "4"}}});
  REQUIRE(write_index(folder.path(), index).ok());
  CHECK_FALSE(read_swept_threads(folder.path()).has_value());

  index.add({.command = {"infer"}, .parameters = {{"threads", "4"}}});
  REQUIRE(write_index(folder.path(), index).ok());
  auto swept = read_swept_threads(folder.path());
  REQUIRE(swept.has_value());
  CHECK_FALSE(swept->by_variables);

  index.add({.command = {"infer"}, .parameters = {{"threads", "2"}}, .variables = own_thread_variables()});
  REQUIRE(write_index(folder.path(), index).ok());
  swept = read_swept_threads(folder.path());
  REQUIRE(swept.has_value());
  CHECK(swept->by_variables);
  CHECK(swept->kind == ThreadKind::kIntra);

  index.add(
      {.command = {"infer"}, .parameters = {{"threads", "2"}}, .variables = thread_variables(2, ThreadKind::kInter)});
  REQUIRE(write_index(folder.path(), index).ok());
  CHECK(read_swept_threads(folder.path())->kind == ThreadKind::kInter);
}

TEST_CASE("an index that is damaged or strange is no sweep over threads") {
  const xsp::test::TemporaryFolder folder;
  for (const char* text : {"", "{", "3", R"({"runs": 3})", R"({"runs": [3, {}, {"parameters": 4}]})",
                           R"({"runs": [{"parameters": {"threads": 4}}]})"}) {
    INFO(text);
    std::ofstream(folder / "set.json") << text;
    CHECK_FALSE(read_swept_threads(folder.path()).has_value());
  }
}
