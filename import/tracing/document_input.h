#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "import/frame/profile_input.h"

namespace xsp {

/// An input that holds one JSON document behind the other, on a line each or not: it ends where a document does, until
/// the next one is asked for.
class DocumentInput final : public ProfileInput {
 public:
  explicit DocumentInput(ProfileInput& input);

  /// Goes to the next document. False: there is none.
  bool next();
  /// Byte of the input at which the document begins.
  uint64_t begin() const { return document_begin_; }

  const std::string& path() const override { return input_.path(); }
  std::string_view head(size_t) override { return {}; }
  size_t read(char* to, size_t size) override;
  Status error() const override { return input_.error(); }
  uint64_t position() const override { return position_; }
  Status as_file(std::string*) override { return Status{"a document is no file"}; }

 private:
  bool fill();

  ProfileInput& input_;
  std::unique_ptr<char[]> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t position_ = 0;
  uint64_t document_begin_ = 0;
  uint64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool is_at_end_ = true;
};

}  // namespace xsp
