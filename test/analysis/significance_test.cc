#include "analysis/compare/significance.h"

#include <cmath>
#include <random>
#include <vector>

#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Compared;
using analysis::judge;
using analysis::Judgement;
using analysis::Statistic;

TEST_CASE("tails of Student's distribution are those of its tables") {
  CHECK(analysis::two_sided_tail(12.706, 1) == Approx(0.05).epsilon(0.001));
  CHECK(analysis::two_sided_tail(4.303, 2) == Approx(0.05).epsilon(0.001));
  CHECK(analysis::two_sided_tail(3.182, 3) == Approx(0.05).epsilon(0.001));
  CHECK(analysis::two_sided_tail(2.228, 10) == Approx(0.05).epsilon(0.001));
  CHECK(analysis::two_sided_tail(4.587, 10) == Approx(0.001).epsilon(0.001));
  CHECK(analysis::two_sided_tail(3.291, 5000) == Approx(0.001).epsilon(0.002));
  CHECK(analysis::two_sided_tail(0, 7) == Approx(1));
}

/// Rows of two samples of `n` values of one distribution.
std::vector<Compared> rows_by_chance(size_t count, size_t n, std::mt19937* random) {
  std::lognormal_distribution<double> latency(0, 0.05);
  const Statistic statistic;
  std::vector<Compared> rows(count);
  for (Compared& row : rows) {
    std::vector<double> a(n);
    std::vector<double> b(n);
    for (double& value : a) value = latency(*random);
    for (double& value : b) value = latency(*random);
    row.base = {a};
    row.fresh = {b};
    row.difference = evaluate(statistic, b) - evaluate(statistic, a);
  }
  return rows;
}

TEST_CASE("of rows that differ by chance almost none is significant, and one that differs is found among them") {
  std::mt19937 random(20260131);
  const Statistic statistic;
  size_t by_chance = 0;
  size_t outside = 0;
  size_t found = 0;
  constexpr size_t kRounds = 10;
  for (size_t round = 0; round < kRounds; ++round) {
    auto rows = rows_by_chance(200, 10, &random);
    for (const Judgement& judgement : judge(statistic, rows)) {
      by_chance += judgement.significant == true ? 1 : 0;
      outside += excludes_zero(judgement.interval) ? 1 : 0;
    }
    rows[17].difference += 0.2;
    for (double& value : rows[17].fresh[0]) value += 0.2;
    found += judge(statistic, rows)[17].significant == true ? 1 : 0;
  }
  CHECK(by_chance <= 3);
  CHECK(outside > 20);  // what the correction is for
  CHECK(found == kRounds);
}

TEST_CASE("constant values differ or not, and few ones stay open") {
  const auto row = [](std::vector<double> a, std::vector<double> b, double difference) {
    return Compared{difference, {std::move(a)}, {std::move(b)}};
  };
  const auto judged = judge(Statistic(), {row({5, 5, 5, 5}, {5, 5, 5, 5}, 0), row({5, 5, 5, 5}, {6, 6, 6, 6}, 1),
                                          row({5, 5}, {6, 6}, 1), row({}, {6, 6, 6}, 6)});
  CHECK(judged[0].significant == false);
  CHECK(judged[1].significant == true);
  CHECK_FALSE(judged[2].significant.has_value());
  CHECK(std::isnan(judged[2].interval.low));
  CHECK_FALSE(judged[3].significant.has_value());
}

TEST_CASE("of very many rows those with the largest differences are judged") {
  std::vector<Compared> rows(analysis::kMostJudged + 100);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto shift = static_cast<double>(i);
    rows[i] = {i % 2 == 0 ? shift : -shift, {{1, 1, 1}}, {{1, 1, 1}}};
  }
  const auto judged = judge(Statistic(), rows);
  CHECK_FALSE(judged[0].significant.has_value());
  CHECK(judged[rows.size() - 1].significant.has_value());
  CHECK(judged[rows.size() - 2].significant.has_value());
}

}  // namespace
}  // namespace xsp::test
