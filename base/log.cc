#include "base/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/similar_words.h"
#include "base/text_encoding.h"

namespace xsp::log {
namespace {

constexpr size_t kFileBytes = size_t{10} << 20;
constexpr size_t kEarlierFiles = 3;
constexpr const char* kLinePattern = "%Y-%m-%d %H:%M:%S.%e %n[%P] %l: %v";
/// What each line begins with, a digit for each 0.
constexpr char kLineBegin[] = "0000-00-00 ";

/// Null: nothing is logged.
std::unique_ptr<spdlog::logger>& logger() {
  static std::unique_ptr<spdlog::logger> logger;
  return logger;
}

constexpr spdlog::level::level_enum kTheirs[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                 spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
static_assert(std::size(kTheirs) == std::size(kLevelNames));

/// sd-daemon(3).
constexpr const char* kPriorities[] = {"<7>", "<7>", "<6>", "<4>", "<3>", ""};

/// Whether standard error leads to the journal: systemd.exec(5), JOURNAL_STREAM.
bool is_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat error {};
  unsigned long long device = 0;
  unsigned long long inode = 0;
  return stream != nullptr && std::sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
         ::fstat(STDERR_FILENO, &error) == 0 && error.st_dev == device && error.st_ino == inode;
}

/// Gives each line the priority that the journal reads; it has times and names of its own.
class JournalFormat : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    const auto level = std::find(std::begin(kTheirs), std::end(kTheirs), message.level) - std::begin(kTheirs);
    const std::string_view priority = kPriorities[std::min<size_t>(static_cast<size_t>(level), std::size(kTheirs) - 1)];
    to.append(priority.data(), priority.data() + priority.size());
    to.append(message.payload.data(), message.payload.data() + message.payload.size());
    to.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JournalFormat>(); }
};

std::shared_ptr<spdlog::sinks::sink> open_sink(const std::string& file) {
  if (!file.empty()) {
    return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, kFileBytes, kEarlierFiles);
  }
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (is_journal()) sink->set_formatter(std::make_unique<JournalFormat>());
  return sink;
}

/// Where others can put files too, one may have been put there for us to write into.
bool may_write(const std::string& file) {
  struct stat there {};
  if (::lstat(file.c_str(), &there) != 0) return true;
  return S_ISREG(there.st_mode) && there.st_uid == ::geteuid() && there.st_nlink == 1;
}

/// Whether the file holds what a log of ours begins with, or nothing. A trace or a profile that is named by mistake
/// would be written into, and be renamed when the log is rotated.
bool is_log(const std::string& file) {
  std::ifstream there(file, std::ios::binary);
  std::string begin(std::size(kLineBegin) - 1, '\0');
  there.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(there.gcount()));
  return std::equal(begin.begin(), begin.end(), kLineBegin,
                    [](char is, char form) { return form == '0' ? is >= '0' && is <= '9' : is == form; });
}

/// The log must not get the number of a standard stream that is closed: a report would be written into it. Whatever
/// gets that number instead cannot be written to, as before.
void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int how = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", how | O_CLOEXEC) != stream) return;  // open() takes the lowest number, which is this one
  }
}

}  // namespace

Status configure(std::string_view program, std::string_view level, const std::string& file) {
  logger().reset();
  if (level.empty()) level = file.empty() ? "off" : "info";
  const auto found = std::find(std::begin(kLevelNames), std::end(kLevelNames), level);
  if (found == std::end(kLevelNames)) {
    return Status{"--log-level: unknown level '" + std::string(level) + "'",
                  choice_hint(level, std::vector<std::string>(std::begin(kLevelNames), std::end(kLevelNames)))};
  }
  const auto theirs = kTheirs[found - std::begin(kLevelNames)];
  if (theirs == spdlog::level::off) return Status();
  if (!file.empty() && !may_write(file)) {
    return Status{"cannot log to " + file + " (what is there is no plain file of this user)",
                  "name another file: --log-file FILE"};
  }
  if (!file.empty() && !is_log(file)) {
    return Status{"cannot log to " + file + " (it is there and is no log)", "name another file: --log-file FILE"};
  }
  keep_closed_streams_closed();
  // spdlog would make the folder, but a mistyped path should be reported.
  const size_t slash = file.find_last_of('/');
  if (slash != std::string::npos && slash != 0 && ::access(file.substr(0, slash).c_str(), W_OK) != 0) {
    return Status{"cannot log to " + file + " (" + std::strerror(errno) + ")", "name another file: --log-file FILE"};
  }
  try {
    auto sink = open_sink(file);
    const bool has_format = file.empty() && is_journal();
    if (!has_format) sink->set_pattern(kLinePattern);
    auto made = std::make_unique<spdlog::logger>(std::string(program), std::move(sink));
    made->set_level(theirs);
    made->flush_on(spdlog::level::trace);
    // A full disk is no reason to say anything where the program is silent.
    made->set_error_handler([](const std::string&) {});
    logger() = std::move(made);
  } catch (const std::exception& failure) {
    return Status{"cannot log to " + file + " (" + failure.what() + ")", "name another file: --log-file FILE"};
  }
  return Status();
}

bool writes(Level level) { return logger() != nullptr && logger()->should_log(kTheirs[static_cast<size_t>(level)]); }

void write(Level level, std::string_view text) {
  if (!writes(level)) return;
  try {
    logger()->log(kTheirs[static_cast<size_t>(level)], message_text(text));
  } catch (const std::exception&) {
    // No memory for the line.
  }
}

}  // namespace xsp::log
