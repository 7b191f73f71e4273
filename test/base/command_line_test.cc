#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <array>

#include "base/file_kind.h"
#include "base/similar_words.h"
#include "test/catch.h"

namespace xsp {
namespace {

using Words = std::vector<std::string>;

const Words kFormats = {"text", "json", "csv", "html"};

TEST_CASE("the distance of two words counts changes, and two letters swapped as one") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("json", "") == 4);
  CHECK(edit_distance("json", "jsn") == 1);
  CHECK(edit_distance("json", "josn") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a slip of the keyboard leads to the word that was meant") {
  CHECK(nearest_word("jsn", kFormats) == "json");
  CHECK(nearest_word("JSON", kFormats) == "json");
  CHECK(nearest_word("htm", kFormats) == "html");
  CHECK(nearest_word("max_size", Words{"--max-rate", "--max-size"}) == "--max-size");
  CHECK(nearest_word("kernels", Words{"kernel", "memcpy"}) == "kernel");
  CHECK(nearest_word("orchestra", kFormats).empty());
  CHECK(nearest_word("x", kFormats).empty());
  CHECK(nearest_word("", kFormats).empty());
  CHECK(nearest_word(std::string(100'000, 'j'), kFormats).empty());
  CHECK(choice_hint("jsn", kFormats) == "did you mean json? Known: text, json, csv, html");
  CHECK(choice_hint("xml", kFormats, "pN") == "known: text, json, csv, html, pN");
}

Status parse(const Words& arguments) {
  CLI::App app;
  std::string format;
  Words pair;
  bool quiet = false;
  size_t top = 0;
  app.set_help_flag();
  auto* const form = app.add_option("-f,--format", format)->check(one_of(kFormats));
  app.add_option("--pair", pair)->type_size(2);
  app.add_option("--top", top)->check(whole_number(0));
  app.add_option("--runs", top)->check(whole_number(1, 10));
  app.add_option("--plain-number", top);
  app.add_option("--needy", top)->needs(form);
  app.add_flag("-q,--quiet", quiet)->excludes(form);
  return parse_command_line(&app, arguments, "see the help");
}

TEST_CASE("what is wrong with a command line is said in one sentence, with what was meant") {
  struct Case {
    Words arguments;
    std::string error;
    std::string hint;
  };
  const std::array cases = {
      Case{{"--formt", "json"}, "unknown option --formt", "did you mean --format?"},
      Case{{"--formt=json"}, "unknown option --formt", "did you mean --format?"},
      Case{{"-format"}, "--format: unknown value 'ormat'", "known: text, json, csv, html"},
      Case{{"-x"}, "unknown option -x", "see the help"},
      Case{{"quiet"}, "unexpected argument 'quiet'", "did you mean --quiet?"},
      Case{{"start"}, "unexpected argument 'start'", "see the help"},
      Case{{"--format", "jsn"}, "--format: unknown value 'jsn'", "did you mean json? Known: text, json, csv, html"},
      Case{{"--format"}, "--format needs a value", "see the help"},
      Case{{"--pair", "1"}, "--pair needs 2 values", "see the help"},
      Case{{"--format", "csv", "--format", "csv"}, "--format is given more than once", "give it once"},
      Case{{"--top", "-1"}, "--top: '-1' is not a whole number from 0 on", "see the help"},
      Case{{"--runs", "11"}, "--runs: '11' is not a whole number from 1 to 10", "see the help"},
      Case{{"--plain-number", "x"}, "--plain-number: 'x' is not a number", "see the help"},
      Case{{"--quiet=maybe"}, "--quiet takes no value", "give it alone"},
      Case{{"--needy", "1"}, "--needy needs --format", "see the help"},
      Case{{"-q", "-f", "csv"}, "--format does not go with --quiet", "leave out one of the two"},
  };
  for (const Case& one : cases) {
    const Status status = parse(one.arguments);
    CHECK(status.error == one.error);
    CHECK(status.hint == one.hint);
  }
  CHECK(parse({"-f", "json", "--top", "3"}).ok());
}

TEST_CASE("a file that was given by mistake is known by its name or its first bytes") {
  using namespace std::string_view_literals;
  CHECK(file_kind("r.nsys-rep", "\x01\x02").hint ==
        "nsys export --type sqlite -o r.sqlite r.nsys-rep && xsp-import r.sqlite");
  CHECK(file_kind("a b.json", "{\"traceEvents\": []}").hint == "xsp-import 'a b.json'");
  CHECK(file_kind("x.json.gz", "\x1f\x8b\x08").importable);
  CHECK(file_kind("x", "SQLite format 3\0"sv).importable);
  CHECK(file_kind("model.pt", "PK\x03\x04").name == "a PyTorch model");
  CHECK(file_kind("a.zip", "PK\x03\x04").hint == "unpack it first: unzip a.zip");
  CHECK(file_kind("infer.py", "import torch\n").hint == "xsp-run -- python3 infer.py");
  CHECK(file_kind("tool",
                  "\x7f"
                  "ELF")
            .hint == "xsp-run -- ./tool");
  CHECK(file_kind("run.pb", "\x0a\x10\x0a\x07xsp-run").hint == "xsp-report run.pb");
  CHECK(file_kind("d.pickle", "\x80\x04\x95").name == "a Python pickle");
  CHECK(file_kind("notes", "hello\n").name == "text");
  CHECK(file_kind("x", "\x01\x02\x03").name.empty());
  CHECK(file_kind("x", "").name.empty());
}

}  // namespace
}  // namespace xsp
