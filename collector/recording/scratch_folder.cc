#include "collector/recording/scratch_folder.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace xsp {

/// The opened folder that `file` lies in; -1 unless it is this very folder. Names are then used relative to it, so that
/// it cannot be swapped in between.
int ScratchFolder::open_folder_of(const std::string& file) const {
  const size_t slash = file.rfind('/');
  if (path_.empty() || slash == std::string::npos) return -1;
  const int folder = ::open(file.substr(0, slash + 1).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat theirs {};
  struct stat ours {};
  if (::fstat(folder, &theirs) == 0 && ::lstat(path_.c_str(), &ours) == 0 && S_ISDIR(ours.st_mode) &&
      ours.st_uid == ::geteuid() && theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino) {
    return folder;
  }
  ::close(folder);
  return -1;
}

bool ScratchFolder::holds(const std::string& file) const {
  const int folder = open_folder_of(file);
  if (folder >= 0) ::close(folder);
  return folder >= 0;
}

void ScratchFolder::remove(const std::string& file) const {
  const int folder = open_folder_of(file);
  if (folder < 0) return;
  ::unlinkat(folder, file.c_str() + file.rfind('/') + 1, 0);
  ::close(folder);
}

std::vector<std::string> ScratchFolder::take_notes(const std::string& prefix) const {
  constexpr size_t kMostNotes = 4096;
  std::vector<std::string> notes;
  if (path_.empty()) return notes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    if (notes.size() == kMostNotes) break;
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    std::error_code ignored;  // it may not be a link
    const std::filesystem::path note = std::filesystem::read_symlink(entry->path(), ignored);
    if (ignored) continue;
    notes.push_back(note.string());
    std::filesystem::remove(entry->path(), ignored);
  }
  return notes;
}

void ScratchFolder::empty() const {
  if (path_.empty()) return;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;  // what cannot be removed stays
    std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace xsp
