/// libFuzzer entry of one importer, named by XSP_FUZZ_FORMAT, and what becomes of its timeline;
/// import_mutation_driver.cc runs it as a test. The first byte says how many bytes each read gives.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "collector/import/importer.h"
#include "proto/trace.pb.h"
#include "test/collector/import/memory_input.h"
#include "test/collector/memory_file.h"

namespace {

const xsp::Importer& fuzzed_importer() {
  const char* name = std::getenv("XSP_FUZZ_FORMAT");
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
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const xsp::Importer& any : xsp::importers()) (void)any.recognise(bytes);

  xsp::test::MemoryInput input(bytes, part);
  xsp::ProfileTimeline timeline;
  const xsp::Status status = importer.read(input, &timeline);
  if (!status.is_ok() && status.what().empty()) std::abort();
  // Whatever was read becomes a sound trace.
  xsp::test::MemoryFile file;
  xsp::TraceWriter writer(file);
  xsp::write_timeline(&timeline, importer.name, {"fuzz"}, {}, writer);
  writer.flush();
  xsp::Trace trace;
  if (writer.failed() || writer.lost_packets() != 0 || !trace.ParseFromString(file.bytes)) std::abort();
  return 0;
}
