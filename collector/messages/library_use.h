#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/wire_writer.h"

namespace xsp {

/// xsp.UsedLibrary: a file that the calls into a library went to. Texts are well-formed UTF-8.
struct LibraryUse {
  std::string library;
  std::string file;

  bool operator==(const LibraryUse&) const = default;
};

/// Decodes one. An error when it breaks a limit. Throws protozero::exception on broken protobuf.
Status read_library_use(protozero::data_view bytes, LibraryUse* used);

/// Bytes that write_library_use() needs at most.
size_t library_use_capacity(const LibraryUse& used);
void write_library_use(WireWriter& writer, const LibraryUse& used);

}  // namespace xsp
