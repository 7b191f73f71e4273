#include "inject/launch/experiment/set_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "inject/launch/experiment/run_streams.h"
#include "inject/launch/experiment/set_index.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kElsewhere = "--output names another place";

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

bool is_writable(const std::string& folder) { return access(folder.c_str(), W_OK | X_OK) == 0; }

Status not_writable(const std::string& folder) {
  return {fmt::format("cannot write in the folder {} ({})", folder, std::strerror(errno)), kElsewhere};
}

Status check_content(const std::string& folder, bool force) {
  std::error_code error;
  if (fs::is_empty(folder, error) && !error) return {};
  if (error) return {fmt::format("cannot read the folder {} ({})", folder, error.message()), kElsewhere};
  const bool earlier_set = files_of_set(folder).has_value();
  if (force && earlier_set) return {};
  if (earlier_set) {
    return {fmt::format("{} holds a set of runs", folder),
            "--force replaces its traces; --output takes another name (%p: the pid)"};
  }
  return {fmt::format("{} is not empty, and what it holds is no set of runs", folder),
          "a set has a folder to itself: --output takes another name"};
}

}  // namespace

Status check_folder(const std::string& folder, bool force) {
  std::error_code error;
  if (fs::is_directory(folder, error)) {
    if (Status status = check_content(folder, force); !status.ok()) return status;
    if (!is_writable(folder)) return not_writable(folder);
    return {};
  }
  if (folder.empty() || exists(folder)) {
    return {fmt::format("the output '{}' is a file", folder), "several runs are written into a folder: --output DIR"};
  }
  fs::path above = fs::absolute(folder, error).parent_path();
  while (!exists(above) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error)) {
    return {fmt::format("cannot make the folder {} ({} is a file)", folder, above.string()), kElsewhere};
  }
  if (!is_writable(above)) return not_writable(above);
  return {};
}

Status make_folder(const std::string& folder, OwnedFd* lock) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    return {fmt::format("cannot make the folder {} ({})", folder, error.message()), kElsewhere};
  }
  lock->reset(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Only a lock that another program holds counts: file systems without locks have none.
  if (*lock && flock(lock->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    lock->reset();
    return {fmt::format("another set is being written into {}", folder), kElsewhere};
  }
  for (const std::string& name : files_of_set(folder).value_or(std::vector<std::string>())) {
    const std::string file = folder + "/" + name;
    // Including what a run that was cut off leaves beside them.
    for (const std::string& path : {file, file + ".partial", errors_beside(file)}) {
      if (!fs::is_directory(path, error)) fs::remove(path, error);
    }
  }
  return {};
}

std::optional<uint64_t> room_in(const std::string& folder) {
  struct statvfs space = {};
  if (statvfs(folder.c_str(), &space) != 0) return std::nullopt;
  return static_cast<uint64_t>(space.f_bavail) * space.f_frsize;
}

}  // namespace xsp::launch
