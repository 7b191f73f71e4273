#pragma once

#include <optional>
#include <string>

namespace xsp::launch {

/// Why the guest cannot be loaded into a program, or stays off in it.
struct UnrecordableProgram {
  std::string why;         ///< what follows the program's name: "is statically linked, so …"
  std::string remedy;      ///< what to do, in the words of a hint
  bool has_guest = false;  ///< the guest is loaded into it, and stays off
};

/// Looks at the file that exec runs for `command`; for a script, at its interpreter's. Nothing is run. None: it can be
/// recorded, or the file does not tell. Programs that it starts are judged on their own.
std::optional<UnrecordableProgram> unrecordable_program(const std::string& command);

}  // namespace xsp::launch
