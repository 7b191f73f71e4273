#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "bound/backends/backend.h"
#include "bound/backends/library_cache.h"
#include "bound/backends/library_json.h"
#include "bound/backends/library_probe.h"
#include "bound/backends/python_folders.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using namespace std::chrono_literals;

/// Sets variables for one test; an empty value: not there.
class TestEnvironment {
 public:
  explicit TestEnvironment(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const old = getenv(name.c_str());
      if (old != nullptr) {
        old_[name] = old;
      } else {
        old_[name] = std::nullopt;
      }
      set(name, value.empty() ? std::nullopt : std::optional(value));
    }
  }
  ~TestEnvironment() {
    for (const auto& [name, value] : old_) set(name, value);
  }
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;

 private:
  static void set(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  std::map<std::string, std::optional<std::string>> old_;
};

/// No Python of this machine.
std::map<std::string, std::string> only(const std::string& path, std::map<std::string, std::string> more = {}) {
  more["PATH"] = path;
  for (const char* name : {"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_VERSION", "HOME"})
    more.emplace(name, "");
  return more;
}

void make_program(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/false\n";
  chmod(path.c_str(), 0755);
}

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// A back end that computes nothing.
class NamedBackend : public Backend {
 public:
  explicit NamedBackend(Library library) : library_(std::move(library)) {}
  const Library& library() const override { return library_; }
  Status set_threads(int) override { return {}; }
  Status candidates(const WorkItem&, std::vector<std::unique_ptr<Candidate>>*) override { return {}; }

 private:
  Library library_;
};

}  // namespace

TEST_CASE("packages are found behind PYTHONPATH, a virtual environment, conda, and a link to an installed Python") {
  const TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  const fs::path extra = root / "extra";
  const fs::path environment = root / "venv/lib/python3.11/site-packages";
  const fs::path conda = root / "conda/lib/python3.12/site-packages";
  const fs::path installed = root / "python/lib/python3.10/site-packages";
  const fs::path other_version = root / "python/lib/python3.9/site-packages";
  const fs::path user = root / "home/.local/lib/python3.10/site-packages";
  for (const fs::path& each : {extra, environment, conda, installed, other_version, user}) fs::create_directories(each);
  make_program(root / "python/bin/python3.10");
  fs::create_directories(root / "bin");
  fs::create_symlink(root / "python/bin/python3.10", root / "bin/python3");

  const TestEnvironment set(only(root / "bin", {{"PYTHONPATH", extra.string() + "::/nowhere"},
                                                {"VIRTUAL_ENV", root / "venv"},
                                                {"CONDA_PREFIX", root / "conda"},
                                                {"HOME", root / "home"}}));
  CHECK(python_folders() == std::vector<std::string>{extra, environment, conda, user, installed});
  CHECK(python_library_folders() ==
        std::vector<std::string>{root / "venv/lib", root / "conda/lib", root / "home/.local/lib", root / "python/lib"});
}

TEST_CASE(
    "the Python of a virtual environment on PATH is that environment, with what it was made from if it sees that") {
  const TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  const fs::path inner = root / "venv/lib/python3.10/site-packages";
  const fs::path outer = root / "python/lib/python3.10/site-packages";
  for (const fs::path& each : {inner, outer}) fs::create_directories(each);
  make_program(root / "python/bin/python3.10");
  fs::create_directories(root / "venv/bin");
  fs::create_symlink(root / "python/bin/python3.10", root / "venv/bin/python3");
  const TestEnvironment set(only(root / "venv/bin"));

  write_text(root / "venv/pyvenv.cfg", "home = /somewhere\ninclude-system-site-packages = false\n");
  CHECK(python_folders() == std::vector<std::string>{inner});
  write_text(root / "venv/pyvenv.cfg", "home = /somewhere\ninclude-system-site-packages = true\n");
  CHECK(python_folders() == std::vector<std::string>{inner, outer});
}

TEST_CASE("pyenv's shims lead to the version that is chosen") {
  const TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  for (const char* version : {"3.10.1", "3.12.0"}) {
    const std::string series = std::string(version).substr(0, 4);
    const fs::path prefix = root / "versions" / version;
    fs::create_directories(prefix / "lib" / ("python" + series) / "site-packages");
    make_program(prefix / "bin" / ("python" + series));
    fs::create_symlink("python" + series, prefix / "bin/python3");
  }
  make_program(root / "shims/python3");
  write_text(root / "version", "3.12.0\n");
  {
    const TestEnvironment set(only(root / "shims"));
    CHECK(python_folders() == std::vector<std::string>{root / "versions/3.12.0/lib/python3.12/site-packages"});
  }
  const TestEnvironment set(only(root / "shims", {{"PYENV_VERSION", "3.10.1"}}));
  CHECK(python_folders() == std::vector<std::string>{root / "versions/3.10.1/lib/python3.10/site-packages"});
}

