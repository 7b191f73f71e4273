#include "collector/profile/profile_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text_encoding.h"
#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr auto kOrtJson = static_cast<uint32_t>(wire::ProfileFileFormat::kOrtJson);
constexpr size_t kEventsPerSlice = 256;  // about a millisecond
// A name with the announced prefix proves nothing: a program could fill the folder with such files.
constexpr size_t kMaxFilesPerPrefix = 256;
constexpr size_t kMaxRunFiles = 65'536;
/// How many files of runs may be queued; the others are found by their prefix when the process has ended.
constexpr size_t kMaxWaitingRuns = kMaxProfileFiles / 2;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Whether ONNX Runtime may have made `name` from a prefix: it appends "_", the time, and ".json".
bool is_made_from(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return name.empty() || name.front() == '_' || name.front() == '.';
}

/// Opens a regular file owned by our own user; -1 and the reason otherwise.
int open_own_file(const std::string& path, std::string* why) {
  // The path is the program's choice: a link is refused, a pipe must not block, a terminal must not become ours.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    *why = std::strerror(errno);
    return -1;
  }
  struct stat file {};
  if (::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid()) return fd;
  *why = "not a regular file of this user";
  ::close(fd);
  return -1;
}

/// When the run of a file began. For a file found by its prefix, the digits after the prefix say so.
uint64_t start_in_name(const std::string& name, const ProfileSource& source) {
  if (source.complete) return source.origin.start_realtime_ns;
  const std::string prefix = base_name(source.path) + "_";
  return name.starts_with(prefix) ? std::strtoull(name.c_str() + prefix.size(), nullptr, 10) : 0;
}

/// Whether the file's last bytes contain the end of the array.
bool is_whole(const std::string& path) {
  std::string why;
  const int fd = open_own_file(path, &why);
  if (fd < 0) return false;
  char end[4] = {};
  const off_t size = ::lseek(fd, 0, SEEK_END);
  const ssize_t got = ::pread(fd, end, sizeof end, std::max<off_t>(0, size - static_cast<off_t>(sizeof end)));
  ::close(fd);
  return got > 0 && std::string_view(end, static_cast<size_t>(got)).find(']') != std::string_view::npos;
}

}  // namespace

ProfileSource read_profile_source(protozero::data_view bytes) {
  const auto file = read_message<wire::ProfileFile>(bytes);
  return {.format = file.format,
          .path = std::string(file.path),
          .complete = file.complete,
          .keep = file.keep,
          .of_runs = file.of_runs,
          .origin = {.start_realtime_ns = file.start_realtime_ns,
                     .realtime_offset_ns = file.realtime_offset_ns,
                     .scope = std::string(file.scope)}};
}

ProfileFiles::ProfileFiles(Recording& recording, uint32_t process, LossTable& losses, SpanAccount* account)
    : scratch_(recording.scratch), losses_(losses), spans_(recording, process, account) {}

Status ProfileFiles::receive(protozero::data_view bytes) {
  ProfileSource source = read_profile_source(bytes);
  if (std::max(source.path.size(), source.origin.scope.size()) > kMaxTextBytes) {
    return Status{"a profile file with a path or scope of more than 4 KiB"};
  }
  receive(std::move(source));
  return Status();
}

void ProfileFiles::receive(ProfileSource source) {
  // Each profiled run hands over its own file. Those for which there is no room here are found by their prefix at the
  // end.
  if (source.of_runs && source.complete) {
    if (queue_.size() < kMaxWaitingRuns) queue_files_of(source, false);
    return;
  }
  const auto announced = std::find_if(announced_.begin(), announced_.end(), [&](const ProfileSource& candidate) {
    return source.complete && is_made_from(source.path, candidate.path);
  });
  if (announced != announced_.end()) announced_.erase(announced);
  if (announced_.size() + queue_.size() >= kMaxProfileFiles) {
    losses_.add(LossReason::kProfileFile, 1, "too many profile files at once");
    if (source.complete && !source.keep) scratch_.remove(source.path);
  } else if (source.complete) {
    queue_.push_back({std::move(source), false});
  } else {
    announced_.push_back(std::move(source));
  }
}

void ProfileFiles::process_ended() {
  for (const ProfileSource& source : announced_) queue_files_of(source, true);
  announced_.clear();
}

void ProfileFiles::queue_files_of(const ProfileSource& source, bool orphaned) {
  const size_t slash = source.path.rfind('/');
  if (slash == std::string::npos || !scratch_.holds(source.path)) return;
  const std::string folder = source.path.substr(0, slash + 1);
  const std::string prefix = source.path.substr(slash + 1);
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;
  std::vector<std::string> names;
  const size_t most = source.of_runs && orphaned ? kMaxRunFiles : kMaxFilesPerPrefix;
  while (const dirent* entry = ::readdir(entries)) {
    if (names.size() < most && is_made_from(entry->d_name, prefix)) names.emplace_back(entry->d_name);
  }
  ::closedir(entries);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (is_queued(folder + name)) continue;
    Item item{source, orphaned};
    item.source.path = folder + name;
    if (source.of_runs) item.source.origin.start_realtime_ns = start_in_name(name, source);
    if (source.of_runs && orphaned && !is_whole(item.source.path)) {
      scratch_.remove(item.source.path);  // left by the run that was in progress
      continue;
    }
    queue_.push_back(std::move(item));
  }
}

bool ProfileFiles::is_queued(const std::string& path) const {
  return std::any_of(queue_.begin(), queue_.end(), [&](const Item& item) { return item.source.path == path; });
}

bool ProfileFiles::work() {
  if (queue_.empty()) return false;
  const Item& item = queue_.front();
  if (conversion_ == nullptr && !begin(item)) {
    queue_.pop_front();
    return !queue_.empty();
  }
  const auto result = conversion_->convert(kEventsPerSlice);
  if (result == OrtProfile::Result::kMore) {
    spans_.flush();
    return true;
  }
  finish(item, result);
  conversion_.reset();
  queue_.pop_front();
  return !queue_.empty();
}

bool ProfileFiles::begin(const Item& item) {
  const ProfileSource& source = item.source;
  if (source.format != kOrtJson) {
    lose(item, "its format is unknown");
    return false;
  }
  std::string why = "its path is not absolute";
  const int fd = source.path.starts_with('/') ? open_own_file(source.path, &why) : -1;
  if (fd < 0) {
    lose(item, why);
    return false;
  }
  conversion_ = std::make_unique<OrtProfile>(fd, source.origin, spans_);
  return true;
}

void ProfileFiles::finish(const Item& item, OrtProfile::Result result) {
  spans_.end_file();
  if (log::writes(log::Level::kInfo)) log::info("converted profile " + item.source.path);
  if (result == OrtProfile::Result::kTruncated) {
    lose(item, item.orphaned ? "the program ended before ONNX Runtime wrote its profile" : "it ends too early");
  } else if (result == OrtProfile::Result::kMalformed) {
    lose(item, "its JSON is not understood from some event on");
  }
  if (conversion_->reached_event_limit()) {
    lose(item, "ONNX Runtime records a million events a session and no more");
  }
  if (spans_.is_full()) losses_.add(LossReason::kStringsFull, 1, "a profile has too many names");
  if (!item.source.keep) scratch_.remove(item.source.path);
}

void ProfileFiles::lose(const Item& item, std::string_view why) {
  if (item.orphaned) {
    losses_.add(LossReason::kProfileFile, 1, why);
  } else {
    losses_.add(LossReason::kProfileFile, 1, trace_text(base_name(item.source.path)) + ": " + std::string(why));
  }
}

}  // namespace xsp
