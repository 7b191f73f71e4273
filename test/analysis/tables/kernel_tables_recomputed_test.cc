#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "test/analysis/support/kernel_specs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::StudyOptions;
using analysis::Table;

/// Trimmed by a fifth at each end; of three values the median.
double trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t cut = values.size() == 3 ? 1 : values.size() / 5;
  double sum = 0;
  for (size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - 2 * cut);
}

/// Microseconds in which at least one of the intervals runs, counted one by one.
double busy_microseconds(const std::vector<ExecutionSpec>& kernels) {
  std::set<int64_t> busy;
  for (const ExecutionSpec& one : kernels) {
    for (int64_t at = one.begin; at < one.end; at += kUs) busy.insert(at);
  }
  return static_cast<double>(busy.size());
}

/// Random models: layers with some launches, each with some kernels (a graph's have one launch) on random streams, with
/// random times in each evaluation. What is expected is computed here from the specs alone.
TEST_CASE("A8, A10, A11 and A15 are those of a brute-force computation") {
  std::mt19937 random(5);
  const auto pick = [&](uint32_t limit) { return static_cast<int64_t>(random() % limit); };
  for (int round = 0; round < 40; ++round) {
    struct Place {
      uint32_t layer;  // UINT32_MAX: in none
      std::string name;
    };
    std::vector<std::vector<Place>> launches;  // in order; each with its kernels
    const auto layers = static_cast<uint32_t>(pick(4));
    for (uint32_t layer = 0; layer <= layers; ++layer) {
      for (int64_t count = pick(4); count > 0; --count) {
        auto& places = launches.emplace_back();
        for (int64_t kernels = 1 + pick(3); kernels > 0; --kernels) {
          places.push_back({layer == layers ? UINT32_MAX : layer, std::string("k").append(std::to_string(pick(5)))});
        }
      }
    }
    if (launches.empty()) continue;
    const auto evaluations = static_cast<uint32_t>(1 + pick(8));
    TraceBuilder builder;
    builder.add_process(10);
    std::vector<std::vector<double>> values;  // by place, of the evaluations that count
    std::vector<double> busy;
    uint32_t id = 0;
    for (uint32_t evaluation = 0; evaluation < evaluations; ++evaluation) {
      const int64_t at = 100'000 * int64_t{evaluation};
      const uint32_t root = ++id;
      std::vector<SpanSpec> spans;
      std::vector<ExecutionSpec> kernels;
      int64_t now = at + 1;
      size_t launch = 0;
      for (uint32_t layer = 0; layer <= layers; ++layer) {
        const uint32_t own = layer == layers ? root : ++id;
        const int64_t begin = now++;
        for (; launch < launches.size() && (launches[launch].front().layer == layer || layer == layers); ++launch) {
          spans.push_back(span(LEVEL_RUNTIME, ++id, own, now, now + 1, "cudaGraphLaunch"));
          now += 2;
          int64_t start = at + 500 + pick(100);
          for (const Place& place : launches[launch]) {
            const int64_t duration = 1 + pick(60);
            kernels.push_back(kernel(start, start + duration, place.name, id, static_cast<uint32_t>(7 + pick(3))));
            start += 1 + pick(40);
          }
        }
        const std::string name = std::string("l").append(std::to_string(layer));
        if (layer != layers) spans.push_back(span(LEVEL_LAYER, own, root, begin, ++now, name));
      }
      spans.push_back(span(LEVEL_MODEL, root, 0, at, at + 1000, "Net"));
      for (const SpanSpec& one : spans) builder.add(one);
      const bool counts = evaluation > 0 || evaluations <= 2;
      if (counts) busy.push_back(busy_microseconds(kernels));
      for (size_t place = 0; counts && place < kernels.size(); ++place) {
        if (values.size() <= place) values.emplace_back();
        values[place].push_back(static_cast<double>(kernels[place].end - kernels[place].begin) / kNsOfMs);
      }
      std::shuffle(kernels.begin(), kernels.end(), random);
      builder.add_executions(kernels);
    }
    const Analysed analysed({builder.bytes()});
    const Table a8 = analysed.table("A8");
    REQUIRE(a8.rows.size() == values.size());
    std::map<std::string, std::pair<double, double>> by_name;
    std::map<uint32_t, std::pair<double, double>> by_layer;
    double total = 0;
    size_t at = 0;
    for (const auto& places : launches) {
      for (const Place& place : places) {
        const double latency = trimmed_mean(values[at]);
        CHECK(text(a8.rows[at][0]) == place.name);
        CHECK(number(a8.rows[at][1]) == (place.layer == UINT32_MAX ? -1 : static_cast<double>(place.layer)));
        CHECK(number(a8.rows[at][5]) == Approx(latency));
        by_name[place.name].first += 1;
        by_name[place.name].second += latency;
        by_layer[place.layer].first += 1;
        by_layer[place.layer].second += latency;
        total += latency;
        ++at;
      }
    }
    const Table a10 = analysed.table("A10");
    REQUIRE(a10.rows.size() == by_name.size());
    for (const auto& row : a10.rows) {
      CHECK(number(row[1]) == by_name[text(row[0])].first);
      CHECK(number(row[2]) == Approx(by_name[text(row[0])].second));
      CHECK(number(row[3]) == Approx(100 * number(row[2])));  // of 1 ms
    }
    const Table a11 = analysed.table("A11");
    REQUIRE(a11.rows.size() == layers + 1);
    for (uint32_t layer = 0; layer <= layers; ++layer) {
      const auto& expected = by_layer[layer == layers ? UINT32_MAX : layer];
      CHECK(number(a11.rows[layer][4]) == expected.first);
      CHECK(number(a11.rows[layer][3]) == Approx(expected.second));
    }
    const Table a15 = analysed.table("A15");
    CHECK(number(a15.rows[0][2]) == Approx(total));
    // Of the statistics' sum, the share that is no overlap in all evaluations together.
    double of_all = 0;
    for (const auto& place : values) of_all = std::accumulate(place.begin(), place.end(), of_all);
    const auto own =
        std::find_if(a15.columns.begin(), a15.columns.end(), [](const auto& c) { return c.name == "own_kernel_ms"; });
    REQUIRE(own != a15.columns.end());
    CHECK(number(a15.rows[0][static_cast<size_t>(own - a15.columns.begin())]) ==
          Approx(total * std::accumulate(busy.begin(), busy.end(), 0.0) / 1000 / of_all));
    CHECK(number(a15.rows[0][13]) <= number(a15.rows[0][2]) * (1 + 1e-12));
    CHECK(number(a15.rows[0][15]) == static_cast<double>(launches.size()));
    CHECK(a15.contradiction.empty());
    StudyOptions options;
    options.per_trace = true;
    CHECK(Analysed({builder.bytes()}, options).table("A15").contradiction.empty());
  }
}

}  // namespace
}  // namespace xsp::test
