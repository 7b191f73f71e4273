// The truth log, FAKE_CUDA_TRUTH: one line of JSON for everything that ran on a device, when it has run.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "simulation.h"

namespace fake {
namespace {

const char* kind_name(int kind) {
  switch (kind) {
    case kFakeKernel:
      return "kernel";
    case kFakeMemcpy:
      return "memcpy";
    case kFakePeerCopy:
      return "peer_memcpy";
    case kFakeMemset:
      return "memset";
  }
  return "?";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

void write_truth(const Work& work) {
  const char* const path = getenv("FAKE_CUDA_TRUTH");
  const fake_execution& e = work.execution;
  if (path == nullptr) return;
  char numbers[640];
  snprintf(
      numbers, sizeof numbers,
      "{\"pid\": %d, \"kind\": \"%s\", \"device\": %u, \"context\": %u, \"stream\": %u, \"correlation\": %u, "
      "\"begin\": %llu, \"duration\": %llu, \"bytes\": %llu, \"graph_node\": %llu, \"graph\": %u, \"iteration\": %u, "
      "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %u, \"thread\": %u, \"launched\": %llu, ",
      getpid(), kind_name(e.kind), e.device, e.context, e.stream, e.correlation,
      static_cast<unsigned long long>(e.begin), static_cast<unsigned long long>(e.end - e.begin),
      static_cast<unsigned long long>(e.bytes), static_cast<unsigned long long>(e.graph_node), e.graph, e.iteration,
      e.grid[0], e.grid[1], e.grid[2], e.block[0], e.block[1], e.block[2], e.shared, work.origin.thread,
      static_cast<unsigned long long>(work.origin.at));
  std::string line = numbers;
  line += "\"name\": " + quoted(work.name) + ", \"api\": " + quoted(work.origin.api);
  line += ", \"library\": " + quoted(work.origin.library) + ", \"label\": " + quoted(work.origin.label);
  line += ", \"capture_api\": " + quoted(work.capture.api) + ", \"capture_library\": " + quoted(work.capture.library);
  line += ", \"capture_label\": " + quoted(work.capture.label) + "}\n";
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) give_up("truth log");
  close(file);
}

}  // namespace fake
