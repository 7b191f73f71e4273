/// Entry for the profile that ONNX Runtime writes, as the collector converts it.

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

#include "collector/profile/ort_profile.h"
#include "collector/recording/recording.h"
#include "test/collector/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("profile", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
  ::lseek(fd, 0, SEEK_SET);
  xsp::test::MemoryFile file;
  xsp::TraceWriter writer(file);
  xsp::Recording recording(writer);
  xsp::ProfileSpans spans(recording, 1);
  xsp::OrtProfile profile(fd, {.start_realtime_ns = 1, .realtime_offset_ns = -5, .scope = "s"}, spans);
  while (profile.convert(16) == xsp::OrtProfile::Result::kMore) {
  }
  spans.end_file();
  writer.flush();
  return 0;
}
