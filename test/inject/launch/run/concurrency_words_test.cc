#include "inject/launch/run/concurrency_words.h"

#include "inject/launch/run/environment.h"
#include "test/catch.h"

using xsp::launch::command_environment;
using xsp::launch::Concurrency;
using xsp::launch::concurrency_words;
using xsp::launch::Options;
using xsp::launch::record_words;

namespace {

std::vector<std::string> values_named(const std::vector<std::string>& environment, const std::string& name) {
  std::vector<std::string> values;
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) values.push_back(entry.substr(name.size() + 1));
  }
  return values;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the guest is told what to do about threads in words") {
  Options options;
  CHECK(concurrency_words(options, "/p").empty());
  options.concurrency = Concurrency::kMeasure;
  CHECK(concurrency_words(options, "") == "measure");
  options.usable_cores = 8;
  options.interval = 2;
  options.validate = true;
  CHECK(concurrency_words(options, "") == "measure cores=8 interval=2 validate");
  options.concurrency = Concurrency::kApply;
  CHECK(concurrency_words(options, "").empty());
  CHECK(concurrency_words(options, "/tmp/50% of\tit") == "apply=/tmp/50%25%20of%09it cores=8");
  CHECK(record_words({}) == "record");
  CHECK(record_words({.intra = 2}) == "record sessions-intra=2");
  CHECK(record_words({.intra = 1, .inter = 4}) == "record sessions-intra=1 sessions-inter=4");
}

TEST_CASE("words of an xsp-run around this one are not passed on, and variables of a sweep replace all others") {
  setenv("XSP_CONCURRENCY", "measure cores=64", 1);
  setenv("OMP_NUM_THREADS", "7", 1);
  Options options;
  const auto plain = command_environment(options, {"/x/lib.so", "/s", "/d", 42});
  CHECK(values_named(plain, "XSP_CONCURRENCY").empty());
  CHECK(values_named(plain, "OMP_NUM_THREADS") == Words{"7"});
  options.variables = {{"OMP_NUM_THREADS", "3"}, {"XSP_CONCURRENCY", "record sessions-intra=3"}};
  const auto swept = command_environment(options, {"/x/lib.so", "/s", "/d", 42});
  CHECK(values_named(swept, "OMP_NUM_THREADS") == Words{"3"});
  CHECK(values_named(swept, "XSP_CONCURRENCY") == Words{"record sessions-intra=3"});
  options = {};
  options.concurrency = Concurrency::kApply;
  const auto applied = command_environment(options, {"/x/lib.so", "/s", "/d", 42, "", 0, false, "/d/threads"});
  CHECK(values_named(applied, "XSP_CONCURRENCY") == Words{"apply=/d/threads"});
  unsetenv("XSP_CONCURRENCY");
  unsetenv("OMP_NUM_THREADS");
}
