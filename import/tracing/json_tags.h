#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "import/tracing/span_tags.h"

namespace xsp {

/// Tag values in the JSON of Jaeger and of OTLP. The content of a value is valid until the next one is read.
class JsonTags {
 public:
  /// A plain string, number, boolean or array.
  TagValue plain(simdjson::dom::element value);
  /// A value of OTLP: {"intValue": "7"}.
  TagValue any_value(simdjson::dom::element value);

 private:
  std::string text_;
};

/// A member's text; "" if it is absent or not a string.
std::string_view text_member(simdjson::dom::element object, std::string_view key);

/// A time in units of `scale` ns, given as a number or a string; INT64_MAX if it is neither, or does not fit.
int64_t time_member(simdjson::dom::element object, std::string_view key, int64_t scale);

}  // namespace xsp
