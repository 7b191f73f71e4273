#pragma once

#include <elf.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::launch {

/// A shared library or program of x86-64, read as a file: nothing of it is loaded or run. A damaged one has no symbols.
class LibraryFile {
 public:
  explicit LibraryFile(const std::string& path);
  ~LibraryFile();
  LibraryFile(const LibraryFile&) = delete;
  LibraryFile& operator=(const LibraryFile&) = delete;

  /// False: no such file, or none of its kind.
  bool is_readable() const { return header_ != nullptr; }
  /// Whether it exports the symbol.
  bool defines(std::string_view symbol) const;
  /// Whether it calls a function with this prefix through its PLT, where a preloaded library comes first.
  bool calls_through_plt(std::string_view beginning) const;
  /// The same, or its address through its global offset table: a library that was built to bind at once calls so.
  bool calls_through_table(std::string_view beginning) const;
  /// Whether it exports a symbol with this prefix.
  bool exports_beginning(std::string_view beginning) const;
  /// The sonames that it needs, in its order.
  std::vector<std::string> needed() const;
  /// The name by which others need it. Empty: it has none.
  std::string_view soname() const;
  /// Path of the loader that starts it. Empty: it is linked statically, or is no program.
  std::string_view interpreter() const;

 private:
  const char* at(size_t offset, size_t size) const;
  const Elf64_Shdr* section(uint32_t type, size_t number = 0) const;
  std::string_view text(const Elf64_Shdr& of, size_t offset) const;
  std::string_view symbol_name(size_t number) const;
  /// The texts of the dynamic section's entries of this kind.
  std::vector<std::string_view> dynamic_texts(Elf64_Sxword tag) const;
  template <typename IsIt>
  bool exports(IsIt&& is_it) const;
  bool relocates(std::string_view beginning, bool also_addresses) const;
  template <typename Entry>
  size_t count(const Elf64_Shdr* section) const;
  template <typename Entry>
  const Entry* entries(const Elf64_Shdr* section) const;

  const char* bytes_ = nullptr;
  size_t size_ = 0;
  const Elf64_Ehdr* header_ = nullptr;
};

}  // namespace xsp::launch
