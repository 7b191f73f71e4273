#pragma once

/// The messages of a guest that are kept as they are, after checks: long texts are cut or refused, unknown enumerators
/// become 0. Texts are well-formed UTF-8. All throw protozero::exception on broken protobuf.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/text_encoding.h"
#include "proto/trace_readers.h"

namespace xsp {

/// How much of a text is kept.
inline constexpr size_t kMaxTextBytes = 4096;

using RecordingGap = wire::GapOf<std::string>;
using DeviceDescription = wire::DeviceOf<std::string>;
using UninterceptedLibrary = wire::UninterceptedOf<std::string>;
using LibraryUse = wire::UsedLibraryOf<std::string>;

inline std::string_view view_of(protozero::data_view bytes) { return {bytes.data(), bytes.size()}; }

/// Reads a message that has only plain fields; its texts are views of `bytes`.
template <typename Message>
Message read_message(protozero::data_view bytes) {
  Message message;
  wire::read(view_of(bytes), &message);
  return message;
}

/// The same message with its own copies of the texts, cut to kMaxTextBytes.
template <typename Message>
auto with_own_texts(const Message& message) {
  return wire::convert_texts<std::string>(
      message, [](std::string_view text) { return trace_text(text.substr(0, kMaxTextBytes)); });
}

RecordingGap read_gap(protozero::data_view bytes);
DeviceDescription read_device(protozero::data_view bytes);
/// Returns an error if a text is too long.
Status read_unintercepted(protozero::data_view bytes, UninterceptedLibrary* library);
Status read_library_use(protozero::data_view bytes, LibraryUse* used);

}  // namespace xsp
