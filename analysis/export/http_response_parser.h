#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/export/http_client.h"

namespace xsp::analysis {

/// Reads an HTTP/1.1 response as its bytes arrive. The server is not trusted: heads and bodies have limits.
class HttpResponseParser {
 public:
  enum class State : uint8_t { kHead, kBody, kDone, kBroken };

  static constexpr size_t kMostHeadBytes = 64 << 10;
  static constexpr size_t kMostBodyBytes = 4 << 20;

  /// Takes more bytes; any beyond the end of the response make it broken.
  State add(std::string_view bytes);
  /// The server closed the connection, which ends a body without a stated length.
  State close();

  State state() const { return state_; }
  /// Whether the server leaves the connection open for the next request.
  bool keeps_alive() const { return keeps_alive_; }
  HttpResponse& response() { return response_; }

 private:
  enum class Framing : uint8_t { kLength, kChunked, kUntilClose };

  State read_head();
  bool read_headers(std::string_view lines);
  bool choose_framing();
  State read_body();
  State read_chunks();
  State broken() { return state_ = State::kBroken; }

  State state_ = State::kHead;
  Framing framing_ = Framing::kUntilClose;
  uint64_t length_ = 0;
  bool keeps_alive_ = true;
  std::string pending_;  // received and not yet read
  HttpResponse response_;
};

}  // namespace xsp::analysis
