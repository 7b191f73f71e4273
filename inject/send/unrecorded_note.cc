#include "inject/send/unrecorded_note.h"

#include <errno.h>
#include <unistd.h>

#include "inject/guard/fixed_text.h"
#include "proto/unrecorded.h"

namespace xsp::guest {

bool is_out_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

void leave_unrecorded_note(const Settings& settings, const char* reason) {
  if (settings.scratch_dir[0] == '\0') return;
  FixedText<sizeof settings.scratch_dir + 64> path;
  path.put(settings.scratch_dir).put("/").put(unrecorded::kNotePrefix).put_number(static_cast<uint64_t>(getpid()));
  // The same process may find out twice, and a process id may come again: one note is enough.
  (void)!symlink(reason, path.c_str());
}

}  // namespace xsp::guest
