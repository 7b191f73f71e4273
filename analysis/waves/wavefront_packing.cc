#include "analysis/waves/wavefront_packing.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>

#include "analysis/waves/multiprocessor_states.h"

namespace xsp::analysis {
namespace {

/// Kernels that are looked at when there is room. More only wait.
constexpr size_t kWindow = 16;
/// Rounds of one kernel; what has more goes in larger steps.
constexpr uint64_t kMostRounds = 32;
/// Rounds of all kernels together.
constexpr uint64_t kMostRoundsOfAll = 100'000;
/// States of a device that are told apart, and those of all kernels together: blocks of many kernels begin at other
/// times on each multiprocessor.
constexpr uint64_t kMostStates = 16;
constexpr uint64_t kMostStatesOfAll = 200'000;

/// A launch as it is placed: several blocks that follow one another in one place are one.
struct Steps {
  SlotAmounts needs = {};
  uint64_t blocks = 0;
  double of_latency = 1;  // of the kernel's latency, a block
};

Steps steps_of(const LaunchNeeds& needs, const PackedDevice& device, uint64_t most_rounds) {
  if (needs.blocks_per_sm == 0) return {device.capacity, device.multiprocessors, 1};
  const uint64_t rounds = rounds_of(needs, device);
  const uint64_t joined = (rounds - 1) / most_rounds + 1;
  const uint64_t blocks = (needs.blocks - 1) / joined + 1;
  const uint64_t wave = uint64_t{needs.blocks_per_sm} * device.multiprocessors;
  const uint64_t joined_rounds = (blocks - 1) / wave + 1;
  // Neither the kernel alone nor the slots that it uses in all may take less than they do block by block.
  const double as_long = 1.0 / static_cast<double>(joined_rounds);
  const double as_much = static_cast<double>(needs.blocks) / static_cast<double>(rounds) / static_cast<double>(blocks);
  return {held_by_block(needs, device), blocks, std::max(as_long, as_much)};
}

class Packer {
 public:
  explicit Packer(const CoSchedule& schedule) : schedule_(schedule), groups_(schedule.after.size()) {
    const uint64_t kernels = std::max<uint64_t>(schedule.kernels.size(), 1);
    const uint64_t most = std::clamp<uint64_t>(kMostRoundsOfAll / kernels, 1, kMostRounds);
    for (const LaunchNeeds& needs : schedule.launches) {
      steps_.push_back(steps_of(needs, schedule.devices[needs.device], most));
    }
    const uint64_t states = std::clamp<uint64_t>(kMostStatesOfAll / kernels, 2, kMostStates);
    for (const PackedDevice& device : schedule.devices) devices_.emplace_back(device, states);
    find_chains();
  }

  std::optional<Packing> run() {
    const auto kernels = static_cast<uint32_t>(schedule_.kernels.size());
    for (const PackedDevice& device : schedule_.devices) {
      if (device.multiprocessors == 0) return {};
    }
    start_groups();
    while (done_ < kernels) {
      let_barrier_pass();
      refill();
      if (window_.empty() && running_ == 0) return {};
      if (running_ == 0 && window_.size() == 1) {
        run_alone();
        continue;
      }
      place_blocks();
      if (running_ == 0) return {};
      advance();
    }
    packing_.ns = now_;
    std::stable_sort(packing_.runs.begin(), packing_.runs.end(),
                     [](const PackedRun& a, const PackedRun& b) { return a.begin_ns < b.begin_ns; });
    return std::move(packing_);
  }

 private:
  struct Group {
    uint32_t first = UINT32_MAX;  // kernel that is next
    uint32_t waiting = 0;         // groups that have to be done
    std::vector<uint32_t> next;
  };

  /// A kernel that has begun, or waits for room only.
  struct Open {
    uint32_t kernel = 0;
    uint64_t left = 0;  // blocks without a place
  };

  /// What is known of a kernel that has begun.
  struct Begun {
    uint64_t held = 0;  // slots
    uint32_t run = UINT32_MAX;
    bool all_placed = false;
  };

  void find_chains() {
    const auto& kernels = schedule_.kernels;
    next_of_group_.assign(kernels.size(), UINT32_MAX);
    begun_.resize(kernels.size());
    std::vector<uint32_t> last(groups_.size(), UINT32_MAX);
    for (uint32_t i = 0; i < kernels.size(); ++i) {
      const uint32_t group = kernels[i].group;
      if (group == kNoKernelGroup) {
        barriers_.push_back(i);
        continue;
      }
      if (last[group] == UINT32_MAX) {
        groups_[group].first = i;
      } else {
        next_of_group_[last[group]] = i;
      }
      last[group] = i;
    }
    for (uint32_t group = 0; group < groups_.size(); ++group) {
      for (const uint32_t before : schedule_.after[group]) groups_[before].next.push_back(group);
      groups_[group].waiting = static_cast<uint32_t>(schedule_.after[group].size());
    }
  }

  void start_groups() {
    std::vector<uint32_t> free;
    for (uint32_t group = 0; group < groups_.size(); ++group) {
      if (groups_[group].waiting == 0) free.push_back(group);
    }
    begin_groups(std::move(free));
  }

