#include "import/frame/decompression.h"

#include <algorithm>
#include <climits>
#include <string>

#include <zlib.h>
#include <zstd.h>

namespace xsp {
namespace {

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);
constexpr int kGzipOnly = MAX_WBITS + 16;

/// A gzip file is a sequence of members; zeros may pad the last block of a tape.
class Gzip final : public Decompression {
 public:
  Gzip() { is_open_ = ::inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  ~Gzip() override {
    if (is_open_) ::inflateEnd(&stream_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Status run(std::string_view from, bool is_last, char* to, size_t size, size_t* used, size_t* made) override {
    if (!is_open_) return Status{"no memory to decompress gzip"};
    if (is_between_) {
      const size_t zeros = std::min(from.find_first_not_of('\0'), from.size());
      if (zeros != 0) is_padding_ = true;
      *used = zeros;
      if (zeros == from.size()) return Status();
      if (is_padding_ || from[zeros] != kGzipMagic[0]) return Status{"something else behind the gzip data"};
      ::inflateReset(&stream_);
      is_between_ = false;
      return Status();
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(from.size(), INT_MAX));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(size, INT_MAX));
    const uInt in_before = stream_.avail_in;
    const uInt out_before = stream_.avail_out;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    *used = in_before - stream_.avail_in;
    *made = out_before - stream_.avail_out;
    if (result == Z_STREAM_END) {
      is_between_ = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return Status{std::string("damaged gzip (") + (stream_.msg != nullptr ? stream_.msg : ::zError(result)) + ")"};
    } else if (is_last && *made == 0) {
      return Status{"the gzip data end early"};
    }
    return Status();
  }

 private:
  z_stream stream_{};
  bool is_open_ = false;
  bool is_between_ = false;  // between two members
  bool is_padding_ = false;
};

class Zstd final : public Decompression {
 public:
  Zstd() : stream_(::ZSTD_createDStream()) {}
  ~Zstd() override { ::ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Status run(std::string_view from, bool is_last, char* to, size_t size, size_t* used, size_t* made) override {
    if (stream_ == nullptr) return Status{"no memory to decompress zstd"};
    // At the end of a frame, only bytes of another frame continue the stream.
    if (is_between_ && from.empty()) return Status();
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
    *used = in.pos;
    *made = out.pos;
    if (::ZSTD_isError(result) != 0) {
      return Status{std::string("damaged zstd (") + ::ZSTD_getErrorName(result) + ")"};
    }
    is_between_ = result == 0;
    if (is_last && *made == 0 && !is_between_) return Status{"the zstd data end early"};
    return Status();
  }

 private:
  ZSTD_DStream* stream_;
  bool is_between_ = false;  // between two frames
};

}  // namespace

std::unique_ptr<Decompression> make_decompression(std::string_view head) {
  if (head.starts_with(kGzipMagic)) return std::make_unique<Gzip>();
  if (head.starts_with(kZstdMagic)) return std::make_unique<Zstd>();
  return nullptr;
}

}  // namespace xsp
