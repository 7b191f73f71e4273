#include "base/processors.h"

#include <cmath>
#include <filesystem>
#include <numeric>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp {
namespace {

/// Files of /proc and /sys of a machine that does not exist.
class MadeMachine {
 public:
  MadeMachine& file(const std::string& path, const std::string& text) {
    const std::filesystem::path place = root_ / path;
    std::filesystem::create_directories(place.parent_path());
    test::write_file(place.string(), text);
    return *this;
  }
  MadeMachine& core(const std::vector<uint32_t>& threads, const std::string& list,
                    const std::string& name = "core_cpus_list") {
    for (const uint32_t thread : threads) {
      file("sys/devices/system/cpu/cpu" + std::to_string(thread) + "/topology/" + name, list + "\n");
    }
    return *this;
  }
  const std::string& root() const { return root_.path(); }

 private:
  test::TemporaryFolder root_;
};

std::vector<uint32_t> first_processors(uint32_t count) {
  std::vector<uint32_t> processors(count);
  std::iota(processors.begin(), processors.end(), 0U);
  return processors;
}

}  // namespace

TEST_CASE("threads of one core count as one core, however many of them are allowed") {
  MadeMachine machine;
  machine.file("sys/devices/system/cpu/online", "0-7\n");
  for (const uint32_t core : {0U, 1U, 2U, 3U}) {
    machine.core({core, core + 4}, std::to_string(core) + "," + std::to_string(core + 4));
  }
  const ProcessorFacts all = read_processors(machine.root(), first_processors(8));
  CHECK(all.online == 8);
  CHECK(all.allowed == 8);
  CHECK(all.cores == 4);
  CHECK(read_processors(machine.root(), {0, 4}).cores == 1);
  CHECK(read_processors(machine.root(), {4, 5}).cores == 2);
  CHECK(usable_cores(all) == 4);
}

TEST_CASE("a processor whose cores differ is counted core by core") {
  MadeMachine machine;
  machine.file("sys/devices/system/cpu/online", "0-1,4-9\n");
  machine.core({0, 1}, "0-1").core({4}, "4").core({5}, "5").core({6}, "6").core({7}, "7");
  machine.core({8, 9}, "8-9", "thread_siblings_list");  // as kernels before 5.10 have it
  const ProcessorFacts hybrid = read_processors(machine.root(), {0, 1, 4, 5, 6, 7, 8, 9});
  CHECK(hybrid.online == 8);
  CHECK(hybrid.allowed == 8);
  CHECK(hybrid.cores == 6);
}

TEST_CASE("where files are missing or say nothing, each processor is a core") {
  MadeMachine machine;
  machine.core({0}, "nonsense").core({1}, "").file("sys/devices/system/cpu/online", "3-1\n");
  machine.file("proc/loadavg", "nan -1 x/y\n");
  const ProcessorFacts told = read_processors(machine.root(), first_processors(3));
  CHECK(told.online == 0);
  CHECK(told.allowed == 3);
  CHECK(told.cores == 3);
  CHECK(told.runnable == 0);
  CHECK(told.load == 0);
  CHECK_FALSE(told.quota);
  CHECK(usable_cores({}) == 1);
  CHECK(usable_cores({.allowed = 6}) == 6);
}

TEST_CASE("the tasks that run or wait are told without the one that asks") {
  MadeMachine machine;
  machine.file("proc/loadavg", "0.52 0.40 0.31 3/412 9911\n");
  const ProcessorFacts told = read_processors(machine.root(), {0});
  CHECK(told.runnable == 2);
  CHECK(told.load == 0.52);
  CHECK(runnable_tasks("0.52 0.40 0.31 3/412 9911") == 3);
  CHECK_FALSE(runnable_tasks("0.52 0.40 0.31 3 9911"));
  CHECK_FALSE(runnable_tasks("0.52 0.40 0.31 -3/412 9911"));
  CHECK_FALSE(runnable_tasks("0.52 0.40 0.31 99999999999/412 9911"));
  CHECK_FALSE(runnable_tasks(""));
}

TEST_CASE("the least quota of a control group and of those around it counts") {
  MadeMachine machine;
  SECTION("version 2, a limit above the own group") {
    machine.file("proc/self/cgroup", "0::/kubepods/pod1/container\n")
        .file("sys/fs/cgroup/kubepods/pod1/container/cpu.max", "max 100000\n")
        .file("sys/fs/cgroup/kubepods/pod1/cpu.max", "150000 100000\n");
    CHECK(quota_of_control_groups(machine.root()) == 1.5);
    const ProcessorFacts told = read_processors(machine.root(), first_processors(8));
    CHECK(told.quota == 1.5);
    CHECK(usable_cores(told) == 2);
    CHECK(usable_cores(read_processors(machine.root(), {0})) == 1);
  }
  SECTION("version 2, a path that only the host sees") {
    machine.file("proc/self/cgroup", "0::/system.slice/docker-1.scope\n")
        .file("sys/fs/cgroup/cpu.max", "300000 100000\n");
    CHECK(quota_of_control_groups(machine.root()) == 3.0);
  }
  SECTION("version 1: half a processor is one thread") {
    machine.file("proc/self/cgroup", "5:cpu,cpuacct:/job\n3:cpuset:/\n")
        .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n")
        .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n")
        .file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
        .file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    CHECK(quota_of_control_groups(machine.root()) == 0.5);
    CHECK(usable_cores(read_processors(machine.root(), first_processors(8))) == 1);
  }
  SECTION("none") {
    machine.file("proc/self/cgroup", "0::/\nnonsense\n::\n");
    CHECK_FALSE(quota_of_control_groups(machine.root()));
  }
}

TEST_CASE("a part of a processor is one, and no quota is beyond what can be counted") {
  CHECK(processors_of_quota(0.001) == 1);
  CHECK(processors_of_quota(1) == 1);
  CHECK(processors_of_quota(1.00001) == 2);
  CHECK(processors_of_quota(1e300) == 1 << 20);
}

TEST_CASE("this machine's processors are told") {
  const ProcessorFacts here = read_processors();
  CHECK(here.online >= 1);
  CHECK(here.allowed >= 1);
  CHECK(here.cores >= 1);
  CHECK(here.cores <= here.allowed);
  CHECK(allowed_processors().size() == here.allowed);
  CHECK(usable_cores(here) <= here.cores);
}

}  // namespace xsp
