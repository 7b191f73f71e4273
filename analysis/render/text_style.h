#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// How text for people looks where it is read: what the terminal can show.
struct TextStyle {
  bool plain = false;  // ASCII only
  bool color = false;  // bold heads, dim notes, coloured marks

  /// Printable text in the alphabet of the style. Without UTF-8, typographic characters become what they stand for and
  /// any other one a question mark.
  std::string text(std::string_view printable_text) const;
  /// shorten(), in the alphabet of the style, which `text` is in already.
  std::string cut(std::string_view text, size_t width) const;

  std::string bold(const std::string& text) const;
  std::string dim(const std::string& text) const;
  /// Of something that puts the rest in doubt.
  std::string warning(const std::string& text) const;
  std::string accent(const std::string& text) const;

  /// A horizontal bar of at most `width` columns for a share of 0 to 1; shares above are cut.
  std::string bar(double share, size_t width) const;
  /// A mark of one column for a value of 0 to 1.
  std::string_view level(double share) const;

 private:
  std::string wrapped(const char* code, const std::string& text) const;
};

/// Breaks text between words into lines of at most `width` columns (0: one line), each but the first behind `indent`
/// blanks; the first begins at column `at`. A word that is longer than a line is cut in the middle.
std::string wrap(std::string_view text, size_t width, size_t indent, size_t at, const TextStyle& style);

}  // namespace xsp::analysis
