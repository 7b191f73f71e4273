#include "inject/bench/threads_sweep.h"

#include "inject/bench/thread_counts.h"
#include "test/catch.h"

using xsp::bench::counts_to_climb;
using xsp::bench::default_interval;
using xsp::bench::have_curves_ended;
using xsp::bench::own_threads;
using xsp::bench::stage_counts;
using xsp::bench::ThreadRange;

namespace {

using Counts = std::vector<uint32_t>;

std::string e1(const std::string& rows, const std::string& search) {
  return R"({"E1": {"columns": [], "rows": [)" + rows + R"(], "search": {"cores": 8)" + search + "}}}";
}

}  // namespace

TEST_CASE("numbers of threads go from 1 by the interval to the last, which may be nearer") {
  CHECK(counts_to_climb(1, 1) == Counts{1});
  CHECK(counts_to_climb(2, 1) == Counts{1, 2});
  CHECK(counts_to_climb(8, 4) == Counts{1, 5, 8});
  CHECK(counts_to_climb(9, 4) == Counts{1, 5, 9});
  CHECK(counts_to_climb(4, 4096) == Counts{1, 4});
  // The paper's 68 cores, at its four intervals: 35, 18, 10 and 6 probes.
  CHECK(counts_to_climb(68, 2).size() == 35);
  CHECK(counts_to_climb(68, 4).size() == 18);
  CHECK(counts_to_climb(68, 8).size() == 10);
  CHECK(counts_to_climb(68, 16).size() == 6);
  CHECK(default_interval(1) == 1);
  CHECK(default_interval(23) == 1);
  CHECK(default_interval(24) == 2);
  CHECK(default_interval(68) == 4);
}

TEST_CASE("the program's own number is that of OpenMP: the user's variable, else the processors it may use") {
  CHECK(own_threads(nullptr, 4) == 4);
  CHECK(own_threads("", 4) == 4);
  CHECK(own_threads("2", 4) == 2);
  CHECK(own_threads("3,2", 4) == 3);
  for (const char* odd : {"0", "-2", "x", "2x", "99999999999", " 2"}) {
    INFO(odd);
    CHECK(own_threads(odd, 4) == 4);
  }
  CHECK(own_threads(nullptr, 0) == 1);
}

TEST_CASE("in a stage a number takes turns with the next one and with the program's own") {
  const ThreadRange range = {.usable = 8, .last = 8, .interval = 3, .own = 8, .climbed = {1, 4, 7, 8}};
  CHECK(stage_counts(range, 0) == Counts{1, 4, 8});
  CHECK(stage_counts(range, 1) == Counts{4, 7, 8});
  CHECK(stage_counts(range, 2) == Counts{7, 8});
  CHECK(stage_counts({.own = 2, .climbed = {1, 2}}, 0) == Counts{1, 2});
  CHECK(stage_counts({.own = 1, .climbed = {1}}, 0) == Counts{1});
  CHECK(stage_counts({.own = 4, .climbed = {1}}, 0) == Counts{1, 4});
}

TEST_CASE("the report tells when all curves have ended") {
  CHECK(have_curves_ended(e1("[1]", R"(, "ended": true, "next": null)")) == true);
  CHECK(have_curves_ended(e1("[1]", R"(, "ended": false, "next": 4)")) == false);
  CHECK_FALSE(have_curves_ended(e1("[1]", "")).has_value());
  CHECK_FALSE(have_curves_ended(e1("[1]", R"(, "ended": 1)")).has_value());
  CHECK_FALSE(have_curves_ended(e1("", R"(, "ended": true)")).has_value());
  CHECK_FALSE(have_curves_ended("").has_value());
}
