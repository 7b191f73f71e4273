#include "inject/launch/run/output_name.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/catch.h"

using xsp::launch::default_output;
using xsp::launch::expand_placeholders;
using xsp::launch::prepare_output;

namespace {

std::string expanded(const std::string& pattern) {
  std::string path;
  const auto status = expand_placeholders(pattern, 42, &path);
  return status.ok() ? path : "refused";
}

}  // namespace

TEST_CASE("placeholders") {
  setenv("XSP_TEST_RANK", "3", 1);
  CHECK(expanded("a-%p.pb") == "a-42.pb");
  CHECK(expanded("r%q{XSP_TEST_RANK}/%%.pb") == "r3/%.pb");
  CHECK(expanded("%h").find('%') == std::string::npos);
  CHECK(expanded("%t").size() == 15);
  CHECK(expanded("%q{XSP_TEST_UNSET}") == "refused");
  CHECK(expanded("%x") == "refused");
  CHECK(expanded("%") == "refused");
  CHECK(expanded("%q{open") == "refused");
}

TEST_CASE("the default name never overwrites") {
  const auto before = std::filesystem::current_path();
  std::string pattern = (before / "xsp-output-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  std::filesystem::current_path(folder);
  CHECK(default_output({"python", "infer.py"}, 7) == "xsp-infer-7.pb");
  std::ofstream("xsp-infer-7.pb") << "x";
  CHECK(default_output({"python", "infer.py"}, 7) == "xsp-infer-7.1.pb");
  std::ofstream("xsp-infer-7.1.pb.partial") << "x";
  CHECK(default_output({"python", "infer.py"}, 7) == "xsp-infer-7.2.pb");

  CHECK_FALSE(prepare_output("xsp-infer-7.pb", false).ok());
  CHECK(prepare_output("xsp-infer-7.pb", true).ok());
  CHECK_FALSE(prepare_output("xsp-infer-7.pb/x.pb", false).ok());
  CHECK_FALSE(prepare_output("", false).ok());
  CHECK_FALSE(prepare_output(folder.string(), true).ok());
  CHECK(prepare_output("new/folders/x.pb", false).ok());
  CHECK(std::filesystem::is_directory("new/folders"));
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}
