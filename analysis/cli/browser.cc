#include "analysis/cli/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace xsp::analysis {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool can_run(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  folders += ':';
  for (size_t begin = 0; begin < folders.size();) {
    const size_t end = folders.find(':', begin);
    const std::string file = folders.substr(begin, end - begin) + "/" + program;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file)) return true;
    begin = end + 1;
  }
  return false;
}

/// $BROWSER is a list of programs between colons, of which the first that is there counts.
std::string browser_of_environment() {
  std::string list = is_set("BROWSER") ? std::getenv("BROWSER") : "";
  list += ':';
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = list.find(':', begin);
    std::string program = list.substr(begin, end - begin);
    program = program.substr(0, program.find(' '));  // "firefox %s"
    if (!program.empty() && can_run(program)) return program;
    begin = end + 1;
  }
  return {};
}

std::string browser_of_desktop() {
  for (const char* program : {"xdg-open", "open", "x-www-browser", "sensible-browser"}) {
    if (can_run(program)) return program;
  }
  return {};
}

/// In a session of its own, without our terminal, and a child of nobody who waits.
Status start_detached(const std::string& program, const std::string& argument) {
  const pid_t child = fork();
  if (child < 0) return {"cannot start " + program + " (" + std::strerror(errno) + ")", ""};
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const int null = open("/dev/null", O_RDWR);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, descriptor);
    if (null > STDERR_FILENO) close(null);
    execlp(program.c_str(), program.c_str(), argument.c_str(), nullptr);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
  return {};
}

}  // namespace

Status open_page(const std::string& path) {
  const std::string page = std::filesystem::absolute(path).string();
  const std::string hint = "open it where there is one: " + page;
  std::string program = browser_of_environment();
  if (program.empty() && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return {"--open: there is no display to show the page on", hint};
  }
  if (program.empty()) program = browser_of_desktop();
  if (program.empty()) return {"--open: no browser found ($BROWSER, xdg-open)", hint};
  return start_detached(program, page);
}

}  // namespace xsp::analysis
