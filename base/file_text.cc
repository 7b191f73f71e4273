#include "base/file_text.h"

#include <cstdio>

namespace xsp {

std::string text_of_file(const std::string& path) {
  constexpr size_t kMostBytes = 256 << 10;
  std::string text;
  FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  // Files of /proc do not tell how long they are.
  char piece[4096];
  for (size_t read = 1; read != 0 && text.size() < kMostBytes;) {
    read = std::fread(piece, 1, sizeof piece, file);
    text.append(piece, read);
  }
  std::fclose(file);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace xsp
