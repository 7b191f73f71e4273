/// Entry for the command line of xsp-collector: the JSON of a run and of a command, and whole command lines, a word a
/// line. The first byte says which.

#include <cstddef>
#include <cstdint>

#include "collector/options/options.h"
#include "collector/writing/trace_description.h"
#include "collector/writing/trace_writer.h"
#include "test/collector/memory_file.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::FuzzInput input(data, size);
  const uint8_t kind = input.byte();
  std::vector<std::string> words = {"xsp-collector", "-o", "trace.pb", "--socket", "socket"};
  if (kind % 3 == 0) {
    words.push_back("--run-json=" + std::string(input.rest()));
  } else if (kind % 3 == 1) {
    words.push_back("--command-json=" + std::string(input.rest()));
  } else {
    for (std::string& word : input.lines(32)) words.push_back(std::move(word));
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  xsp::Options options;
  int exit_code = 0;
  if (!xsp::read_options(static_cast<int>(words.size()), pointers.data(), &options, &exit_code)) return 0;
  // What it describes goes into the header of the trace.
  xsp::test::MemoryFile file;
  xsp::TraceWriter writer(file);
  xsp::write_trace_header(writer, options.subject);
  writer.flush();
  return 0;
}
