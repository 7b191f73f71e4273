#include "inject/launch/experiment/written_files.h"

#include <sys/stat.h>

namespace xsp::launch {
namespace {

bool stat_file(const std::string& path, timespec* modified) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  *modified = status.st_mtim;
  return true;
}

}  // namespace

WrittenFiles::WrittenFiles(const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    const size_t equals = argument.find('=');
    for (const std::string& path :
         {argument, equals == std::string::npos ? std::string() : argument.substr(equals + 1)}) {
      if (path.empty()) continue;
      Candidate candidate = {path, false, {}};
      candidate.existed = stat_file(path, &candidate.modified);
      candidates_.push_back(candidate);
    }
  }
}

std::vector<std::string> WrittenFiles::found() const {
  std::vector<std::string> written;
  for (const Candidate& candidate : candidates_) {
    timespec modified = {};
    if (!stat_file(candidate.path, &modified)) continue;
    const bool changed = modified.tv_sec != candidate.modified.tv_sec || modified.tv_nsec != candidate.modified.tv_nsec;
    if (!candidate.existed || changed) written.push_back(candidate.path);
  }
  return written;
}

}  // namespace xsp::launch
