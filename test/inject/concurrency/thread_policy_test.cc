#include "inject/concurrency/thread_policy.h"

#include <fstream>
#include <string>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace {

using xsp::guest::ThreadPolicy;

bool parse_policy(ThreadPolicy& policy, std::string& text) {
  text.push_back('\0');
  return policy.parse(text.data(), text.size() - 1);
}

TEST_CASE("a policy has a number for models, for types of layers and for sessions") {
  std::string text =
      "xsp-threads\t1\nown\t4\nwhole\t2\ntype\tConv2d\t3\ntype\todd%25%09name\t1\nsessions-intra\t5\nsessions-inter\t6";
  ThreadPolicy policy{};
  REQUIRE(parse_policy(policy, text));
  CHECK(policy.whole() == 2);
  CHECK(policy.of_type("Conv2d") == 3);
  CHECK(policy.of_type("odd%\tname") == 1);
  CHECK(policy.of_type("Conv") == 0);
  CHECK(policy.sessions_intra() == 5);
  CHECK(policy.sessions_inter() == 6);
}

TEST_CASE("lines that say nothing usable are passed over") {
  std::string text =
      "xsp-threads\t1\n\nwhole\ntype\ntype\tA\ntype\t\t3\ntype\tB\t0\ntype\tC\tmany\ntype\tD%"
      "4\t2\ntype\tE\t99999\nnews\t1\n";
  ThreadPolicy policy{};
  REQUIRE(parse_policy(policy, text));
  CHECK(policy.whole() == 0);
  CHECK_FALSE(policy.has_types());
}

TEST_CASE("other files are no policy") {
  ThreadPolicy policy{};
  for (std::string text : {"", "whole\t2\n", "xsp-threads\t2\nwhole\t2\n",
                           "\x7f"
                           "ELF"})
    CHECK_FALSE(parse_policy(policy, text));
  CHECK(policy.whole() == 0);
}

TEST_CASE("types beyond the most are passed over") {
  std::string text = "xsp-threads\t1\n";
  for (int i = 0; i < 400; ++i) text += "type\tT" + std::to_string(i) + "\t2\n";
  ThreadPolicy policy{};
  REQUIRE(parse_policy(policy, text));
  CHECK(policy.of_type("T255") == 2);
  CHECK(policy.of_type("T256") == 0);
}

TEST_CASE("a policy is read from a file, unless it is missing or too large") {
  const xsp::test::TemporaryFolder folder;
  const std::string path = folder / "policy";
  ThreadPolicy policy{};
  CHECK_FALSE(policy.read(path.c_str()));
  std::ofstream(path) << "xsp-threads\t1\nwhole\t7\n";
  CHECK(policy.read(path.c_str()));
  CHECK(policy.whole() == 7);
  std::ofstream(path, std::ios::app) << std::string(ThreadPolicy::kMostFileBytes, '\n');
  CHECK_FALSE(policy.read(path.c_str()));
}

}  // namespace
