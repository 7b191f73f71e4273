#include "inject/bench/options.h"
#include "test/catch.h"
#include "test/contains.h"

using xsp::bench::Options;
using xsp::bench::parse_options;
using xsp::test::contains;

namespace {

xsp::Status parse_threads_sweep(std::vector<std::string> words, Options* options) {
  std::vector<char*> argv = {const_cast<char*>("xsp-bench")};
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data(), options);
}

Options threads_sweep(const std::vector<std::string>& words) {
  Options options;
  const auto status = parse_threads_sweep(words, &options);
  INFO(status.error);
  CHECK(status.ok());
  return options;
}

std::string threads_refusal(const std::vector<std::string>& words) {
  Options options;
  return parse_threads_sweep(words, &options).error;
}

}  // namespace

TEST_CASE("--threads needs no parameter in the command, and has three runs of a point unless told otherwise") {
  const Options options = threads_sweep({"--threads", "--interval", "2", "--max", "8", "--validate", "--", "./serve"});
  CHECK(options.threads);
  CHECK(options.interval == 2);
  CHECK(options.validate);
  CHECK(options.runs == 3);
  REQUIRE(options.most.has_value());
  CHECK(value_of(*options.most) == 8);
  REQUIRE(options.parameters.size() == 1);
  CHECK(options.parameters[0].name == "threads");
  CHECK(threads_sweep({"--threads", "-r", "5", "./serve"}).runs == 5);
  CHECK(threads_sweep({"-L", "n", "1,2", "./serve", "{n}"}).runs == 1);
  CHECK(threads_sweep({"--threads", "--inter", "./serve"}).inter);
  CHECK(threads_sweep({"--threads", "./serve", "--threads", "{threads}"}).recording.command.size() == 3);
}

TEST_CASE("--threads goes with the options of a run, and not with another sweep") {
  threads_sweep({"--threads",    "-w", "1",       "-p",    "sync",   "--time-limit",  "10m",
                 "-i",           "-o", "set",     "-f",    "-q",     "--export-json", "a",
                 "--export-csv", "b",  "--level", "layer", "--stat", "min",           "./serve"});
  for (const std::vector<std::string>& other : {std::vector<std::string>{"-L", "n", "1,2"},
                                                {"-P", "n", "1", "2"},
                                                {"--auto"},
                                                {"--optimal", "max"},
                                                {"--target-latency", "20"},
                                                {"--inputs", "4"},
                                                {"--leveled"},
                                                {"--metrics", "roofline"}}) {
    std::vector<std::string> words = {"--threads"};
    words.insert(words.end(), other.begin(), other.end());
    words.insert(words.end(), {"--", "./serve", "{n}"});
    CHECK(threads_refusal(words) == "--threads does not go with " + other[0]);
  }
}

TEST_CASE("what is about numbers of threads is refused without them, and odd numbers with them") {
  CHECK(contains(threads_refusal({"--interval", "2", "-L", "n", "1", "x", "{n}"}), "--interval goes with --threads"));
  CHECK(contains(threads_refusal({"--validate", "--auto", "x", "{batch}"}), "--validate goes with --threads"));
  CHECK(contains(threads_refusal({"--inter", "--auto", "x", "{batch}"}), "--inter goes with --threads"));
  CHECK(contains(threads_refusal({"--max", "4", "-L", "n", "1", "x", "{n}"}), "--max goes with --auto or --threads"));
  for (const char* odd : {"0", "-4", "1.5", "x", "5000"}) {
    CHECK(contains(threads_refusal({"--threads", "--max", odd, "x"}), "is no number of threads"));
  }
  CHECK(contains(threads_refusal({"--threads", "--interval", "0", "x"}), "--interval"));
  CHECK(contains(threads_refusal({"--threads"}), "no command given"));
}
