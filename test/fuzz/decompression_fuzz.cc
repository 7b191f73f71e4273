/// Entry for gzip and zstd: the first bytes say in which parts the stream is given and taken. What one part makes is
/// bounded by the room for it, whatever the stream says.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "import/frame/decompression.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostMade = size_t{4} << 20;
  xsp::test::FuzzInput input(data, size);
  const size_t part = size_t{input.byte()} * 4 + 1;
  const size_t room = size_t{input.byte()} * 16 + 1;
  std::string_view bytes = input.rest();
  const auto stream = xsp::make_decompression(bytes);
  if (stream == nullptr) return 0;
  std::vector<char> to(room);
  for (size_t total = 0; total < kMostMade;) {
    const std::string_view from = bytes.substr(0, part);
    size_t used = 0;
    size_t made = 0;
    const xsp::Status status = stream->run(from, from.size() == bytes.size(), to.data(), to.size(), &used, &made);
    if (used > from.size() || made > room) std::abort();
    if (!status.ok() && status.error.empty()) std::abort();
    if (!status.ok() || (used == 0 && made == 0)) break;
    bytes.remove_prefix(used);
    total += made;
  }
  return 0;
}
