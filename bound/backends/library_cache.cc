#include "bound/backends/library_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/owned_fd.h"
#include "bound/backends/library_json.h"
#include "bound/backends/whole_write.h"

namespace xsp::bound {
namespace {

using nlohmann::json;

constexpr int kCacheFormat = 1;
/// A file that is larger was not written here.
constexpr std::uintmax_t kLargestCache = 4 << 20;

bool facts_of(const std::string& file, int64_t* modified_ns, int64_t* bytes) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  *modified_ns = int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
  *bytes = facts.st_size;
  return true;
}

bool is_unchanged(const KnownFile& known) {
  int64_t modified_ns = 0;
  int64_t bytes = 0;
  return facts_of(known.file, &modified_ns, &bytes) && modified_ns == known.modified_ns && bytes == known.bytes;
}

json to_json(const KnownFile& known) {
  json object = json_of_library(known.library);
  object["file"] = known.file;
  object["modified_ns"] = known.modified_ns;
  object["bytes"] = known.bytes;
  return object;
}

/// False for what to_json() did not write.
bool from_json(const json& object, KnownFile* known) {
  if (!read_library(object, &known->library)) return false;
  const auto take = [&](const char* name, auto* value) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return false;
    *value = found->template get<std::remove_pointer_t<decltype(value)>>();
    return true;
  };
  const auto file = object.find("file");
  if (file == object.end() || !file->is_string()) return false;
  known->file = file->get<std::string>();
  return take("modified_ns", &known->modified_ns) && take("bytes", &known->bytes);
}

}  // namespace

std::string LibraryCache::default_path() {
  const char* const cache = getenv("XDG_CACHE_HOME");
  // The standard has relative paths ignored.
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/xsp/libraries.json";
  const char* const home = getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.cache/xsp/libraries.json";
}

LibraryCache::LibraryCache(std::string path) : path_(std::move(path)) {
  std::error_code error;
  const std::uintmax_t size = path_.empty() ? 0 : std::filesystem::file_size(path_, error);
  if (error || size == 0 || size > kLargestCache) return;
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_object() || whole.value("format", json()) != kCacheFormat ||
      whole.value("program", json()) != XSP_VERSION) {
    return;
  }
  const json files = whole.value("files", json::object());
  if (!files.is_object()) return;
  for (const auto& [key, value] : files.items()) {
    KnownFile known;
    if (from_json(value, &known)) entries_[key] = std::move(known);
  }
}

std::optional<KnownFile> LibraryCache::find(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !is_unchanged(found->second)) return std::nullopt;
  return found->second;
}

void LibraryCache::add(const std::string& key, const Library& library, const std::string& file) {
  KnownFile known{library, file};
  if (path_.empty() || !facts_of(file, &known.modified_ns, &known.bytes)) return;
  entries_[key] = std::move(known);
  has_new_ = true;
}

void LibraryCache::save() const {
  if (!has_new_) return;
  json files = json::object();
  for (const auto& [key, known] : entries_) {
    if (is_unchanged(known)) files[key] = to_json(known);
  }
  const json whole = {{"format", kCacheFormat}, {"program", XSP_VERSION}, {"files", std::move(files)}};
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  std::string name = path_ + ".XXXXXX";
  const OwnedFd file(mkostemp(name.data(), O_CLOEXEC));
  if (!file) return;
  // Names of files may hold bytes that are no UTF-8.
  const std::string text = whole.dump(1, ' ', false, json::error_handler_t::replace);
  if (!write_all(file.get(), text) || rename(name.c_str(), path_.c_str()) != 0) unlink(name.c_str());
}

}  // namespace xsp::bound
