#include "inject/launch/check/python_facts.h"

#include "test/catch.h"

namespace {

using xsp::launch::kFactsMark;
using xsp::launch::parse_python_facts;

std::string told(const std::string& json) { return "a banner" + std::string(kFactsMark) + json + "\nbye\n"; }

TEST_CASE("facts stand behind the last mark, up to the end of the line") {
  const auto facts = parse_python_facts(
      told(R"({"version": "0"})") +
      told(R"({"implementation": "cpython", "version": "3.11.7", "executable": "/bin/p", "shared": true,
"audit_hook": true, "cupti_folders": ["/a", 1], "frameworks": {}})") +
      told(
          R"({"implementation": "cpython", "version": "3.12.1", "executable": "/bin/p", "shared": true, "audit_hook": true, )"
          R"("cupti_folders": ["/a", 1, "/b"], "frameworks": {"torch": {"version": "2.1", "cuda": true, "libc10": "/c"}, )"
          R"("mxnet": {"version": "1.9.1", "libraries": ["/m", 1]}}})"));
  REQUIRE(facts);
  CHECK(facts->implementation == "cpython");
  CHECK(facts->version == "3.12.1");
  CHECK((facts->is_shared && facts->has_audit_hook));
  CHECK(facts->cupti_folders == std::vector<std::string>{"/a", "/b"});
  REQUIRE(facts->frameworks.size() == 2);
  CHECK(facts->frameworks.at("mxnet").libraries == std::vector<std::string>{"/m"});
  CHECK(facts->frameworks.at("torch").version == "2.1");
  CHECK(facts->frameworks.at("torch").is_for_cuda);
  CHECK(facts->frameworks.at("torch").libc10 == "/c");
}

TEST_CASE("what is no answer gives no facts") {
  CHECK_FALSE(parse_python_facts("{}"));
  CHECK_FALSE(parse_python_facts(told("")));
  CHECK_FALSE(parse_python_facts(told("[]")));
  CHECK_FALSE(parse_python_facts(told("{\"version\": ")));
  CHECK_FALSE(parse_python_facts(told("{\"version\": \"\xff\"}")));
}

TEST_CASE("members of another type count as missing") {
  const auto facts = parse_python_facts(told(
      R"({"version": 3, "shared": "yes", "cupti_folders": {}, "frameworks": {"torch": [], "jax": {"version": null}}})"));
  REQUIRE(facts);
  CHECK(facts->version.empty());
  CHECK_FALSE(facts->is_shared);
  CHECK(facts->cupti_folders.empty());
  CHECK(facts->frameworks.size() == 1);
  CHECK(facts->frameworks.at("jax").version.empty());
}

}  // namespace
