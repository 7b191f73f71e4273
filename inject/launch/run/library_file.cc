#include "inject/launch/run/library_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "base/owned_fd.h"

namespace xsp::launch {

LibraryFile::LibraryFile(const std::string& path) {
  const OwnedFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) return;
  const auto size = static_cast<size_t>(status.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) return;
  bytes_ = static_cast<const char*>(mapped);
  size_ = size;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(at(0, sizeof(Elf64_Ehdr)));
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) return;
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % alignof(Elf64_Shdr) != 0) return;
  if (at(header->e_shoff, size_t{header->e_shnum} * sizeof(Elf64_Shdr)) == nullptr) return;
  header_ = header;
}

LibraryFile::~LibraryFile() {
  if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
}

const char* LibraryFile::at(size_t offset, size_t size) const {
  return offset <= size_ && size <= size_ - offset ? bytes_ + offset : nullptr;
}

const Elf64_Shdr* LibraryFile::section(uint32_t type, size_t number) const {
  if (header_ == nullptr) return nullptr;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes_ + header_->e_shoff);
  for (size_t i = 0; i < header_->e_shnum; ++i) {
    if (sections[i].sh_type == type && number-- == 0) return &sections[i];
  }
  return nullptr;
}

template <typename Entry>
const Entry* LibraryFile::entries(const Elf64_Shdr* section) const {
  if (section == nullptr || section->sh_offset % alignof(Entry) != 0) return nullptr;
  return reinterpret_cast<const Entry*>(at(section->sh_offset, section->sh_size));
}

template <typename Entry>
size_t LibraryFile::count(const Elf64_Shdr* section) const {
  return entries<Entry>(section) == nullptr ? 0 : section->sh_size / sizeof(Entry);
}

/// A string of the table that belongs to section `of`.
std::string_view LibraryFile::text(const Elf64_Shdr& of, size_t offset) const {
  if (of.sh_link >= header_->e_shnum) return {};
  const Elf64_Shdr& table = reinterpret_cast<const Elf64_Shdr*>(bytes_ + header_->e_shoff)[of.sh_link];
  const char* strings = at(table.sh_offset, table.sh_size);
  if (strings == nullptr || offset >= table.sh_size) return {};
  return {strings + offset, strnlen(strings + offset, table.sh_size - offset)};
}

std::string_view LibraryFile::symbol_name(size_t number) const {
  const Elf64_Shdr* table = section(SHT_DYNSYM);
  if (number >= count<Elf64_Sym>(table)) return {};
  return text(*table, entries<Elf64_Sym>(table)[number].st_name);
}

template <typename IsIt>
bool LibraryFile::exports(IsIt&& is_it) const {
  const Elf64_Shdr* table = section(SHT_DYNSYM);
  const auto* symbols = entries<Elf64_Sym>(table);
  for (size_t i = 0; i < count<Elf64_Sym>(table); ++i) {
    if (symbols[i].st_shndx != SHN_UNDEF && is_it(text(*table, symbols[i].st_name))) return true;
  }
  return false;
}

bool LibraryFile::defines(std::string_view symbol) const {
  return exports([&](std::string_view name) { return name == symbol; });
}

bool LibraryFile::exports_beginning(std::string_view beginning) const {
  return exports([&](std::string_view name) { return name.starts_with(beginning); });
}

bool LibraryFile::relocates(std::string_view beginning, bool also_addresses) const {
  const Elf64_Shdr* table = nullptr;
  for (size_t number = 0; (table = section(SHT_RELA, number)) != nullptr; ++number) {
    const auto* relocations = entries<Elf64_Rela>(table);
    for (size_t i = 0; i < count<Elf64_Rela>(table); ++i) {
      const auto kind = ELF64_R_TYPE(relocations[i].r_info);
      if (kind != R_X86_64_JUMP_SLOT && !(also_addresses && kind == R_X86_64_GLOB_DAT)) continue;
      if (symbol_name(ELF64_R_SYM(relocations[i].r_info)).starts_with(beginning)) return true;
    }
  }
  return false;
}

bool LibraryFile::calls_through_plt(std::string_view beginning) const { return relocates(beginning, false); }
bool LibraryFile::calls_through_table(std::string_view beginning) const { return relocates(beginning, true); }

std::vector<std::string_view> LibraryFile::dynamic_texts(Elf64_Sxword tag) const {
  std::vector<std::string_view> texts;
  const Elf64_Shdr* table = section(SHT_DYNAMIC);
  const auto* members = entries<Elf64_Dyn>(table);
  for (size_t i = 0; i < count<Elf64_Dyn>(table) && members[i].d_tag != DT_NULL; ++i) {
    if (members[i].d_tag == tag) texts.push_back(text(*table, members[i].d_un.d_val));
  }
  return texts;
}

std::vector<std::string> LibraryFile::needed() const {
  const std::vector<std::string_view> texts = dynamic_texts(DT_NEEDED);
  return {texts.begin(), texts.end()};
}

std::string_view LibraryFile::soname() const {
  const std::vector<std::string_view> texts = dynamic_texts(DT_SONAME);
  return texts.empty() ? std::string_view() : texts.front();
}

std::string_view LibraryFile::interpreter() const {
  if (header_ == nullptr || header_->e_phentsize != sizeof(Elf64_Phdr)) return {};
  const char* headers = at(header_->e_phoff, size_t{header_->e_phnum} * sizeof(Elf64_Phdr));
  if (headers == nullptr) return {};
  for (size_t i = 0; i < header_->e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, headers + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    const char* path = at(segment.p_offset, segment.p_filesz);
    return path == nullptr ? std::string_view() : std::string_view(path, strnlen(path, segment.p_filesz));
  }
  return {};
}

}  // namespace xsp::launch
