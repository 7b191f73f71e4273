#include "bound/tables/separated_positions.h"

#include <cmath>
#include <random>

#include "test/catch.h"

using namespace xsp::bound;

namespace {

double weighted_moves(const std::vector<WantedPosition>& wanted, const std::vector<double>& positions) {
  double sum = 0;
  for (size_t i = 0; i < wanted.size(); ++i) sum += wanted[i].weight * std::pow(positions[i] - wanted[i].at, 2);
  return sum;
}

bool keeps_distances(const std::vector<WantedPosition>& wanted, const std::vector<double>& positions) {
  for (size_t i = 1; i < wanted.size(); ++i) {
    if (positions[i] - positions[i - 1] < wanted[i].distance_before - 1e-9) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("things that are far enough apart stay where they want to be") {
  CHECK(separated_positions({{0, 1, 0}, {10, 1, 5}, {20, 2, 5}}) == std::vector<double>{0, 10, 20});
  CHECK(separated_positions({}).empty());
}

TEST_CASE("things in one place are moved apart, the heavier one less") {
  const std::vector<double> equal = separated_positions({{0, 1, 0}, {0, 1, 10}});
  CHECK(equal[0] == Approx(-5));
  CHECK(equal[1] == Approx(5));
  const std::vector<double> unequal = separated_positions({{0, 9, 0}, {0, 1, 10}});
  CHECK(unequal[0] == Approx(-1));
  CHECK(unequal[1] == Approx(9));
}

TEST_CASE("no small change of positions that keeps the distances is better") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-20, 20), step(-0.5, 0.5);
  for (int round = 0; round < 100; ++round) {
    std::vector<WantedPosition> wanted;
    for (size_t i = 0; i < 6; ++i) {
      wanted.push_back({place(random), 0.5 + static_cast<double>(random() % 5), static_cast<double>(random() % 9)});
    }
    const std::vector<double> found = separated_positions(wanted);
    REQUIRE(keeps_distances(wanted, found));
    for (int attempt = 0; attempt < 200; ++attempt) {
      std::vector<double> other = found;
      for (double& position : other) position += step(random);
      if (keeps_distances(wanted, other)) CHECK(weighted_moves(wanted, other) >= weighted_moves(wanted, found) - 1e-9);
    }
  }
}
