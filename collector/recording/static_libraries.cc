#include "collector/recording/static_libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/monotonic_clock.h"
#include "collector/messages/peer_limits.h"
#include "proto/trace_readers.h"

namespace xsp {
namespace {

constexpr size_t kMaxPathBytes = 4096;
constexpr uint64_t kMaxTableBytes = uint64_t{64} << 20;  // of a file's symbol or string table
constexpr size_t kMaxSections = 4096;

struct Marker {
  std::string_view library;
  std::string_view text;
  std::string_view own_files;  // how the names of the library's own files begin
  std::string_view function;   // one that it exports
};

// Long enough that a mere mention of the library is not mistaken for the library itself.
constexpr Marker kMarkers[] = {
    {"onednn", "ONEDNN_VERBOSE", "libdnnl", "dnnl_primitive_execute"},
    {"onednn", "DNNL_VERBOSE", "libdnnl", "dnnl_primitive_execute"},
    {"cublas", "CUBLAS_LOGINFO_DBG", "libcublas", "cublasCreate_v2"},
    {"cudnn", "CUDNN_LOGDEST_DBG", "libcudnn", "cudnnCreate"},
    {"nccl", "NCCL_DEBUG_SUBSYS", "libnccl", "ncclAllReduce"},
    {"openblas", "OPENBLAS_NUM_THREADS", "libopenblas", "sgemm_"},
    {"mkl", "MKL_VERBOSE", "libmkl", "sgemm_"},
};

/// A regular file that is open; fd is -1 if it is not one.
struct OpenFile {
  int fd = -1;
  uint64_t size = 0;
};

/// Opens whatever a program names: never blocks, and has no effect on a device. Files of /proc are refused, as they
/// have no end and no true size.
OpenFile open_regular(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return {};
  struct statfs system {};
  if (::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && ::fstatfs(fd, &system) == 0 &&
      system.f_type != PROC_SUPER_MAGIC) {
    return {fd, static_cast<uint64_t>(file.st_size)};
  }
  ::close(fd);
  return {};
}

/// The bytes of a range of a file. Shorter if the file is: memory is allocated only for bytes that exist.
std::string read_range(const OpenFile& file, uint64_t offset, uint64_t length) {
  if (offset >= file.size) return {};
  length = std::min(length, file.size - offset);
  std::string bytes(length, '\0');
  size_t at = 0;
  while (at < length) {
    const ssize_t got = ::pread(file.fd, bytes.data() + at, length - at, static_cast<off_t>(offset + at));
    if (got <= 0) break;
    at += static_cast<size_t>(got);
  }
  bytes.resize(at);
  return bytes;
}

template <typename Value>
std::vector<Value> read_values(const OpenFile& file, uint64_t offset, size_t count) {
  const std::string bytes = read_range(file, offset, count * sizeof(Value));
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

std::string_view text_at(std::string_view table, size_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

/// The sections of a file that matter here.
struct Sections {
  Elf64_Shdr data{};     // .rodata
  Elf64_Shdr symbols{};  // .dynsym
  Elf64_Shdr names{};    // .dynstr
};

std::string read_section(const OpenFile& file, const Elf64_Shdr& section) {
  return read_range(file, section.sh_offset, std::min(section.sh_size, kMaxTableBytes));
}

/// False if it is not an ELF file, or has no sections.
bool read_sections(const OpenFile& file, Sections* found) {
  const auto headers = read_values<Elf64_Ehdr>(file, 0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  const auto sections =
      read_values<Elf64_Shdr>(file, headers[0].e_shoff, std::min<size_t>(headers[0].e_shnum, kMaxSections));
  if (headers[0].e_shstrndx >= sections.size()) return false;
  const std::string names = read_section(file, sections[headers[0].e_shstrndx]);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_PROGBITS && text_at(names, section.sh_name) == ".rodata") found->data = section;
    if (section.sh_type == SHT_DYNSYM && section.sh_link < sections.size()) {
      found->symbols = section;
      found->names = sections[section.sh_link];
    }
  }
  return found->data.sh_size > 0;
}

/// The functions that a file exports.
class Exports {
 public:
  Exports(const OpenFile& file, const Sections& sections) : names_(read_section(file, sections.names)) {
    const size_t count = std::min(sections.symbols.sh_size, kMaxTableBytes) / sizeof(Elf64_Sym);
    symbols_ = read_values<Elf64_Sym>(file, sections.symbols.sh_offset, count);
  }
  bool has(std::string_view function) const {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const Elf64_Sym& symbol) {
      return symbol.st_shndx != SHN_UNDEF && text_at(names_, symbol.st_name) == function;
    });
  }