  /// Groups that wait for no other one; those without kernels are done at once.
  void begin_groups(std::vector<uint32_t> free) {
    while (!free.empty()) {
      std::vector<uint32_t> further;
      for (const uint32_t group : free) {
        if (groups_[group].first != UINT32_MAX) {
          make_ready(groups_[group].first);
          continue;
        }
        for (const uint32_t next : groups_[group].next) {
          if (--groups_[next].waiting == 0) further.push_back(next);
        }
      }
      free = std::move(further);
    }
  }

  uint32_t barrier() const { return barrier_ < barriers_.size() ? barriers_[barrier_] : UINT32_MAX; }

  void make_ready(uint32_t kernel) {
    if (kernel > barrier()) {
      behind_barrier_.push(kernel);
    } else {
      ready_.push_back(kernel);
    }
  }

  /// Once all kernels before it are done a barrier is ready, and nothing else.
  void let_barrier_pass() {
    if (done_ == barrier() && !barrier_is_ready_) {
      ready_.push_back(barrier());
      barrier_is_ready_ = true;
    }
  }

  void refill() {
    while (window_.size() < kWindow && !ready_.empty()) {
      const uint32_t kernel = ready_.front();
      ready_.pop_front();
      window_.push_back({kernel, steps_of_kernel(kernel).blocks});
    }
  }

  const Steps& steps_of_kernel(uint32_t kernel) const { return steps_[schedule_.kernels[kernel].launch]; }

  /// A kernel that has the device for itself and that all others wait for takes its latency.
  void run_alone() {
    const uint32_t kernel = window_.front().kernel;
    window_.clear();
    const double end = now_ + schedule_.kernels[kernel].latency_ns;
    packing_.runs.push_back({kernel, now_, end});
    now_ = end;
    finish(kernel);
  }

  void place_blocks() {
    std::erase_if(window_, [&](Open& open) {
      const ScheduledKernel& kernel = schedule_.kernels[open.kernel];
      const Steps& steps = steps_[kernel.launch];
      MultiprocessorStates& device = devices_[schedule_.launches[kernel.launch].device];
      if (!device.may_have_room(steps.needs)) return false;
      const double end = now_ + kernel.latency_ns * steps.of_latency;
      const MultiprocessorStates::Placed placed = device.place(open.kernel, steps.needs, open.left, end);
      if (placed.blocks == 0) return false;
      open.left -= placed.blocks;
      Begun& begun = begun_[open.kernel];
      if (begun.run == UINT32_MAX) {
        begun.run = static_cast<uint32_t>(packing_.runs.size());
        packing_.runs.push_back({open.kernel, now_, now_});
        ++running_;
      }
      begun.held += placed.held;
      begun.all_placed = open.left == 0;
      packing_.runs[begun.run].end_ns = end;
      return begun.all_placed;
    });
  }

  void advance() {
    double next = std::numeric_limits<double>::infinity();
    for (const MultiprocessorStates& device : devices_) next = std::min(next, device.next_end());
    now_ = std::max(now_, next);
    finished_.clear();
    for (MultiprocessorStates& device : devices_) {
      device.release(now_, [&](uint32_t kernel, uint64_t held) {
        Begun& begun = begun_[kernel];
        begun.held -= held;
        if (begun.held == 0 && begun.all_placed) finished_.push_back(kernel);
      });
    }
    std::sort(finished_.begin(), finished_.end());
    running_ -= finished_.size();
    for (const uint32_t kernel : finished_) finish(kernel);
  }

  void finish(uint32_t kernel) {
    ++done_;
    const uint32_t group = schedule_.kernels[kernel].group;
    if (group == kNoKernelGroup) {
      ++barrier_;
      barrier_is_ready_ = false;
      while (!behind_barrier_.empty() && behind_barrier_.top() < barrier()) {
        ready_.push_back(behind_barrier_.top());
        behind_barrier_.pop();
      }
      return;
    }
    if (next_of_group_[kernel] != UINT32_MAX) {
      make_ready(next_of_group_[kernel]);
      return;
    }
    std::vector<uint32_t> free;
    for (const uint32_t next : groups_[group].next) {
      if (--groups_[next].waiting == 0) free.push_back(next);
    }
    if (!free.empty()) begin_groups(std::move(free));
  }

  const CoSchedule& schedule_;
  std::vector<Steps> steps_;  // by launch
  std::vector<MultiprocessorStates> devices_;
  std::vector<Group> groups_;
  std::vector<uint32_t> next_of_group_;  // by kernel
  std::vector<uint32_t> barriers_;       // kernels without a group
  size_t barrier_ = 0;                   // the next one
  bool barrier_is_ready_ = false;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> behind_barrier_;
  std::deque<uint32_t> ready_;
  std::vector<Open> window_;
  std::vector<Begun> begun_;  // by kernel
  std::vector<uint32_t> finished_;
  size_t running_ = 0;
  Packing packing_;
  double now_ = 0;
  uint32_t done_ = 0;
};

}  // namespace

std::optional<Packing> pack(const CoSchedule& schedule) { return Packer(schedule).run(); }

}  // namespace xsp::analysis
