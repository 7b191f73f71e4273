#include "analysis/html/packed_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace xsp::analysis {
namespace {

constexpr size_t kPackedBytes = 3 << 14;
// zlib counts no further than 2 GB, so data goes to it in pieces of this size.
constexpr size_t kMostBytes = 1 << 30;
constexpr int kLevel = 6;
constexpr int kGzip = 16;  // added to the size of the window: a gzip header instead of zlib's
constexpr int kMemory = 8;

void append_base64(std::string_view bytes, std::string* to) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    const size_t known = std::min<size_t>(bytes.size() - i, 3);
    for (size_t digit = 0; digit < 4; ++digit) {
      to->push_back(digit <= known ? kDigits[three >> (18 - 6 * digit) & 63] : '=');
    }
  }
}

}  // namespace

PackedData::PackedData(std::string_view id, ByteSink* sink) : sink_(sink), packed_(kPackedBytes, '\0') {
  if (deflateInit2(&stream_, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  sink_->write(fmt::format("<script type=\"application/octet-stream\" id=\"{}\">", id));
}

PackedData::~PackedData() { deflateEnd(&stream_); }

void PackedData::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMostBytes);
    deflate_all(piece, Z_NO_FLUSH);
    bytes.remove_prefix(piece.size());
  }
}

void PackedData::finish() {
  deflate_all({}, Z_FINISH);
  std::string rest;
  append_base64(carry_, &rest);
  sink_->write(rest);
  sink_->write("</script>\n");
}

void PackedData::deflate_all(std::string_view bytes, int flush) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to it
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_out = static_cast<uInt>(packed_.size());
    deflate(&stream_, flush);
    encode({packed_.data(), packed_.size() - stream_.avail_out});
  } while (stream_.avail_out == 0);
}

void PackedData::encode(std::string_view bytes) {
  carry_.append(bytes);
  const size_t whole = carry_.size() / 3 * 3;
  std::string text;
  text.reserve(whole / 3 * 4);
  append_base64(std::string_view(carry_).substr(0, whole), &text);
  sink_->write(text);
  carry_.erase(0, whole);
}

}  // namespace xsp::analysis