 private:
  std::string names_;
  std::vector<Elf64_Sym> symbols_;
};

bool is_own_file(const std::string& path, const Marker& marker) {
  return path.compare(path.find_last_of('/') + 1, marker.own_files.size(), marker.own_files) == 0;
}

}  // namespace

/// A file that is being searched.
class StaticLibraries::File {
 public:
  explicit File(const std::string& path) : path_(path), file_(open_regular(path)) {
    readable_ = file_.fd >= 0 && read_sections(file_, &sections_);
  }
  ~File() {
    if (file_.fd >= 0) ::close(file_.fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads the next slice. Returns the bytes read, 0 at the end.
  size_t read_slice() {
    if (!readable_ || at_ >= sections_.data.sh_size) return 0;
    const uint64_t length = std::min<uint64_t>(kSliceBytes, sections_.data.sh_size - at_);
    const std::string bytes = read_range(file_, sections_.data.sh_offset + at_, length);
    for (size_t i = 0; i < std::size(kMarkers); ++i) {
      if (!seen_[i]) seen_[i] = ::memmem(bytes.data(), bytes.size(), kMarkers[i].text.data(), kMarkers[i].text.size());
    }
    // A marker may straddle the border of two slices.
    at_ += bytes.size() == kSliceBytes ? kSliceBytes - kMarkerBytes : sections_.data.sh_size;
    return bytes.size();
  }

  std::vector<std::string> libraries() const {
    std::vector<std::string> found;
    if (std::none_of(std::begin(seen_), std::end(seen_), [](bool seen) { return seen; })) return found;
    const Exports exports(file_, sections_);
    for (size_t i = 0; i < std::size(kMarkers); ++i) {
      const Marker& marker = kMarkers[i];
      if (!seen_[i] || is_own_file(path_, marker) || exports.has(marker.function)) continue;
      if (found.empty() || found.back() != marker.library) found.emplace_back(marker.library);
    }
    return found;
  }

 private:
  static constexpr uint64_t kSliceBytes = uint64_t{4} << 20;
  static constexpr uint64_t kMarkerBytes = 64;

  std::string path_;
  OpenFile file_;
  bool readable_ = false;
  Sections sections_;
  uint64_t at_ = 0;
  bool seen_[std::size(kMarkers)] = {};
};

StaticLibraries::StaticLibraries() = default;
StaticLibraries::StaticLibraries(Limits limits) : limits_(limits) {}
StaticLibraries::~StaticLibraries() = default;

void StaticLibraries::add(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (found_.size() < kMaxLoadedFiles && found_.try_emplace(path).second) queue_.push_back(path);
  }
}

bool StaticLibraries::work() {
  if (queue_.empty()) return false;
  const uint64_t begin = monotonic_ns();
  if (file_ == nullptr) file_ = std::make_unique<File>(queue_.front());
  const size_t read = file_->read_slice();
  const bool within_limits = bytes_read_ < limits_.bytes && time_used_ns_ < limits_.nanoseconds;
  if (read == 0 || !within_limits) {
    found_[queue_.front()] = file_->libraries();
    file_.reset();
    queue_.pop_front();
  }
  bytes_read_ += read;
  time_used_ns_ += monotonic_ns() - begin;
  // Beyond the limits, what was found so far counts, and the other files are not searched.
  if (!within_limits) queue_.clear();
  return !queue_.empty();
}

std::vector<std::string> StaticLibraries::found_in(const std::string& path) const {
  const auto known = found_.find(path);
  return known == found_.end() ? std::vector<std::string>() : known->second;
}

Status read_loaded_files(protozero::data_view bytes, std::vector<std::string>* paths) {
  bool is_too_long = false;
  wire::LoadedFiles files;
  const bool is_read =
      wire::read(std::string_view(bytes.data(), bytes.size()), &files, [&](uint32_t, std::string_view path) {
        is_too_long = path.size() > kMaxPathBytes;
        if (is_too_long || paths->size() == kMaxLoadedFiles) return false;
        if (path.starts_with('/')) paths->emplace_back(path);
        return true;
      });
  if (is_read) return Status();
  return Status{is_too_long ? "a loaded file with a path of more than 4 KiB" : "too many loaded files"};
}

}  // namespace xsp
