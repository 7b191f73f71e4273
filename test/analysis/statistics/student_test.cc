#include "analysis/statistics/student.h"

#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("quantiles of Student's t are those of the tables") {
  CHECK(student_quantile(1) == Approx(12.706).epsilon(1e-4));
  CHECK(student_quantile(2) == Approx(4.303).epsilon(1e-3));
  CHECK(student_quantile(3) == Approx(3.182).epsilon(0.01));
  CHECK(student_quantile(4) == Approx(2.776).epsilon(0.005));
  CHECK(student_quantile(9) == Approx(2.262).epsilon(1e-3));
  CHECK(student_quantile(30) == Approx(2.042).epsilon(1e-3));
  CHECK(student_quantile(1e6) == Approx(1.960).epsilon(1e-4));
  CHECK(student_quantile(0.2) == student_quantile(1));
  CHECK((student_quantile(1.5) < student_quantile(1) && student_quantile(1.5) > student_quantile(2)));
}

}  // namespace
}  // namespace xsp::analysis
