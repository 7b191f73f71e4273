#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "import/tracing/span_tags.h"

namespace xsp {

/// Values of tags as the JSON of Jaeger and of OTLP has them. What a value holds is valid until the next one is read.
class JsonTags {
 public:
  /// A string, number, boolean or array as it stands.
  TagValue plain(simdjson::dom::element value);
  /// Of OTLP: {"intValue": "7"}.
  TagValue any_value(simdjson::dom::element value);

 private:
  std::string text_;
};

/// A member's text; "" where it is absent or no string.
std::string_view text_member(simdjson::dom::element object, std::string_view key);

/// A time in units of `scale` ns, given as a number or a string; INT64_MAX where it is none, or does not fit.
int64_t time_member(simdjson::dom::element object, std::string_view key, int64_t scale);

}  // namespace xsp
