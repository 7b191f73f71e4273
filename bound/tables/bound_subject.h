#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bound/advice/implementation_choice.h"
#include "bound/advice/inefficiency.h"
#include "bound/advice/what_if.h"
#include "bound/bounds/bounds.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// Where the times of a report come from.
struct TimesSource {
  bool is_given = false;  // --times
  std::string path;       // of the file of --times, or of the database
  std::string system;     // key of the system whose rows counted
  bool is_this_system = true;
  int threads = 1;
  std::vector<Library> libraries;  // whose rows counted
  bool exact = false;              // --exact
  size_t measured = 0;             // benchmarks made by this run
  uint64_t cache_bytes = 0;        // of the system's last cache; 0: not known
  /// With another number of threads the database has times of layers that have none here.
  struct OtherThreads {
    int threads = 0;
    size_t layers = 0;
  };
  std::optional<OtherThreads> other_threads = {};
  std::vector<std::string> notes;  // of the search for libraries and of the run, a sentence each
};

/// What could be done better, of one model.
struct Advice {
  std::vector<ImplementationChoice> choices;  // B5
  std::vector<Inefficiency> inefficiencies;   // B6
  std::vector<WhatIf> what_ifs;               // B7
};

/// What a report is of: one model or several, all with times from one source.
struct BoundSubject {
  std::vector<Bounds> bounds;
  std::vector<Advice> advice;  // by model
  TimesSource source;

  bool has_several() const { return bounds.size() > 1; }
};

}  // namespace xsp::bound
