#include "inject/launch/run/script_interpreter.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xsp::launch {

std::string script_interpreter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char mark[2] = {};
  if (!file.read(mark, sizeof mark) || mark[0] != '#' || mark[1] != '!') return {};
  std::string line(256, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<size_t>(file.gcount()));
  std::istringstream words(line.substr(0, line.find('\n')));
  std::string word;
  words >> word;
  if (std::filesystem::path(word).filename() != "env") return word;
  while (words >> word && (word.starts_with('-') || word.find('=') != std::string::npos)) {
  }
  return word;
}

}  // namespace xsp::launch
