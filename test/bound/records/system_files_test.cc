#include <filesystem>

#include "bound/records/processor_name.h"
#include "bound/records/system_files.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

/// Files of /proc and /sys of a machine that does not exist.
class OtherMachine {
 public:
  OtherMachine& file(const std::string& path, const std::string& text) {
    const std::filesystem::path place = root_ / path;
    std::filesystem::create_directories(place.parent_path());
    test::write_file(place.string(), text);
    return *this;
  }
  const std::string& root() const { return root_.path(); }

 private:
  test::TemporaryFolder root_;
};

}  // namespace

TEST_CASE("facts of an x86 machine come from its files") {
  OtherMachine machine;
  machine
      .file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Xeon 8370C @ 2.80GHz\nflags\t\t: fpu sse2 avx avx2 avx512f\n")
      .file("proc/meminfo", "MemTotal:       25165824 kB\nMemFree:         1 kB\n")
      .file("proc/sys/kernel/osrelease", "6.1.0-28-amd64\n")
      .file("etc/machine-id", "0123456789abcdef0123456789abcdef\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n")
      .file("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n")
      .file("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n")
      .file("sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n")
      .file("sys/devices/system/cpu/cpu0/cache/index1/level", "3\n")
      .file("sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n")
      .file("sys/devices/system/cpu/cpu0/cache/index1/size", "48M\n");
  const SystemFacts facts = facts_from_files(machine.root(), 2);
  CHECK(facts.key() == "Xeon 8370C @ 2.80GHz, avx512, 2 cores, 24 GiB");
  CHECK(facts.driver == "6.1.0-28-amd64");
  CHECK(facts.clocks == "performance, 3.50 GHz");
  CHECK(facts.cache_bytes == uint64_t{48} << 20);
  CHECK(facts.host_hash.size() == 12);
  CHECK(facts.host_hash.find("0123456789ab") == std::string::npos);
}

TEST_CASE("an Arm processor is named by its implementer and part") {
  const std::string features = "Features\t: fp asimd asimddp sve sve2\n";
  const ProcessorName graviton =
      processor_named_in("processor\t: 0\n" + features + "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  CHECK(graviton.device == "Arm Neoverse-V2");
  CHECK(graviton.isa == "sve2");
  CHECK(processor_named_in("CPU implementer : 0x41\nCPU part : 0xfff\n").device == "Arm part 0xfff");
  CHECK(processor_named_in("CPU implementer : 0x99\nCPU part : 0x1\n").device == "implementer 0x99 part 0x1");
}

TEST_CASE("the widest extension counts, whatever the order of the flags") {
  CHECK(processor_named_in("flags : avx512_vnni avx avx512f amx_int8 avx2").isa == "amx_int8");
  CHECK(processor_named_in("flags : avx2 avx512_vnni avx512f avx512_bf16").isa == "avx512_bf16");
  CHECK(processor_named_in("flags : sse2 sse4_1 avxx").isa == "sse4_1");
  CHECK(processor_named_in("").isa == "scalar");
  CHECK(processor_named_in("").device == "unknown processor");
}

TEST_CASE("all extensions that are known are listed, the widest first, and the key names the widest alone") {
  const ProcessorName server = processor_named_in("flags : fpu avx512_vnni amx_bf16 avx avx512f sse2 avx_vnni ht");
  CHECK(server.isa == "avx512_vnni");
  CHECK(server.instructions == "avx512_vnni avx512 avx_vnni avx sse2 amx_bf16");
  CHECK(processor_named_in("Features : asimd asimdhp bf16 sve").instructions == "sve asimd bf16 asimdhp");
  CHECK(processor_named_in("").instructions.empty());
  OtherMachine machine;
  machine.file("proc/cpuinfo", "model name : X\nflags : avx2 avx512_vnni avx512_bf16\n");
  const SystemFacts facts = facts_from_files(machine.root(), 1);
  CHECK(facts.instructions == "avx512_bf16 avx512_vnni avx2");
  CHECK(facts.key() == "X, avx512_bf16, 1 core, 0 GiB");
}

TEST_CASE("quotas of control groups lower the cores, parts of one rounded up") {
  OtherMachine machine;
  machine.file("proc/self/cgroup", "0::/job\n").file("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  CHECK(facts_from_files(machine.root(), 8).cores == 2);
  CHECK(facts_from_files(machine.root(), 1).cores == 1);
  machine.file("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  CHECK(facts_from_files(machine.root(), 8).cores == 8);
}

TEST_CASE("a machine that tells nothing still has a key") {
  const test::TemporaryFolder nothing;
  const SystemFacts facts = facts_from_files(nothing.path(), 1);
  CHECK(facts.key() == "unknown processor, scalar, 1 core, 0 GiB");
  CHECK(facts.host_hash.empty());
}

TEST_CASE("this machine is described") {
  const SystemFacts facts = this_system();
  CHECK(facts.cores >= 1);
  CHECK(facts.memory_bytes > uint64_t{1} << 28);
  CHECK_FALSE(facts.driver.empty());
  CHECK(this_system().key() == facts.key());
}

TEST_CASE("sizes of caches are read in all units") {
  CHECK(bytes_of_cache_size("512") == 512);
  CHECK(bytes_of_cache_size("266240K") == uint64_t{266240} << 10);
  CHECK(bytes_of_cache_size("96M") == uint64_t{96} << 20);
  CHECK(bytes_of_cache_size("12Q") == 0);
  CHECK(bytes_of_cache_size("") == 0);
}

}  // namespace xsp::bound
