#include "inject/cupti/library/cupti_library.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/driver_functions.h"
#include "inject/guard/mapped_memory.h"
#include "inject/guard/settings.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/loader_functions.h"
#include "proto/environment.h"

namespace xsp::guest {
namespace {

using Path = FixedText<1024>;

constexpr uint32_t kNewestMajor = 13;
constexpr uint32_t kOldestMajor = 11;
constexpr size_t kMaxMapped = 8;
constexpr size_t kMaxFolders = 8;

/// Libraries of the CUDA that the program uses.
constexpr const char* kCudaLibraries[] = {"libcudart.so", "libcublas.so",     "libcublasLt.so", "libcudnn.so",
                                          "libnvrtc.so",  "libtorch_cuda.so", "libc10_cuda.so"};
/// Where CUPTI lies as seen from their folder: a toolkit, and Python's packages.
constexpr const char* kBesideCuda[] = {"",
                                       "/../../cuda_cupti/lib",
                                       "/../../cu13/lib",
                                       "/../extras/CUPTI/lib64",
                                       "/../../../extras/CUPTI/lib64",
                                       "/../../nvidia/cu13/lib",
                                       "/../../nvidia/cuda_cupti/lib"};
constexpr const char* kInToolkit[] = {"/lib64", "/lib", "/extras/CUPTI/lib64"};

bool begins_with(const char* text, const char* beginning) {
  return text != nullptr && strncmp(text, beginning, strlen(beginning)) == 0;
}

/// Triton brings copies for its own profiler: the program's CUDA does not use them.
bool is_private_copy(const char* path) { return strstr(path, "/triton/") != nullptr; }

/// What is loaded, by path; collected while the loader's lock is held.
struct LoadedPaths {
  Path cupti[kMaxMapped];
  size_t cupti_count = 0;
  Path folders[kMaxFolders];
  size_t folder_count = 0;

  void add_folder(const char* path) {
    const char* slash = strrchr(path, '/');
    if (slash == nullptr || folder_count == kMaxFolders) return;
    Path folder;
    folder.put({path, static_cast<size_t>(slash - path)});
    for (size_t i = 0; i < folder_count; ++i) {
      if (folders[i].view() == folder.view()) return;
    }
    folders[folder_count++] = folder;
  }
};

void find_loaded_paths(LoadedPaths& loaded) {
  each_object([&](const ElfObject& object) {
    if (is_guest(object) || object.path == nullptr) return false;
    if (begins_with(object.file_name(), "libcupti.so") || begins_with(object.soname, "libcupti.so")) {
      if (loaded.cupti_count < kMaxMapped) loaded.cupti[loaded.cupti_count++].put(object.path);
      return false;
    }
    for (const char* name : kCudaLibraries) {
      if (begins_with(object.file_name(), name)) loaded.add_folder(object.path);
    }
    return false;
  });
}

/// "13.0.1", "12.8": as a user knows it.
void put_version(Path& text, uint32_t version) {
  if (version >= 130000) {
    text.put_number(version / 10000).put(".").put_number(version / 100 % 100);
  } else {
    text.put("API version ").put_number(version);
  }
}

class Search {
 public:
  Search(CuptiLibrary* library, Path* why_not, LoadedPaths* loaded)
      : library_(*library), why_not_(*why_not), driver_major_(driver_version() / 1000), loaded_(*loaded) {}

  bool run() {
    char chosen[1024];
    copy_environment(variable::kCupti, chosen, sizeof chosen);
    if (chosen[0] != '\0') return open(chosen);
    find_loaded_paths(loaded_);
    return try_mapped(false) || try_beside_cuda() || try_environment() || try_loader() || try_usual_places() ||
           try_wheels() || try_mapped(true);
  }

 private:
  bool try_mapped(bool private_copies) {
    for (size_t i = 0; i < loaded_.cupti_count; ++i) {
      const char* path = loaded_.cupti[i].c_str();
      if (is_private_copy(path) == private_copies && open(path)) return true;
    }
    return false;
  }

  bool try_beside_cuda() {
    for (size_t i = 0; i < loaded_.folder_count; ++i) {
      for (const char* from_there : kBesideCuda) {
        if (try_folder(loaded_.folders[i].c_str(), from_there)) return true;
      }
    }
    return false;
  }

  bool try_environment() {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
      char root[900];
      copy_environment(name, root, sizeof root);
      if (root[0] != '\0' && try_toolkit(root)) return true;
    }
    return false;
  }

  bool try_usual_places() {
    if (try_toolkit("/usr/local/cuda")) return true;
    for (uint32_t major = newest_major(); major >= kOldestMajor; --major) {
      for (uint32_t minor = 10; minor-- > 0;) {
        Path root;
        root.put("/usr/local/cuda-").put_number(major).put(".").put_number(minor);
        if (access(root.c_str(), F_OK) == 0 && try_toolkit(root.c_str())) return true;
      }
    }
    return false;
  }

  /// The folders that xsp-run found for the active Python, with which the program may have nothing to do.
  bool try_wheels() {
    char list[4096];
    copy_environment(variable::kCuptiFolders, list, sizeof list);
    for (char* folder = list; *folder != '\0';) {
      char* end = strchr(folder, ':');
      if (end != nullptr) *end = '\0';
      if (*folder != '\0' && try_folder(folder, "")) return true;
      if (end == nullptr) break;
      folder = end + 1;
    }
    return false;
  }

