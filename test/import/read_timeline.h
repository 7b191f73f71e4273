#pragma once

/// For the tests of importers: the result of a profile, read back from the trace that write_timeline() makes of it.
/// Every packet is parsed by libprotobuf and checked against what proto/README.md promises.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/frame/importer.h"
#include "import/writing/timeline_writer.h"
#include "trace.pb.h"

namespace xsp::test {

/// A span with its texts. Times are those of the trace: the first begins at 1'000'000.
struct ImportedSpanRead {
  uint32_t process = 0;
  uint32_t thread = 0;
  uint32_t ring = 0;
  uint32_t id = 0;
  uint32_t parent = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bytes = 0;
  uint32_t level = 0;
  uint32_t kind = 0;
  uint32_t correlation = 0;
  std::string name;
  std::string type;
  std::string shape;
  std::string input;
  std::string scope;
  std::string parent_name;   // "": none
  std::string forward_name;  // of the forward span, "": none
  bool failed = false;
  bool has_bytes = false;
  std::string layout;                            // of its arguments, "": none
  std::string values;                            // as they stand in the batch
  std::string inputs, outputs, operator_values;  // of the layout of operators
};

struct ImportedExecutionRead {
  uint32_t process = 0;
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bytes = 0;
  uint32_t kind = 0;
  uint32_t correlation = 0;
  uint64_t graph_node = 0;
  uint32_t graph = 0;
  std::string name;
  std::string configuration;
  std::string launch_name;   // of the span that launched it, "": none
  uint32_t launch_ring = 0;  // + 1
  uint32_t launch = 0;
};

struct ImportedCounterRead {
  uint32_t process = 0;
  uint32_t device = 0;
  std::string kernel;
  uint64_t execution = 0;  // from 0, in the order of `executions` of its process
  std::string metric;
  double value = 0;
};

struct ImportedTrace {
  Trace trace;
  TraceHeader header;
  std::vector<Hello> processes;
  std::vector<Device> devices;
  std::vector<ImportedSpanRead> spans;  // as written: children before their parents
  std::vector<ImportedExecutionRead> executions;
  std::vector<ImportedCounterRead> counters;
  std::vector<std::string> notes;
  ImportTotals totals;

  /// The first span with this name; fails the test if there is none.
  const ImportedSpanRead& span(std::string_view name) const;
  const ImportedExecutionRead& execution(std::string_view name) const;
  size_t count_spans(std::string_view name) const;
  bool has_note(std::string_view part) const;
};

/// Writes the timeline and reads it back.
ImportedTrace read_timeline(ProfileTimeline* timeline, std::string_view format = "test",
                            const ImportChoices& choices = {});

/// Imports a profile, which must succeed, and reads back the result.
ImportedTrace import_text(const Importer& importer, std::string_view text);
ImportedTrace import_file(const Importer& importer, const std::string& path);
/// The error of an importer for a profile with nothing usable; fails the test if the import succeeds.
std::string import_error(const Importer& importer, std::string_view text);

}  // namespace xsp::test
