#include "inject/bench/options.h"

#include "test/catch.h"
#include "test/contains.h"

using xsp::bench::Options;
using xsp::bench::parse_options;

namespace {

using Words = std::vector<std::string>;

xsp::Status parse(Words words, Options* options) {
  std::vector<char*> argv = {const_cast<char*>("xsp-bench")};
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data(), options);
}

Options parsed(const Words& words) {
  Options options;
  const auto status = parse(words, &options);
  INFO(status.error);
  CHECK(status.ok());
  return options;
}

std::string refusal(const Words& words) {
  Options options;
  const auto status = parse(words, &options);
  return status.error;
}

}  // namespace

TEST_CASE("parameters are read as hyperfine reads them, in the order given") {
  const Options options =
      parsed({"-L", "a", "1,2", "-P", "n", "1", "3", "--parameter-list", "b", "x", "./run", "{a}{b}{n}", "-L"});
  REQUIRE(options.parameters.size() == 3);
  CHECK(options.parameters[0].name == "a");
  CHECK(options.parameters[1].name == "n");
  CHECK(options.parameters[1].values == Words{"1", "2", "3"});
  CHECK(options.parameters[2].name == "b");
  CHECK(options.recording.command == Words{"./run", "{a}{b}{n}", "-L"});
}

TEST_CASE("values of options may look like options") {
  CHECK(parsed({"-P", "n", "-2", "-1", "--", "./run", "{n}"}).parameters[0].values == Words{"-2", "-1"});
  CHECK(parsed({"-L", "flag", "--half,--full", "--", "./run", "{flag}"}).parameters[0].values ==
        Words{"--half", "--full"});
}

TEST_CASE("options may be joined with their values") {
  const Options options =
      parsed({"-qr3", "--inputs=5", "-Lbatch", "1", "--parameter-scan=n", "1", "2", "./run", "{batch}", "{n}"});
  CHECK(options.recording.quiet);
  CHECK(options.runs == 3);
  CHECK(options.inputs.at({}) == 5);
  CHECK(options.parameters.size() == 2);
  CHECK(options.recording.command == Words{"./run", "{batch}", "{n}"});
}

TEST_CASE("a step belongs to its scan") {
  const Options options =
      parsed({"-P", "a", "0", "4", "-D", "2", "-P", "b", "0", "6", "-D", "3", "./run", "{a}", "{b}"});
  CHECK(options.parameters[0].values == Words{"0", "2", "4"});
  CHECK(options.parameters[1].values == Words{"0", "3", "6"});
  CHECK(xsp::test::contains(refusal({"-D", "2", "-L", "a", "1", "./run", "{a}"}), "more steps than scans"));
}

TEST_CASE("--auto doubles one parameter from its first value") {
  const Options options = parsed({"--auto", "./run", "{batch}"});
  CHECK(options.automatic);
  CHECK(options.parameters[0].name == "batch");
  CHECK(options.parameters[0].values == Words{"1"});
  CHECK(parsed({"--auto", "-L", "size", "8", "--max", "64", "./run", "{size}"}).most->billionths == 64'000'000'000);
  CHECK(
      xsp::test::contains(refusal({"--auto", "-L", "batch", "1,2", "./run", "{batch}"}), "first value of batch only"));
  CHECK(xsp::test::contains(refusal({"--auto", "-L", "batch", "a", "./run", "{batch}"}), "cannot be doubled"));
  CHECK(xsp::test::contains(refusal({"--auto", "-L", "batch", "0", "./run", "{batch}"}), "cannot be doubled"));
  CHECK(xsp::test::contains(refusal({"--auto", "-L", "a", "1", "-L", "b", "1", "./run", "{a}{b}"}), "one parameter"));
  CHECK(xsp::test::contains(refusal({"--auto", "--max", "0.5", "./run", "{batch}"}), "no number from 1 on"));
  CHECK(xsp::test::contains(refusal({"--max", "8", "-L", "batch", "1", "./run", "{batch}"}), "--max goes with --auto"));
}

TEST_CASE("what cannot be swept is refused before anything runs") {
  CHECK(xsp::test::contains(refusal({}), "no command given"));
  CHECK(xsp::test::contains(refusal({"./run", "{batch}"}), "no parameter to sweep"));
  CHECK(xsp::test::contains(refusal({"-L", "batch", "1,2", "./run", "--batch", "8"}),
                            "{batch} is nowhere in the command"));
  CHECK(xsp::test::contains(refusal({"--auto", "./run"}), "{batch} is nowhere in the command"));
  CHECK(xsp::test::contains(refusal({"-L", "a", "1", "-L", "a", "2", "./run", "{a}"}), "a is given twice"));
  CHECK(xsp::test::contains(refusal({"-L", "run", "1", "./run", "{run}"}), "number of the run"));
  CHECK(xsp::test::contains(refusal({"-r", "1000", "-P", "n", "1", "1000", "./run", "{n}"}), "1000000 runs"));
  CHECK(xsp::test::contains(refusal({"--time-limit", "soon", "-L", "a", "1", "./run", "{a}"}), "no time"));
  CHECK(refusal({"-L", "batch"}) != "");
  CHECK(refusal({"--bogus", "-L", "a", "1", "./run", "{a}"}) != "");
  CHECK(refusal({"-r", "0", "-L", "a", "1", "./run", "{a}"}) != "");
}

TEST_CASE("the latency target is one rule for the optimal batch") {
  CHECK(parsed({"--target-latency", "20", "--auto", "./run", "{batch}"}).optimal == "latency=20");
  CHECK(parsed({"--optimal", "max", "--auto", "./run", "{batch}"}).optimal == "max");
  CHECK(xsp::test::contains(refusal({"--target-latency", "fast", "--auto", "./run", "{batch}"}),
                            "no number of milliseconds"));
  CHECK(xsp::test::contains(refusal({"--optimal", "best", "--auto", "./run", "{batch}"}), "unknown rule"));
  CHECK(xsp::test::contains(refusal({"--optimal", "max", "--target-latency", "20", "--auto", "./run", "{batch}"}),
                            "the same"));
}

TEST_CASE("the statistic is one that the report knows") {
  CHECK(parsed({"--stat", "p99.9", "--auto", "./run", "{batch}"}).statistic == "p99.9");
  CHECK(parsed({"--stat=min", "--auto", "./run", "{batch}"}).statistic == "min");
  CHECK(xsp::test::contains(refusal({"--stat", "mode", "--auto", "./run", "{batch}"}), "unknown statistic"));
  CHECK(xsp::test::contains(refusal({"--stat", "p101", "--auto", "./run", "{batch}"}), "unknown statistic"));
}

TEST_CASE("what is recorded is said in the words of xsp-run, and checked") {
  CHECK(parsed({"-l", "layer", "--auto", "./run", "{batch}"}).recording.level == "layer");
  CHECK(xsp::test::contains(refusal({"-l", "layer", "--leveled", "--auto", "./run", "{batch}"}), "--leveled"));
  CHECK(xsp::test::contains(refusal({"-l", "layer", "--metrics", "roofline", "--auto", "./run", "{batch}"}),
                            "--level kernel"));
  CHECK(refusal({"--metrics", "roofline,", "--auto", "./run", "{batch}"}) != "");
  CHECK(refusal({"--activities", "dreams", "--auto", "./run", "{batch}"}) != "");
}
