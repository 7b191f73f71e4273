#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bound/records/measurement.h"

namespace xsp::bound {

/// What was found out about a file by loading it. It holds for as long as the file is the same.
struct KnownFile {
  Library library;  // without a name: the file holds no library that a back end calls
  std::string file;
  int64_t modified_ns = 0;
  int64_t bytes = 0;
};

/// Remembers between runs what loading a library told, which may take seconds: a JSON file. What is damaged, of another
/// version of this program, or about files that have changed counts as not there; no error is worth a word.
class LibraryCache {
 public:
  /// `$XDG_CACHE_HOME/xsp/libraries.json`, else below ~/.cache; empty where there is neither.
  static std::string default_path();

  /// An empty path: nothing is read and nothing kept.
  explicit LibraryCache(std::string path);

  /// `key`: how the file was asked for.
  std::optional<KnownFile> find(const std::string& key) const;
  /// `file` is the one that was loaded.
  void add(const std::string& key, const Library& library, const std::string& file);
  /// Writes the file, if anything was added, in the place of the old one at once. Entries about files that are gone
  /// are left out.
  void save() const;

 private:
  std::string path_;
  std::map<std::string, KnownFile> entries_;
  bool has_new_ = false;
};

}  // namespace xsp::bound
