#include "inject/launch/options.h"

#include <algorithm>

#include "test/catch.h"

using xsp::launch::Options;
using xsp::launch::parse_options;
using xsp::launch::Summary;

namespace {

Options parsed(std::vector<std::string> words) {
  std::vector<char*> argv = {const_cast<char*>("xsp-run")};
  for (std::string& word : words) argv.push_back(word.data());
  Options options;
  const auto failure = parse_options(static_cast<int>(argv.size()), argv.data(), &options);
  CHECK_FALSE(failure.has_value());
  return options;
}

int exit_code_for(std::vector<std::string> words) {
  std::vector<char*> argv = {const_cast<char*>("xsp-run")};
  for (std::string& word : words) argv.push_back(word.data());
  Options options;
  const auto failure = parse_options(static_cast<int>(argv.size()), argv.data(), &options);
  return failure ? failure->exit_code : 0;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("options end at the first argument that is none") {
  const Options options = parsed({"-q", "python", "infer.py", "-o", "x", "--level", "model"});
  CHECK(options.quiet);
  CHECK(options.output.empty());
  CHECK(options.level.empty());
  CHECK(options.command == Words{"python", "infer.py", "-o", "x", "--level", "model"});
}

TEST_CASE("options end at --") {
  CHECK(parsed({"--", "-strange-name", "--"}).command == Words{"-strange-name", "--"});
  CHECK(parsed({"-f", "-o", "--", "--", "true"}).output == "--");
}

TEST_CASE("a value may follow its option in every usual form") {
  CHECK(parsed({"-o", "a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"-oa.pb", "true"}).output == "a.pb");
  CHECK(parsed({"-fo", "a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"--output=a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"--output", "a.pb", "true"}).command == Words{"true"});
  CHECK(parsed({"--library-calls", "all", "true"}).library_calls == "all");
  CHECK(parsed({"--summary", "none", "true"}).summary == Summary::kNone);
}

TEST_CASE("no command, unknown options and unknown values are usage errors") {
  CHECK(exit_code_for({}) == 125);
  CHECK(exit_code_for({"-o", "x.pb"}) == 125);
  CHECK(exit_code_for({"--bogus", "true"}) == 125);
  CHECK(exit_code_for({"--level", "atom", "true"}) == 125);
  CHECK(exit_code_for({"--library-calls", "some", "true"}) == 125);
  CHECK(exit_code_for({"--summary", "some", "true"}) == 125);
  CHECK(exit_code_for({"--collector", "s", "-o", "x.pb", "true"}) == 125);
  CHECK(exit_code_for({"--check"}) == 0);
}

TEST_CASE("the help names every option and fits one screen") {
  const std::string help = xsp::launch::help_text();
  for (const char* option : {"--output", "--force", "--quiet", "--level", "--library-calls", "--no-children",
                             "--on-full", "--summary", "--strict", "--collector", "--check", "--help", "--version"}) {
    INFO(option);
    CHECK(help.find(option) != std::string::npos);
  }
  CHECK(std::count(help.begin(), help.end(), '\n') <= 32);
}
