#pragma once

#include <string_view>

#include "proto/pbf.h"

namespace xsp::bound {

/// The length that the current field, a length-delimited one, claims. protozero takes it modulo 2^32.
inline uint64_t claimed_length(const protozero::pbf_reader& reader) {
  const protozero::data_view rest = reader.data();
  const char* at = rest.data();
  return protozero::decode_varint(&at, at + rest.size());
}

/// The bytes of a length-delimited field. Throws protozero::exception where there are fewer than it claims.
inline std::string_view payload(protozero::pbf_reader& reader) {
  if (claimed_length(reader) > reader.data().size()) throw protozero::end_of_buffer_exception();
  const protozero::data_view bytes = reader.get_view();
  return {bytes.data(), bytes.size()};
}

}  // namespace xsp::bound
