#include "inject/bench/batch_doubling.h"

#include "test/catch.h"

using xsp::bench::Decimal;
using xsp::bench::doubled;
using xsp::bench::end_by_rule;
using xsp::bench::PointThroughput;
using xsp::bench::text_of;

namespace {

/// The batch behind which a doubling over these throughputs ends.
std::string last_batch(const std::vector<double>& throughputs) {
  std::vector<PointThroughput> points;
  int batch = 1;
  for (const double throughput : throughputs) {
    points.push_back({std::to_string(batch), throughput});
    if (!end_by_rule("batch", points).empty()) return points.back().value;
    batch *= 2;
  }
  return "none";
}

}  // namespace

TEST_CASE("a doubling ends behind the first rise of no more than 5 %") {
  // The paper's ResNet-50 v1.5 on a V100: the rule has 64.
  CHECK(last_batch({161.0, 292.7, 470.3, 624.9, 730.6, 813.7, 865.1, 898.9, 930.7}) == "128");
  CHECK(last_batch({100, 105}) == "2");
  CHECK(last_batch({100, 105.1, 110.3}) == "4");
  CHECK(last_batch({100, 90}) == "2");
  CHECK(last_batch({100}) == "none");
}

TEST_CASE("the end of a doubling says what was seen") {
  CHECK(end_by_rule("batch", {{"64", 1000}, {"128", 1031.4}}) ==
        "batch=128 has 1031 inputs/s, +3.1 % over batch=64: no rise of more than 5 %");
}

TEST_CASE("a value is doubled up to the largest one") {
  const Decimal three = {3'000'000'000, 0};
  CHECK(text_of(*doubled(three, std::nullopt)) == "6");
  CHECK(text_of(*doubled({500'000'000, 1}, std::nullopt)) == "1.0");
  CHECK(doubled(three, Decimal{6'000'000'000, 0}).has_value());
  CHECK_FALSE(doubled(three, Decimal{5'000'000'000, 0}).has_value());
  CHECK_FALSE(doubled({600'000'000'000'000'000, 0}, std::nullopt).has_value());
}
