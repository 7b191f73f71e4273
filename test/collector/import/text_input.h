#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "collector/import/profile_input.h"

namespace xsp::test {

/// A text as an input. The first read gives `first` bytes, those after it `further` at most.
class TextInput : public ProfileInput {
 public:
  explicit TextInput(std::string text, size_t first = SIZE_MAX, size_t further = SIZE_MAX)
      : text_(std::move(text)), next_(first), further_(further) {}

  const std::string& path() const override { return path_; }
  std::string_view head(size_t) override { return text_; }
  size_t read(char* to, size_t size) override {
    const size_t got = std::min({size, next_, text_.size() - at_});
    std::memcpy(to, text_.data() + at_, got);
    at_ += got;
    next_ = further_;
    return got;
  }
  Status error() const override { return Status::ok(); }
  uint64_t position() const override { return at_; }
  Status as_file(std::string*) override { return Status::error("no file"); }

 private:
  std::string text_;
  size_t next_;
  size_t further_;
  size_t at_ = 0;
  std::string path_ = "text.json";
};

}  // namespace xsp::test
