/// Entry of one importer, and what becomes of its timeline. Which one is said by kFuzzedFormat, or where that is empty
/// (import_mutation_driver.cc) by XSP_FUZZ_FORMAT. The first byte says how many bytes each read gives; 255: the input
/// is SQL, by whose statements, one a line, a database is made.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "import/cli/importers.h"
#include "import/writing/timeline_writer.h"
#include "test/collector/memory_file.h"
#include "test/fuzz/sql_database.h"
#include "test/import/memory_input.h"
#include "trace.pb.h"

#ifndef XSP_FUZZED_FORMAT
#define XSP_FUZZED_FORMAT ""
#endif

namespace {

constexpr std::string_view kFuzzedFormat = XSP_FUZZED_FORMAT;

const xsp::Importer& fuzzed_importer() {
  const char* name = kFuzzedFormat.empty() ? std::getenv("XSP_FUZZ_FORMAT") : kFuzzedFormat.data();
  for (const xsp::Importer& importer : xsp::importers()) {
    if (name != nullptr && importer.name == name) return importer;
  }
  std::fprintf(stderr, "XSP_FUZZ_FORMAT names no format\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const xsp::Importer& importer = fuzzed_importer();
  if (size == 0) return 0;
  const size_t part = data[0] == 0 ? SIZE_MAX : size_t{data[0]} * data[0];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string database;
  if (data[0] == 255 && importer.name == "nsight-systems") {
    database = xsp::test::database_of(bytes);
    bytes = database;
  }
  for (const xsp::Importer& any : xsp::importers()) (void)any.recognise(bytes);

  xsp::test::MemoryInput input(bytes, part);
  xsp::ProfileTimeline timeline;
  const xsp::Status status = importer.read(input, &timeline);
  if (!status.ok() && status.error.empty()) std::abort();
  // Whatever was read becomes a sound trace.
  xsp::test::MemoryFile file;
  xsp::TraceWriter writer(file);
  xsp::write_timeline(&timeline, importer.name, {"fuzz"}, {}, writer);
  writer.flush();
  xsp::Trace trace;
  if (writer.failed() || writer.lost_packets() != 0 || !trace.ParseFromString(file.bytes)) std::abort();
  return 0;
}
