#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/thread_sweep.h"
#include "analysis/tables/table_cells.h"
#include "base/units.h"
#include "test/analysis/support/law_curves.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {

using analysis::Table;
using analysis::ThreadSweep;

/// What a layer takes in ms with some threads.
struct SweptLayer {
  std::string name;
  std::string type;
  Law ms;
  std::optional<double> input_elements = {};
};

/// Layers of a model that takes as long as they do, with eight calls for each number of threads that vary by a percent.
inline ThreadSweep swept(const std::vector<SweptLayer>& layers, const std::vector<uint32_t>& threads, uint32_t own) {
  analysis::Noise noise(1);
  ThreadSweep sweep;
  sweep.in_process = true;
  sweep.own_threads = own;
  sweep.cores = own;
  sweep.ended = analysis::ThreadsEnded::kMeasured;
  for (const SweptLayer& layer : layers) {
    analysis::ThreadLayer& out = sweep.layers.emplace_back();
    out.index = static_cast<uint32_t>(sweep.layers.size() - 1);
    out.name = layer.name;
    out.type = layer.type;
    out.input_elements = layer.input_elements;
    out.latency_ns.resize(threads.size());
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    analysis::ThreadPoint& point = sweep.points.emplace_back();
    point.threads = threads[i];
    point.is_own = threads[i] == own;
    point.model_ns = {std::vector<double>(8)};
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      const std::vector<double> values = noisy(kNsPerMs * layers[layer].ms(threads[i]), 0.01, 8, &noise);
      sweep.layers[layer].latency_ns[i] = {values};
      for (size_t call = 0; call < values.size(); ++call) point.model_ns[0][call] += values[call];
    }
  }
  return sweep;
}

inline void add_switches(double ms, ThreadSweep* sweep) {
  for (const auto& from : sweep->points) {
    for (const auto& to : sweep->points) {
      if (from.threads == to.threads) continue;
      sweep->switches.push_back({from.threads, to.threads, static_cast<uint64_t>(ms * kNsPerMs), 5});
    }
  }
}

inline const analysis::Cell& beside(const Table& table, const std::string& extra, const std::string& field) {
  for (const analysis::Extra& one : table.extras) {
    for (const auto& [name, value] : one.fields) {
      if (one.name == extra && name == field) return value;
    }
  }
  static const analysis::Cell kNone = std::string("no such field");
  return kNone;
}

inline double number_beside(const Table& table, const std::string& extra, const std::string& field) {
  const auto number = analysis::number_of(beside(table, extra, field));
  REQUIRE(number);
  return *number;
}

inline bool notes_say(const Table& table, const std::string& part) {
  return std::any_of(table.notes.begin(), table.notes.end(), [&](const auto& note) { return contains(note, part); });
}

}  // namespace xsp::test
