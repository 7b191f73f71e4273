#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/wire_writer.h"

namespace xsp {

/// xsp.Unintercepted: a library whose calls do not pass through the guest, or not all. Texts are well-formed UTF-8.
struct UninterceptedLibrary {
  uint32_t reason = 0;
  std::string library;
  std::string file;
  std::string user;
  std::string detail;

  bool operator==(const UninterceptedLibrary&) const = default;
};

/// Decodes one. An error when it breaks a limit. Throws protozero::exception on broken protobuf.
Status read_unintercepted(protozero::data_view bytes, UninterceptedLibrary* library);

/// Bytes that write_unintercepted() needs at most.
size_t unintercepted_capacity(const UninterceptedLibrary& library);
void write_unintercepted(WireWriter& writer, const UninterceptedLibrary& library);

}  // namespace xsp
