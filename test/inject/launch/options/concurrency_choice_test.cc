#include <fstream>

#include "inject/launch/options/options.h"
#include "test/catch.h"
#include "test/contains.h"
#include "test/temporary_folder.h"

using xsp::launch::Concurrency;
using xsp::launch::Options;
using xsp::launch::parse_options;
using xsp::test::contains;

namespace {

xsp::Status parse_threads(std::vector<std::string> words, Options* options) {
  std::vector<char*> argv = {const_cast<char*>("xsp-run")};
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data(), options);
}

Options threads_parsed(const std::vector<std::string>& words) {
  Options options;
  const auto status = parse_threads(words, &options);
  INFO(status.error);
  CHECK(status.ok());
  return options;
}

xsp::Status threads_refused(const std::vector<std::string>& words) {
  Options options;
  auto status = parse_threads(words, &options);
  CHECK_FALSE(status.ok());
  return status;
}

}  // namespace

TEST_CASE("--concurrency measures, or applies what is measured first or was measured before") {
  CHECK(threads_parsed({"true"}).concurrency == Concurrency::kNone);
  const Options measure = threads_parsed({"--concurrency", "measure", "--interval", "2", "--validate", "true"});
  CHECK(measure.concurrency == Concurrency::kMeasure);
  CHECK(measure.interval == 2);
  CHECK(measure.validate);
  const Options apply = threads_parsed({"--concurrency=apply", "--interval", "4", "true"});
  CHECK(apply.concurrency == Concurrency::kApply);
  CHECK(apply.advice_set.empty());
  const xsp::test::TemporaryFolder folder;
  const std::string trace = folder / "a=b.pb";
  std::ofstream(trace) << "trace";
  CHECK(threads_parsed({"--concurrency", "apply=" + trace, "true"}).advice_set == trace);
  CHECK(threads_parsed({"--concurrency", "apply=" + folder.path(), "true"}).advice_set == folder.path());
}

TEST_CASE("--concurrency takes two words, and a trace that can be read") {
  CHECK(contains(threads_refused({"--concurrency", "mesure", "true"}).hint, "did you mean measure?"));
  CHECK(contains(threads_refused({"--concurrency", "", "true"}).error, "unknown way ''"));
  CHECK(contains(threads_refused({"--concurrency", "measure=x.pb", "true"}).error, "takes no x.pb"));
  CHECK(contains(threads_refused({"--concurrency", "apply=", "true"}).error, "names no trace"));
  CHECK(contains(threads_refused({"--concurrency", "apply=/no/such", "true"}).error, "cannot read /no/such"));
}

TEST_CASE("--concurrency is refused with what leaves out calls, makes several runs or writes elsewhere") {
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--continuous"},
                                                {"--sample", "1/10"},
                                                {"--max-overhead", "1"},
                                                {"--max-rate", "1M"},
                                                {"--leveled"},
                                                {"--runs", "3"},
                                                {"--resolve"},
                                                {"--metrics", "roofline"},
                                                {"--serialize"},
                                                {"--collector", "x.sock"}}) {
    for (const char* way : {"measure", "apply"}) {
      std::vector<std::string> words = other;
      words.insert(words.end(), {"--concurrency", way, "true"});
      const auto status = threads_refused(words);
      CHECK(status.error == "--concurrency does not go with " + other[0]);
      CHECK_FALSE(status.hint.empty());
    }
  }
  CHECK(threads_parsed({"--concurrency", "measure", "--level", "model", "true"}).level == "model");
  CHECK(threads_parsed({"--concurrency", "measure", "--no-children", "true"}).no_children);
}

TEST_CASE("--interval and --validate are about measuring") {
  const xsp::test::TemporaryFolder folder;
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--interval", "2"}, {"--validate"}}) {
    std::vector<std::string> words = option;
    words.emplace_back("true");
    CHECK(contains(threads_refused(words).error, option[0] + " goes with --concurrency measure"));
    words = option;
    words.insert(words.end(), {"--concurrency", "apply=" + folder.path(), "true"});
    CHECK(contains(threads_refused(words).error, option[0] + " does not go with --concurrency apply="));
  }
  for (const char* wrong : {"0", "-1", "x", "1.5", "999999"}) {
    CHECK(contains(threads_refused({"--concurrency", "measure", "--interval", wrong, "true"}).error, "--interval"));
  }
}

TEST_CASE("the trace that advises is not written over") {
  const xsp::test::TemporaryFolder folder;
  const std::string trace = folder / "run.pb";
  std::ofstream(trace) << "trace";
  const auto status = threads_refused({"-f", "-o", trace, "--concurrency", "apply=" + trace, "true"});
  CHECK(contains(status.error, "name the same trace"));
}
