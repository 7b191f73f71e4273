#pragma once

#include <string>
#include <string_view>

namespace xsp {

/// The kind of a file that a program was given by mistake.
struct FileKind {
  std::string name;         // "a zip archive"; empty: not known
  std::string hint;         // a command or sentence: what to do with it; empty: nothing
  bool importable = false;  // it may be a profile that xsp-import reads: `hint` is the command
  bool runnable = false;    // it is a program or a script: `hint` is the command that records it
  bool is_trace = false;    // it begins as an XSP trace does
};

/// How many bytes of a file are needed to tell its kind.
inline constexpr size_t kFileKindBytes = 512;

/// Told from the file's name and its first bytes, which need not be all kFileKindBytes.
FileKind file_kind(const std::string& path, std::string_view head);

}  // namespace xsp
