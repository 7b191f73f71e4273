#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

#include "bound/backends/backend.h"
#include "bound/backends/blas_backend.h"
#include "bound/backends/cublas_backend.h"
#include "bound/backends/cublaslt_backend.h"
#include "bound/backends/cuda_files.h"
#include "bound/backends/cuda_probe.h"
#include "bound/backends/cudnn_backend.h"
#include "bound/backends/library_cache.h"
#include "bound/backends/library_probe.h"
#include "bound/backends/onednn_backend.h"
#include "bound/backends/onnxruntime_backend.h"

namespace xsp::bound {
namespace {

constexpr std::chrono::seconds kLoadingLimit{20};

struct BackendKind {
  std::string_view name;
  std::vector<std::string> (*files)();
  Status (*load)(const std::string& path, std::unique_ptr<Backend>* backend);
  /// What its libraries are called, beside its own name.
  std::initializer_list<std::string_view> libraries;
  bool on_device = false;
};

const BackendKind kBackendKinds[] = {
    {"onednn", onednn_files, load_onednn, {"dnnl"}},
    {"blas", blas_files, load_blas, {"openblas", "mkl", "blis"}},
    {"onnxruntime", onnxruntime_files, load_onnxruntime, {}},
    {"cublas", cublas_files, load_cublas, {}, true},
    {"cublaslt", cublaslt_files, load_cublaslt, {}, true},
    {"cudnn", cudnn_files, load_cudnn, {}, true},
};

/// What is asked before any library of a GPU: they are large, and useless without a device.
const BackendKind kDriverKind{"cuda", cuda_driver_files, load_cuda_driver, {}, true};

bool is_of(const BackendKind& kind, std::string_view library) {
  return library == kind.name || std::ranges::find(kind.libraries, library) != kind.libraries.end();
}

/// How a file is asked for. Where a bare name leads to depends on what the dynamic linker has read last; nothing where
/// it looks into folders that the user gives, in which another file may lie the next time. Of libraries of a GPU, files
/// in these folders are asked for before.
std::optional<std::string> cache_key(const BackendKind& kind, const std::string& path) {
  std::string key = std::string(kind.name) + " " + path;
  if (kind.on_device) key += " " + cuda_environment();
  if (path.find('/') != std::string::npos) return key;
  const char* const folders = getenv("LD_LIBRARY_PATH");
  if (folders != nullptr && *folders != '\0') {
    if (!kind.on_device) return std::nullopt;
    key += " " + std::string(folders);
  }
  struct stat linker {};
  const bool has_cache = stat("/etc/ld.so.cache", &linker) == 0;
  return key + " " + std::to_string(has_cache ? linker.st_mtim.tv_sec : 0);
}

/// Tries files of one kind, each once under whatever names it has.
class LibraryFinder {
 public:
  LibraryFinder(LibraryCache* cache, std::vector<Library>* libraries, std::vector<std::string>* notes)
      : cache_(cache), libraries_(libraries), notes_(notes) {}

  /// `is_wanted`: a user named it, so that one that is missing is told, too.
  void try_file(const BackendKind& kind, const std::string& path, bool is_wanted) {
    std::error_code error;
    const bool is_name = path.find('/') == std::string::npos;
    const std::string real = is_name ? path : std::filesystem::canonical(path, error).string();
    if (!error && !seen_.insert({&kind, real}).second) return;
    const std::optional<std::string> key = cache_key(kind, path);
    if (const std::optional<KnownFile> known = key ? cache_->find(*key) : std::nullopt) {
      if (!known->library.name.empty()) return take(known->library);
      return note_useless(kind, path, is_wanted);
    }
    const ProbedLibrary probed = probe_library(path, kind.load, kLoadingLimit);
    if (key && probed.why.empty() && !probed.file.empty()) cache_->add(*key, probed.library, probed.file);
    if (!probed.library.name.empty()) return take(probed.library);
    if (probed.why.empty()) return note_useless(kind, path, is_wanted);
    if (probed.is_missing && !is_wanted) return;
    // The linker's word begins with the path, or with what it misses.
    notes_->push_back(probed.why.starts_with(path + ":") ? probed.why : path + ": " + probed.why);
  }

 private:
  void take(const Library& library) {
    const auto is_same = [&](const Library& known) { return known.is_same(library); };
    if (std::ranges::none_of(*libraries_, is_same)) libraries_->push_back(library);
  }
  void note_useless(const BackendKind& kind, const std::string& path, bool is_wanted) {
    if (is_wanted) notes_->push_back(path + ": holds nothing that the back end " + std::string(kind.name) + " calls");
  }

  LibraryCache* cache_;
  std::vector<Library>* libraries_;
  std::vector<std::string>* notes_;
  std::set<std::pair<const BackendKind*, std::string>> seen_;
};

/// Machines without one hear nothing of it.
bool is_device_there(LibraryCache* cache, std::vector<std::string>* notes) {
  std::vector<Library> drivers;
  LibraryFinder finder(cache, &drivers, notes);
  finder.try_file(kDriverKind, kDriverKind.files().front(), false);
  return !drivers.empty();
}

}  // namespace

std::vector<Library> find_libraries(const LibrarySearch& search, std::vector<std::string>* notes) {
  std::vector<Library> libraries;
  LibraryCache cache(LibraryCache::default_path());
  LibraryFinder finder(&cache, &libraries, notes);
  std::optional<bool> has_device;
  for (const BackendKind& kind : kBackendKinds) {
    const bool is_named = std::ranges::find(search.backends, kind.name) != search.backends.end();
    if (!is_named && !search.backends.empty()) continue;
    if (kind.on_device) {
      if (!has_device) has_device = is_device_there(&cache, notes);
      if (!*has_device && is_named && search.tells_lack_of_device)
        notes->push_back(std::string(kind.name) + ": there is no CUDA driver with a device");
      if (!*has_device) continue;
    }
    for (const auto& [library, file] : search.files) {
      if (is_of(kind, library)) finder.try_file(kind, file, true);
    }
    for (const std::string& file : kind.files()) finder.try_file(kind, file, false);
  }
  cache.save();
  return libraries;
}

Status load_backend(const Library& library, std::unique_ptr<Backend>* backend) {
  const auto* const kind = std::ranges::find(kBackendKinds, library.backend, &BackendKind::name);
  if (kind == std::end(kBackendKinds)) return {"there is no back end " + library.backend, ""};
  if (Status status = kind->load(library.path, backend); !status.ok()) return status;
  const std::string wanted = library.name + " " + library.version;
  if (*backend == nullptr) return {library.path + ": is no " + library.name, ""};
  const Library& loaded = (*backend)->library();
  if (!loaded.is_same(library)) {
    return {library.path + ": is " + loaded.name + " " + loaded.version + ", not " + wanted, ""};
  }
  return {};
}

bool computes_on_device(std::string_view backend) {
  const auto* const kind = std::ranges::find(kBackendKinds, backend, &BackendKind::name);
  return kind != std::end(kBackendKinds) && kind->on_device;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendKind& kind : kBackendKinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace xsp::bound
