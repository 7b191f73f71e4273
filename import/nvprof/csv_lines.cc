#include "import/nvprof/csv_lines.h"

#include <algorithm>

namespace xsp::nvprof {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool Lines::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunkBytes);
  const size_t read = input_.read(buffer_.data() + size, kChunkBytes);
  buffer_.resize(size + read);
  return read != 0;
}

bool Lines::next() {
  size_t end = buffer_.find('\n', at_);
  while (end == std::string::npos && !at_end_) {
    if (buffer_.size() - at_ > kMaxBytes) {
      is_too_long_ = true;
      return false;
    }
    const size_t searched = buffer_.size() - at_;
    at_end_ = !fill();
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos && at_ == buffer_.size()) return false;
  is_cut_ = end == std::string::npos;
  if (is_cut_) end = buffer_.size();
  line_ = std::string_view(buffer_).substr(at_, end - at_);
  at_ = is_cut_ ? end : end + 1;
  // Text copied from a terminal is padded with blanks.
  line_.remove_suffix(line_.size() - (line_.find_last_not_of(" \t\r") + 1));
  if (number_++ == 0 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  return true;
}

bool split_fields(std::string_view line, std::vector<std::string>* fields) {
  fields->clear();
  size_t at = 0;
  while (true) {
    std::string& field = fields->emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        const size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) return false;
        field += line.substr(at, quote - at);
        at = quote + 1;
        if (at == line.size() || line[at] != '"') break;
        field += '"';
      }
      if (at < line.size() && line[at] != ',') return false;
    } else {
      const size_t comma = std::min(line.find(',', at), line.size());
      field = line.substr(at, comma - at);
      at = comma;
    }
    if (at == line.size()) return true;
    ++at;
  }
}

}  // namespace xsp::nvprof
