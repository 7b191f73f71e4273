#pragma once

#include <string>

#include "bound/bounds/bounds.h"
#include "bound/database/database.h"
#include "bound/model/precision_problem.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound::test {

/// A database with times of problems, and bounds from it.
class TimedProblems {
 public:
  TimedProblems() {
    REQUIRE(database_.open(folder_ / "bounds.sqlite", false).ok());
    system_.device = "test";
    look_up_.system_key = system_.key();
    look_up_.libraries = {library_};
  }

  TimedProblems& set(const std::string& problem, double ms) {
    Measurement row;
    row.problem = problem;
    row.backend = row.library = "onednn";
    row.library_version = library_.version;
    row.implementation = "jit";
    row.samples_taken = 5;
    row.min_ns = row.median_ns = row.p90_ns = ms * 1e6;
    return add(row);
  }
  TimedProblems& refuse(const std::string& problem, const std::string& why) {
    Measurement row;
    row.problem = problem;
    row.backend = row.library = "onednn";
    row.library_version = library_.version;
    row.status = BenchmarkStatus::kUnsupported;
    row.message = why;
    return add(row);
  }
  /// The problem in a precision, as the first way to write it.
  TimedProblems& set_typed(const std::string& problem, const std::string& precision, double ms) {
    const PrecisionProblem typed = in_precision(problem, precision);
    REQUIRE_FALSE(typed.problems.empty());
    return set(typed.problems.front(), ms);
  }
  TimedProblems& set_casts(const std::string& precision, int64_t elements, double into_ms, double out_ms) {
    set(casts_into(precision, elements).front(), into_ms);
    return set(casts_out_of(precision, elements).front(), out_ms);
  }

  Bounds bounds_of(const LayeredModel& model, std::vector<FusedGroup> groups = {}) const {
    std::vector<LayerTime> group_times = look_up_group_times(groups, database_, look_up_);
    return make_bounds(model, look_up_times(model, database_, look_up_),
                       {.groups = std::move(groups), .group_times = std::move(group_times)});
  }

  const Database& database() const { return database_; }
  const LookUp& look_up() const { return look_up_; }

 private:
  TimedProblems& add(const Measurement& row) {
    REQUIRE(database_.add(system_, library_, row.problem, 0, 0, {row}).ok());
    return *this;
  }

  xsp::test::TemporaryFolder folder_;
  Database database_;
  SystemFacts system_;
  Library library_{"onednn", "onednn", "3.2.0", "", "/lib/libdnnl.so.3"};
  LookUp look_up_;
};

}  // namespace xsp::bound::test
