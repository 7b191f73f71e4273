#include "base/output_target.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "base/shell_words.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

/// As many as the kernel follows.
constexpr int kMostLinks = 40;

/// Whether somebody else may have put the link there for us to write through. For folders of everybody the kernel keeps
/// that rule in open() where fs.protected_symlinks is set (proc(5)); here links are read one by one, so it is ours to
/// keep, and it holds for folders of a group, too.
bool is_trap(const fs::path& link, const struct stat& found) {
  const fs::path folder = link.has_parent_path() ? link.parent_path() : ".";
  struct stat around {};
  if (::stat(folder.c_str(), &around) != 0) return false;
  const bool is_shared = (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return is_shared && found.st_uid != ::geteuid() && found.st_uid != 0 && found.st_uid != around.st_uid;
}

Status refuse(const std::string& path, const std::string& why) {
  return Status{"cannot write " + path + " (" + why + ")"};
}

/// Replaces the path by what its links lead to, which may not exist.
Status follow_links(const std::string& named, OutputTarget* target) {
  fs::path at = named;
  struct stat found {};
  for (int links = 0; ::lstat(at.c_str(), &found) == 0 && S_ISLNK(found.st_mode); ++links) {
    if (links == kMostLinks) return refuse(named, std::strerror(ELOOP));
    if (is_trap(at, found)) return refuse(named, "a link that another user put into a folder that others can write");
    if (at.native().starts_with("/proc/")) target->is_descriptor = true;
    char to[PATH_MAX];
    const ssize_t length = ::readlink(at.c_str(), to, sizeof to);
    if (length < 0) return refuse(named, std::strerror(errno));
    const fs::path next(std::string(to, static_cast<size_t>(length)));
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  target->path = at.string();
  return Status();
}

}  // namespace

Status find_output_target(const std::string& path, OutputTarget* target) {
  *target = {};
  if (Status status = follow_links(path, target); !status.ok()) return status;
  struct stat named {};
  target->exists = ::lstat(path.c_str(), &named) == 0;
  struct stat found {};
  // The file does not exist yet, or nothing can be known of it: making it says why it cannot be made.
  if (::stat(path.c_str(), &found) != 0) return Status();
  switch (found.st_mode & S_IFMT) {
    case S_IFREG: {
      // What /proc calls a file may have lost its name, or have that of another one by now.
      struct stat led {};
      const bool is_same =
          ::stat(target->path.c_str(), &led) == 0 && led.st_dev == found.st_dev && led.st_ino == found.st_ino;
      return is_same ? Status() : refuse(path, "it leads to a file that has no name any more");
    }
    case S_IFIFO:
    case S_IFCHR:
      target->kind = OutputTarget::Kind::kStream;
      target->path = path;
      return Status();
    case S_IFDIR:
      return refuse(path, std::strerror(EISDIR));
    case S_IFBLK:
      return refuse(path, "a block device: what it holds would be lost");
    default:
      return refuse(path, "a socket");
  }
}

std::string output_hint(const std::string& path, bool may_replace, const std::string& option) {
  std::error_code failure;
  if (path.empty()) return "name a file, such as " + option + "run.pb";
  if (fs::is_directory(path, failure)) {
    return "name a file in this folder: " + option + shell_command({(fs::path(path) / "FILE").string()});
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::exists(folder, failure)) return "make the folder first: mkdir -p " + shell_command({folder.string()});
  if (may_replace && fs::is_regular_file(path, failure))
    return "name another file with -o, or replace this one with -f";
  return "name a file in a folder that you can write to: " + option + "FILE";
}

}  // namespace xsp
