#include "bound/records/measurement.h"

#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("names of numerics and status lead back to them") {
  for (const Numerics numerics : {Numerics::kExact, Numerics::kTransform, Numerics::kReduced}) {
    CHECK(numerics_named(name_of(numerics)) == numerics);
  }
  for (const BenchmarkStatus status : {BenchmarkStatus::kOk, BenchmarkStatus::kUnsupported, BenchmarkStatus::kError,
                                       BenchmarkStatus::kTimeout, BenchmarkStatus::kImported}) {
    CHECK(status_named(name_of(status)) == status);
  }
  CHECK(name_of(Numerics::kTransform) == "transform");
  CHECK(name_of(BenchmarkStatus::kTimeout) == "timeout");
  CHECK_FALSE(numerics_named("exactly"));
  CHECK_FALSE(status_named(""));
}

TEST_CASE("processor time counts before wall time") {
  Measurement row{.min_ns = 100, .median_ns = 121};
  CHECK(row.best_ns() == 100);
  CHECK(row.is_noisy());
  row.cpu_min_ns = 90;
  CHECK(row.best_ns() == 90);
  row.median_ns = 119;
  CHECK_FALSE(row.is_noisy());
}

}  // namespace xsp::bound
