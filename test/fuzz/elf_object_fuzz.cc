/// Entry for the guest's reader of loaded objects: the input is the memory of one, with its program headers where an
/// ELF header says. The reader is a part of this program, so that it can be given an object that no loader has seen.

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "inject/objects/elf_object.cc"  // NOLINT(bugprone-suspicious-include)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xsp::guest;
  if (size < sizeof(ElfW(Ehdr))) return 0;
  // As aligned as a mapping, and as long as the input: what is read behind it is found.
  auto* image = static_cast<uint8_t*>(std::aligned_alloc(4096, (size + 4095) & ~size_t{4095}));
  std::memcpy(image, data, size);
  ElfW(Ehdr) header;
  std::memcpy(&header, image, sizeof header);
  std::vector<ElfW(Phdr)> segments;
  for (size_t i = 0; i < header.e_phnum % 16; ++i) {
    ElfW(Phdr) segment;
    const size_t at = header.e_phoff + i * sizeof segment;
    if (at > size || size - at < sizeof segment) break;
    std::memcpy(&segment, image + at, sizeof segment);
    // Those of a mapped object are sound: the loader made them.
    if (segment.p_vaddr > size || segment.p_memsz > size - segment.p_vaddr) continue;
    segments.push_back(segment);
  }
  dl_phdr_info info{};
  info.dlpi_addr = reinterpret_cast<uintptr_t>(image);
  info.dlpi_name = "fuzz";
  info.dlpi_phdr = segments.data();
  info.dlpi_phnum = static_cast<ElfW(Half)>(segments.size());
  ElfObject object;
  if (read_object(info, &object)) {
    for (const char* name : {"cos", "f", "cblas_sgemm", ""}) {
      for (const char* version : {static_cast<const char*>(nullptr), "GLIBC_2.2.5", "V1"}) {
        (void)defines_symbol(object, name, version);
      }
      (void)version_of_reference(object, name);
    }
    size_t letters = 0;
    each_slot(object, [&](const SymbolSlot& slot) { letters += std::strlen(slot.name); });
    if (object.soname != nullptr) letters += std::strlen(object.soname);
    if (letters == SIZE_MAX) std::abort();
  }
  std::free(image);
  return 0;
}
