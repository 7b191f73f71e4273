#include "collector/static_libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collector/peer_limits.h"
#include "collector/tsc_rate.h"

namespace xsp {
namespace {

constexpr size_t kMaxPathBytes = 4096;
constexpr uint64_t kMaxTableBytes = uint64_t{64} << 20;  // of a file's symbol or string table
constexpr size_t kMaxSections = 4096;

struct Marker {
  std::string_view library;
  std::string_view text;
  std::string_view own_files;  // the beginning of the library's own files' names
  std::string_view function;   // one that it exports
};

// Longer than a short word, so that no mention in passing is taken for the library itself.
constexpr Marker kMarkers[] = {
    {"onednn", "ONEDNN_VERBOSE", "libdnnl", "dnnl_primitive_execute"},
    {"onednn", "DNNL_VERBOSE", "libdnnl", "dnnl_primitive_execute"},
    {"cublas", "CUBLAS_LOGINFO_DBG", "libcublas", "cublasCreate_v2"},
    {"cudnn", "CUDNN_LOGDEST_DBG", "libcudnn", "cudnnCreate"},
    {"nccl", "NCCL_DEBUG_SUBSYS", "libnccl", "ncclAllReduce"},
    {"openblas", "OPENBLAS_NUM_THREADS", "libopenblas", "sgemm_"},
    {"mkl", "MKL_VERBOSE", "libmkl", "sgemm_"},
};

/// Bytes of a range of a file. Shorter when the file is.
std::string read_range(int fd, uint64_t offset, uint64_t length) {
  std::string bytes(length, '\0');
  size_t at = 0;
  while (at < length) {
    const ssize_t got = ::pread(fd, bytes.data() + at, length - at, static_cast<off_t>(offset + at));
    if (got <= 0) break;
    at += static_cast<size_t>(got);
  }
  bytes.resize(at);
  return bytes;
}

template <typename Value>
std::vector<Value> read_values(int fd, uint64_t offset, size_t count) {
  const std::string bytes = read_range(fd, offset, count * sizeof(Value));
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

std::string_view text_at(std::string_view table, size_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

/// What a section table says of a file.
struct Sections {
  Elf64_Shdr data{};     // .rodata
  Elf64_Shdr symbols{};  // .dynsym
  Elf64_Shdr names{};    // .dynstr
};

std::string read_section(int fd, const Elf64_Shdr& section) {
  return read_range(fd, section.sh_offset, std::min(section.sh_size, kMaxTableBytes));
}

/// False: no ELF file, or one without sections.
bool read_sections(int fd, Sections* found) {
  const auto headers = read_values<Elf64_Ehdr>(fd, 0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  const auto sections =
      read_values<Elf64_Shdr>(fd, headers[0].e_shoff, std::min<size_t>(headers[0].e_shnum, kMaxSections));
  if (headers[0].e_shstrndx >= sections.size()) return false;
  const std::string names = read_section(fd, sections[headers[0].e_shstrndx]);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_PROGBITS && text_at(names, section.sh_name) == ".rodata") found->data = section;
    if (section.sh_type == SHT_DYNSYM && section.sh_link < sections.size()) {
      found->symbols = section;
      found->names = sections[section.sh_link];
    }
  }
  return found->data.sh_size > 0;
}

bool exports(int fd, const Sections& sections, std::string_view function) {
  const std::string names = read_section(fd, sections.names);
  const size_t count = std::min(sections.symbols.sh_size, kMaxTableBytes) / sizeof(Elf64_Sym);
  const auto symbols = read_values<Elf64_Sym>(fd, sections.symbols.sh_offset, count);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
    return symbol.st_shndx != SHN_UNDEF && text_at(names, symbol.st_name) == function;
  });
}

bool is_own_file(const std::string& path, const Marker& marker) {
  return path.compare(path.find_last_of('/') + 1, marker.own_files.size(), marker.own_files) == 0;
}

}  // namespace

/// One file being looked through.
class StaticLibraries::File {
 public:
  explicit File(const std::string& path) : path_(path) {
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    readable_ = fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) && read_sections(fd_, &sections_);
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads on. Returns the bytes read, 0 at the end.
  size_t read_slice() {
    if (!readable_ || at_ >= sections_.data.sh_size) return 0;
    const uint64_t length = std::min<uint64_t>(kSliceBytes, sections_.data.sh_size - at_);
    const std::string bytes = read_range(fd_, sections_.data.sh_offset + at_, length);
    for (size_t i = 0; i < std::size(kMarkers); ++i) {
      if (!seen_[i]) seen_[i] = ::memmem(bytes.data(), bytes.size(), kMarkers[i].text.data(), kMarkers[i].text.size());
    }
    // A marker may lie across the border of two slices.
    at_ += bytes.size() == kSliceBytes ? kSliceBytes - kMarkerBytes : sections_.data.sh_size;
    return bytes.size();
  }

  std::vector<std::string> libraries() const {
    std::vector<std::string> found;
    for (size_t i = 0; i < std::size(kMarkers); ++i) {
      const Marker& marker = kMarkers[i];
      if (!seen_[i] || is_own_file(path_, marker) || exports(fd_, sections_, marker.function)) continue;
      if (found.empty() || found.back() != marker.library) found.emplace_back(marker.library);
    }
    return found;
  }

 private:
  static constexpr uint64_t kSliceBytes = uint64_t{4} << 20;
  static constexpr uint64_t kMarkerBytes = 64;

  std::string path_;
  int fd_ = -1;
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
  if (!within_limits) queue_.clear();
  return !queue_.empty();
}

std::vector<std::string> StaticLibraries::found_in(const std::string& path) const {
  const auto known = found_.find(path);
  return known == found_.end() ? std::vector<std::string>() : known->second;
}

Status read_loaded_files(protozero::data_view bytes, std::vector<std::string>* paths) {
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    if (fields.tag() != 1) {
      fields.skip();
      continue;
    }
    const auto path = fields.get_view();
    if (path.size() > kMaxPathBytes) return Status::error("a loaded file with a path of more than 4 KiB");
    if (paths->size() == kMaxLoadedFiles) return Status::error("too many loaded files");
    if (path.size() > 0 && path.data()[0] == '/') paths->emplace_back(path.data(), path.size());
  }
  return Status::ok();
}

}  // namespace xsp
