#include "analysis/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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
    rows[17].difference += 0.25;
    for (double& value : rows[17].fresh[0]) value += 0.25;
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
  const auto judged =
      judge(Statistic(), {row({50, 50, 50, 50}, {50, 50, 50, 50}, 0), row({50, 50, 50, 50}, {60, 60, 60, 60}, 10),
                          row({51, 51}, {61, 61}, 10), row({}, {60, 60, 60}, 60)});
  CHECK(judged[0].significant == false);
  CHECK(judged[1].significant == true);
  CHECK_FALSE(judged[2].significant.has_value());
  CHECK(std::isnan(judged[2].interval.low));
  CHECK_FALSE(judged[3].significant.has_value());
}

/// Two samples of a row, and the difference that it shows.
Compared compared(std::vector<double> a, std::vector<double> b) {
  Compared row{0, {a}, {b}};
  row.difference = evaluate(Statistic(), b) - evaluate(Statistic(), a);
  return row;
}

/// A row of interest among others of one distribution.
bool is_found(const Compared& row, size_t others, size_t n) {
  std::mt19937 random(7);
  std::normal_distribution<double> latency(1e6, 1e4);
  std::vector<Compared> rows = {row};
  for (size_t i = 0; i < others; ++i) {
    std::vector<double> a(n);
    std::vector<double> b(n);
    for (double& value : a) value = std::floor(latency(random));
    for (double& value : b) value = std::floor(latency(random));
    rows.push_back(compared(a, b));
  }
  return judge(Statistic(), rows)[0].significant == true;
}

TEST_CASE("one outlying evaluation does not hide what every other one shows") {
  const std::vector<double> before = {68.7e6, 68.8e6, 73.4e6, 71.4e6, 70.8e6};
  CHECK(is_found(compared(before, {1.40e6, 1.38e6, 1.45e6, 1.41e6, 62.6e6}), 0, 5));
  CHECK(is_found(compared(before, {1.40e6, 1.38e6, 1.45e6, 1.41e6, 62.6e6}), 400, 5));
  CHECK(is_found(compared(before, {1.40e6, 1.38e6, 1.45e6, 1.41e6, 900e6}), 400, 5));
  CHECK(is_found(compared({1.40e6, 1.38e6, 900e6, 1.41e6, 1.43e6}, before), 400, 5));
  CHECK(is_found(compared({70e6, 71e6, 69e6, 70.5e6}, {1.4e6, 1.5e6, 1.6e6, 150e6}), 0, 4));
  CHECK(is_found(compared({70e6, 71e6, 69e6, 70.5e6, 72e6, 70e6}, {1.4e6, 1.5e6, 1.6e6, 1.4e6, 1.5e6, 62e6}), 400, 6));
}

TEST_CASE("two values that a latency jumps between are no difference of two samples") {
  CHECK_FALSE(is_found(compared({1e6, 1.01e6, 1.02e6, 1e6, 2e6}, {2e6, 2.01e6, 2.02e6, 2e6, 1e6}), 0, 5));
  CHECK_FALSE(is_found(compared({1e6, 1.01e6, 1.02e6, 1e6}, {2e6, 2.01e6, 2.02e6, 1e6}), 0, 4));
  CHECK_FALSE(is_found(compared({1e6, 1.01e6, 1.02e6, 1e6, 1e6}, {2e6, 2.01e6, 2.02e6, 1e6, 1.01e6}), 0, 5));
}

TEST_CASE("no row is steadier than the clock that timed it") {
  const auto judged =
      judge(Statistic(), {compared({9000, 9000, 9000, 9000, 10000}, {10000, 10000, 10000, 10000, 9000}),
                          compared({9000, 9000, 9000, 9000, 9000}, {10000, 10000, 10000, 10000, 10000}),
                          compared({9000, 9000, 9000, 9000, 9000}, {49000, 49000, 49000, 49000, 49000})});
  CHECK(judged[0].significant == false);
  CHECK(judged[1].significant == false);
  CHECK(judged[2].significant == true);
}

/// Tables of `rows` layers of two samples of one distribution, of which `latency` draws; how many of them have a
/// significant row.
template <typename Latency>
size_t false_alarms(size_t tables, size_t rows, size_t n, Latency&& latency) {
  size_t alarms = 0;
  for (size_t table = 0; table < tables; ++table) {
    std::vector<Compared> all;
    for (size_t row = 0; row < rows; ++row) {
      std::vector<double> a(n);
      std::vector<double> b(n);
      for (double& value : a) value = std::floor(1e6 * latency());
      for (double& value : b) value = std::floor(1e6 * latency());
      all.push_back(compared(a, b));
    }
    const auto judged = judge(Statistic(), all);
    alarms += std::any_of(judged.begin(), judged.end(), [](const Judgement& one) { return one.significant == true; });
  }
  return alarms;
}

TEST_CASE("where nothing differs few tables have a significant row, also of noise with heavy tails") {
  std::mt19937 random(20261123);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(2);
  std::uniform_real_distribution<double> chance;
  constexpr size_t kTables = 200;
  // At a rate of 5 %, 10 of 200 on average; 20 are more than chance has in a thousand tries.
  constexpr size_t kMost = 20;
  for (const size_t n : {4, 5, 6, 12, 40}) {
    for (const size_t rows : {5, 100}) {
      CAPTURE(n, rows);
      const size_t gauss = false_alarms(kTables, rows, n, [&] { return 10 + 0.1 * normal(random); });
      const size_t tails = false_alarms(kTables, rows, n, [&] { return 1e4 + heavy(random); });
      const size_t skewed = false_alarms(kTables, rows, n, [&] { return std::exp(0.5 * normal(random)); });
      const size_t outliers =
          false_alarms(kTables, rows, n, [&] { return 10 + 0.1 * normal(random) + (chance(random) < 0.1 ? 5 : 0); });
      if (std::getenv("XSP_SHOW") != nullptr) {
        WARN("tables of " << rows << " rows with " << n << " evaluations: " << gauss << " " << tails << " " << skewed
                          << " " << outliers);
      }
      CHECK(gauss <= kMost);
      CHECK(tails <= kMost);
      CHECK(skewed <= kMost);
      // One value in ten far out: of five, two such now and then make the other side's difference.
      CHECK(outliers <= (n == 5 ? 2 * kMost : kMost));
    }
  }
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