  bool try_toolkit(const char* root) {
    for (const char* folder : kInToolkit) {
      if (try_folder(root, folder)) return true;
    }
    return false;
  }

  template <typename Visit>
  bool each_file_name(Visit&& visit) const {
    for (uint32_t major = newest_major(); major >= kOldestMajor; --major) {
      FixedText<32> name;
      name.put("libcupti.so.").put_number(major);
      if (major == 11) name.put(".8");
      if (visit(name.view())) return true;
    }
    return visit(std::string_view("libcupti.so"));
  }

  bool try_folder(const char* root, const char* folder) {
    return each_file_name([&](std::string_view name) {
      Path path;
      path.put(root).put(folder).put("/").put(name);
      return !path.full() && access(path.c_str(), R_OK) == 0 && open(path.c_str());
    });
  }

  bool try_loader() {
    return each_file_name([&](std::string_view name) {
      Path path;
      path.put(name);
      return open(path.c_str(), true);
    });
  }

  uint32_t newest_major() const {
    return driver_major_ == 0 || driver_major_ > kNewestMajor ? kNewestMajor : driver_major_;
  }

  /// `silent`: a missing file is not reported.
  bool open(const char* path, bool silent = false) {
    const LookupErrorKeeper error_keeper;
    void* handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* error = next_loader().dlerror();
      if (!silent) say(path, error == nullptr ? "cannot be loaded" : error);
      return false;
    }
    library_.functions = {};
    if (const char* missing = find_functions(handle)) {
      FixedText<128> text;
      say(path, text.put("has no ").put(missing).c_str());
      return false;
    }
    library_.version = 0;
    if (library_.functions.get_version(&library_.version) != cupti::kSuccess) {
      say(path, "cannot be used with this driver");
      return false;
    }
    if (!fits(path)) return false;
    library_.handle = handle;
    library_.path.clear();
    library_.path.put(path);
    return true;
  }

  bool fits(const char* path) {
    Path text;
    const uint32_t major = cuda_major_of(library_.version);
    if (library_.version < cupti::kOldestVersion) {
      text.put("is older than that of CUDA 11.8");
    } else if (library_.version >= cupti::kFirstUnknownVersion) {
      text.put("is of a version that is not known, ");
      put_version(text, library_.version);
    } else if (driver_major_ != 0 && major > driver_major_) {
      text.put("is of CUDA ").put_number(major).put(", the driver of CUDA ").put_number(driver_major_);
    } else {
      return true;
    }
    say(path, text.c_str());
    return false;
  }

  /// Null, or the name of a function that is missing.
  const char* find_functions(void* handle) {
    const auto find = [handle](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(next_loader().dlsym(handle, name));
      return function != nullptr ? nullptr : name;
    };
    cupti::Functions& functions = library_.functions;
    find(functions.set_thread_id_type, "cuptiSetThreadIdType");
    find(functions.get_graph_node_id, "cuptiGetGraphNodeId");
    find(functions.activity_enable_runtime_api, "cuptiActivityEnableRuntimeApi");
    find(functions.activity_enable_driver_api, "cuptiActivityEnableDriverApi");
    find(library_.named_subscribe, "cuptiSubscribe_v2");
    const char* missing[] = {
        find(functions.get_version, "cuptiGetVersion"),
        find(functions.get_timestamp, "cuptiGetTimestamp"),
        find(functions.get_result_string, "cuptiGetResultString"),
        find(functions.subscribe, "cuptiSubscribe"),
        find(functions.unsubscribe, "cuptiUnsubscribe"),
        find(functions.enable_callback, "cuptiEnableCallback"),
        find(functions.get_callback_name, "cuptiGetCallbackName"),
        find(functions.activity_enable, "cuptiActivityEnable"),
        find(functions.activity_disable, "cuptiActivityDisable"),
        find(functions.activity_register_callbacks, "cuptiActivityRegisterCallbacks"),
        find(functions.activity_flush_all, "cuptiActivityFlushAll"),
        find(functions.activity_get_next_record, "cuptiActivityGetNextRecord"),
        find(functions.activity_get_num_dropped_records, "cuptiActivityGetNumDroppedRecords"),
        find(functions.activity_set_attribute, "cuptiActivitySetAttribute"),
    };
    for (const char* name : missing) {
      if (name != nullptr) return name;
    }
    return nullptr;
  }

  void say(const char* path, const char* what) {
    if (!why_not_.empty()) why_not_.put("; ");
    why_not_.put(path).put(" ").put(what);
  }

  CuptiLibrary& library_;
  Path& why_not_;
  uint32_t driver_major_;
  LoadedPaths& loaded_;
};

}  // namespace

uint32_t cuda_major_of(uint32_t version) {
  constexpr uint32_t kFirstOfCuda12 = 19;
  if (version >= 130000) return version / 10000;
  if (version >= kFirstOfCuda12) return 12;
  return version >= cupti::kOldestVersion ? 11 : 0;
}

bool load_cupti(CuptiLibrary* library, FixedText<1024>* why_not) {
  const MappedMemory memory(sizeof(LoadedPaths));
  if (memory.data() == nullptr) return false;
  Search search(library, why_not, new (memory.data()) LoadedPaths);
  return search.run();
}

}  // namespace xsp::guest
