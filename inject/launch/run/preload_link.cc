#include "inject/launch/run/preload_link.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "inject/launch/run/private_folder.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0755;  // children that become another user go on loading through it

/// The loader ends a name at a space or a colon, and replaces $LIB and the like.
bool is_preloadable(std::string_view path) { return path.find_first_of(" :$") == std::string_view::npos; }

/// The name of the link: the same for the same target, another for another (FNV-1a).
std::string link_name(const std::string& target) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325;
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = kBasis;
  for (const char byte : target) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return fmt::format("lib-{:016x}", hash);
}

/// Whether nobody but root and this user can put another folder in the place of one of ours in `base`.
bool keeps_names(const std::string& base) {
  struct stat found = {};
  if (stat(base.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
  if (found.st_uid != geteuid() && found.st_uid != 0) return false;
  return (found.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (found.st_mode & S_ISVTX) != 0;
}

/// Whether it is a folder that only this user can write; a link to one is none.
bool is_own_folder(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 07777) == kFolderMode;
}

/// The folder that an earlier run made in `base`, or a new one. Nobody else can have made it: its name is random, and
/// its owner is looked at. What it lacks is in `why`.
std::string own_folder(const std::string& base, std::string* why) {
  constexpr std::string_view kPrefix = "xsp-lib-";
  std::string first;
  std::error_code error;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    const std::string path = base + "/" + name;
    if (name.starts_with(kPrefix) && is_own_folder(path) && (first.empty() || path < first)) first = path;
  }
  if (!first.empty()) return first;
  std::string made = fmt::format("{}/{}XXXXXX", base, kPrefix);
  if (mkdtemp(made.data()) == nullptr || chmod(made.c_str(), kFolderMode) != 0) {
    *why = fmt::format("{}: {}", made, std::strerror(errno));
    return {};
  }
  return made;
}

bool have_link(const std::string& link, const std::string& target, std::string* why) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return true;
  // By a name of its own first: another xsp-run may be doing the same.
  const std::string fresh = fmt::format("{}.{}", link, getpid());
  if (symlink(target.c_str(), fresh.c_str()) == 0 && rename(fresh.c_str(), link.c_str()) == 0) return true;
  *why = fmt::format("{}: {}", link, std::strerror(errno));
  unlink(fresh.c_str());
  return false;
}

}  // namespace

Status make_preloadable(std::string* library) {
  if (is_preloadable(*library)) return {};
  const fs::path path = *library;
  const std::string target = path.parent_path();
  std::string why = "no folder for a link to it";
  for (const std::string& base :
       {std::string("/tmp"), environment_folder("TMPDIR"), environment_folder("XDG_RUNTIME_DIR")}) {
    if (base.empty() || !is_preloadable(base)) continue;
    if (!keeps_names(base)) {
      why = base + ": others can rename what is in it";
      continue;
    }
    const std::string folder = own_folder(base, &why);
    if (folder.empty()) continue;
    const std::string link = folder + "/" + link_name(target);
    if (!have_link(link, target, &why)) continue;
    const std::string linked = link + "/" + path.filename().string();
    if (is_preloadable(linked)) {
      *library = linked;
      return {};
    }
  }
  return {
      fmt::format(
          "LD_PRELOAD cannot carry the path {} (it has a space, a colon or a dollar sign), nor could a link be made "
          "({})",
          *library, why),
      "make /tmp writable, or move XSP to a folder without such characters in its name"};
}

}  // namespace xsp::launch