TEST_CASE("a library is loaded in a process of its own, which may end as it likes") {
  const auto probe = [](const LoadLibrary& load) { return probe_library("libm.so.6", load, 300ms); };
  const pid_t self = getpid();

  const ProbedLibrary good = probe([self](const std::string& path, std::unique_ptr<Backend>* backend) {
    if (getpid() == self) return Status{"in the same process", ""};
    *backend = std::make_unique<NamedBackend>(Library{"blas", "mine", "1.2", "build", path});
    return Status{};
  });
  CHECK(good.why.empty());
  CHECK(good.library.name == "mine");
  CHECK(good.library.version == "1.2");
  CHECK(fs::path(good.file).filename() == "libm.so.6");
  CHECK(good.file.starts_with("/"));

  CHECK(probe([](const std::string&, std::unique_ptr<Backend>*) -> Status { abort(); }).why ==
        std::string("ends the process that loads it: ") + strsignal(SIGABRT));
  CHECK(probe([](const std::string&, std::unique_ptr<Backend>*) -> Status { _exit(7); }).why ==
        "ends the process that loads it with exit code 7");
  CHECK(probe([](const std::string&, std::unique_ptr<Backend>*) -> Status { _exit(0); }).why ==
        "says nothing while it is loaded");
  CHECK(probe([](const std::string&, std::unique_ptr<Backend>*) -> Status {
          return {"no\x1b[2J", ""};
        }).why == "no?[2J");
  const auto begin = std::chrono::steady_clock::now();
  CHECK(probe([](const std::string&, std::unique_ptr<Backend>*) -> Status {
          while (true) pause();
        }).why == "is not loaded within 0 s");
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("a file that a user names is told about if it cannot be used, names that lead nowhere are not") {
  const TemporaryFolder folder;
  const std::string root = fs::canonical(folder.path());
  write_text(root + "/libdamaged.so", "no library");
  const TestEnvironment set(only(root, {{"XDG_CACHE_HOME", root}}));
  std::vector<std::string> notes;
  LibrarySearch search;
  search.backends = {"blas"};
  search.files = {
      {"openblas", root + "/libdamaged.so"}, {"mkl", root + "/missing.so"}, {"onnxruntime", root + "/not_asked.so"}};
  find_libraries(search, &notes);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].starts_with(root + "/libdamaged.so: "));
  CHECK(notes[1].starts_with(root + "/missing.so: "));
}

TEST_CASE("libraries are found again without being loaded, in a small part of the time") {
  const TemporaryFolder folder;
  const TestEnvironment set({{"XDG_CACHE_HOME", folder.path()}, {"LD_LIBRARY_PATH", ""}});
  std::vector<std::string> notes;
  const std::vector<Library> first = find_libraries({}, &notes);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Library> second = find_libraries({}, &notes);
  CHECK(std::chrono::steady_clock::now() - begin < 400ms);
  REQUIRE(second.size() == first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    CHECK(second[i].is_same(first[i]));
    CHECK(second[i].path == first[i].path);
    for (size_t other = 0; other < i; ++other) CHECK_FALSE(first[i].is_same(first[other]));
  }
}

TEST_CASE("where a bare name leads to is not remembered while it may lead into a folder of the user's") {
  const auto [folders, is_remembered] = GENERATE(std::pair("", true), std::pair("/nowhere", false));
  const TemporaryFolder folder;
  const std::string root = fs::canonical(folder.path());
  const TestEnvironment set(only(root, {{"XDG_CACHE_HOME", root}, {"LD_LIBRARY_PATH", folders}}));
  std::vector<std::string> notes;
  LibrarySearch search;
  search.backends = {"blas"};
  search.files = {{"openblas", "libm.so.6"}};
  find_libraries(search, &notes);
  std::ifstream file(root + "/xsp/libraries.json");
  const std::string remembered{std::istreambuf_iterator<char>(file), {}};
  CHECK((remembered.find("blas libm.so.6") != std::string::npos) == is_remembered);
}

