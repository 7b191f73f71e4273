#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What an operator or annotation of PyTorch does that stands for something else than its text says.
enum class WorkPhase : uint8_t {
  kBackward,   // the engine's wrapper around backward work
  kOptimizer,  // a step
  kOther,      // gradients set to zero, waiting for data
  kMark,       // how record_function begins and ends: part of the annotation
};

struct PhaseName {
  std::string_view prefix;  // what follows is the name
  std::string_view type;    // empty: the name
  WorkPhase phase;
  bool is_name = false;  // the prefix is part of it
};

/// The type of layers that wait for data.
inline constexpr std::string_view kLoaderType = "DataLoader";

/// Looks the names of spans up, each text once.
class PhaseNames {
 public:
  explicit PhaseNames(const Trace& trace) : trace_(trace) {}

  /// Null for spans without such a name. Names may be interned between calls.
  const PhaseName* of(Row row);

  /// Whether a span waits for the next batch of a data loader. Layers have lost the name and kept the type.
  bool loads_data(Row row);

  /// Whether a span does backward work, by its link or its name.
  bool is_backward(const Parents& parents, Row row);

 private:
  const Trace& trace_;
  std::vector<uint8_t> numbers_;  // by string id
};

}  // namespace xsp::analysis
