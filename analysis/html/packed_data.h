#pragma once

#include <string>
#include <string_view>

#include <zlib.h>

#include "analysis/export/byte_sink.h"

namespace xsp::analysis {

/// A data element of a page, `<script type="application/octet-stream" id="…">`: base64 of gzip of what is written. Its
/// text has no markup, whatever the data are. Streams, so that only what is being packed is in memory.
class PackedData {
 public:
  PackedData(std::string_view id, ByteSink* sink);
  ~PackedData();
  PackedData(const PackedData&) = delete;
  PackedData& operator=(const PackedData&) = delete;

  void write(std::string_view bytes);
  /// Ends the element.
  void finish();

 private:
  void deflate_all(std::string_view bytes, int flush);
  void encode(std::string_view bytes);

  ByteSink* sink_;
  z_stream stream_ = {};
  std::string packed_;  // room for what deflate gives
  std::string carry_;   // fewer than three bytes that wait for their base64
};

}  // namespace xsp::analysis
