#include "analysis/export/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace xsp::analysis {

std::string gzip(std::string_view bytes, int level) {
  constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string packed;
  char buffer[1 << 16];
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const size_t part = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(part);
      bytes.remove_prefix(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    result = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(buffer, sizeof buffer - stream.avail_out);
  }
  deflateEnd(&stream);
  return packed;
}

}  // namespace xsp::analysis