TEST_CASE("what is known of a file holds until the file changes") {
  const TemporaryFolder folder;
  const std::string root = folder.path();
  const std::string file = root + "/libsome.so";
  const std::string path = root + "/cache/libraries.json";
  write_text(file, "one");
  const Library library{"blas", "some", "1.0", "made by \xff hand", file};
  {
    LibraryCache cache(path);
    CHECK_FALSE(cache.find("key"));
    cache.add("key", library, file);
    cache.add("nothing", {}, file);
    cache.add("gone", library, root + "/gone.so");
    cache.save();
  }
  const LibraryCache again(path);
  REQUIRE(again.find("key"));
  CHECK(again.find("key")->library.is_same(library));
  CHECK(again.find("key")->library.path == file);
  REQUIRE(again.find("nothing"));
  CHECK(again.find("nothing")->library.name.empty());
  CHECK_FALSE(again.find("gone"));
  write_text(file, "three");
  CHECK_FALSE(again.find("key"));
  CHECK(fs::exists(path));
  CHECK(std::distance(fs::directory_iterator(root + "/cache"), fs::directory_iterator()) == 1);
}

TEST_CASE("a damaged memory of libraries is an empty one") {
  const TemporaryFolder folder;
  const std::string path = std::string(folder.path()) + "/libraries.json";
  const std::string file = std::string(folder.path()) + "/libsome.so";
  write_text(file, "one");
  LibraryCache whole(path);
  whole.add("key", {"blas", "some", "1.0", "", file}, file);
  whole.save();
  std::ifstream stream(path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(LibraryCache(path).find("key"));

  for (size_t size = 0; size < text.size(); ++size) {
    write_text(path, text.substr(0, size));
    CHECK(LibraryCache(path).find("key").has_value() == (size + 1 >= text.size() && text.back() == '\n'));
  }
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    write_text(path, changed.replace(at, from.size(), to));
    return LibraryCache(path).find("key").has_value();
  };
  CHECK_FALSE(with("\"version\": \"1.0\"", "\"version\": 7"));
  CHECK_FALSE(with("\"format\": 1", "\"format\": 2"));
  CHECK_FALSE(with(XSP_VERSION, "0.0.0-other"));
  CHECK_FALSE(with("\"bytes\": 3", "\"bytes\": 3.5e300"));
  write_text(path, "[1, 2]");
  CHECK_FALSE(LibraryCache(path).find("key"));
  write_text(path, std::string(100000, '['));
  CHECK_FALSE(LibraryCache(path).find("key"));
}

TEST_CASE("a library that is not what it was is not taken for it") {
  std::unique_ptr<Backend> backend;
  CHECK(load_backend({"vulkan", "vulkan", "1", "", "/x"}, &backend).error == "there is no back end vulkan");
  CHECK(load_backend({"blas", "openblas", "0.3.21", "", "libm.so.6"}, &backend).error == "libm.so.6: is no openblas");
}

TEST_CASE("a library is handed on and kept with the GPU that it computes on") {
  Library library{"cublas", "cublas", "13.1.0", "", "/lib/libcublas.so.13"};
  Library read;
  REQUIRE(read_library(json_of_library(library), &read));
  CHECK_FALSE(read.device);
  library.device = {.device = "NVIDIA H100 80GB HBM3",
                    .isa = "sm_90",
                    .cores = 132,
                    .memory_bytes = uint64_t{80} << 30,
                    .cache_bytes = 50 << 20,
                    .driver = "CUDA 13.0",
                    .clocks = "1.98 GHz",
                    .host_hash = "abc"};
  REQUIRE(read_library(json_of_library(library), &read));
  REQUIRE(read.device);
  CHECK(read.device->key() == "NVIDIA H100 80GB HBM3, sm_90, 132 multiprocessors, 80 GiB");
  CHECK(read.device->cache_bytes == library.device->cache_bytes);
  CHECK(read.device->driver == "CUDA 13.0");
  CHECK(read.device->clocks == "1.98 GHz");
  CHECK(read.device->host_hash == "abc");
  nlohmann::json damaged = json_of_library(library);
  damaged["device"].erase("isa");
  CHECK_FALSE(read_library(damaged, &read));
}

TEST_CASE("the names of back ends are those of the option") {
  CHECK(computes_on_device("cublaslt"));
  CHECK(computes_on_device("cudnn"));
  CHECK_FALSE(computes_on_device("onnxruntime"));
  CHECK_FALSE(computes_on_device("cuda"));
  CHECK(backend_names() == std::vector<std::string>{"onednn", "blas", "onnxruntime", "cublas", "cublaslt", "cudnn"});
}

}  // namespace xsp::bound
