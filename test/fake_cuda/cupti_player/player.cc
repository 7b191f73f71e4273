#include "player.h"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "fields.h"

namespace fake {
namespace {

struct CallbackData {  // CUpti_CallbackData
  int site;
  const char* function_name;
  const void* parameters;
  void* return_value;
  const char* symbol_name;
  void* context;
  uint32_t context_id;
  uint64_t* correlation_data;
  uint32_t correlation_id;
};
struct ResourceData {  // CUpti_ResourceData
  void* context;
  void* resource;
  void* descriptor;
};
struct GraphData {  // CUpti_GraphData
  void *graph, *original_graph, *node, *original_node;
  int node_type;
  void *dependency, *exec;
};
struct StateData {  // CUpti_StateData
  int result;
  const char* message;
};

constexpr int kResourceDomain = 3, kStateDomain = 5;
constexpr uint32_t kFatalError = 1, kKernel = 3, kConcurrentKernel = 10;
constexpr size_t kKernelNameAt = 104;

/// Of records, by their kind (cupti_activity.h).
const std::map<uint32_t, size_t> kCorrelationAt = {{1, 44}, {2, 44}, {3, 92}, {10, 92}, {22, 60}, {38, 24}, {49, 12}};

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Handles are ids here, as cuptiGetGraphNodeId knows.
void* handle(uint64_t id) { return reinterpret_cast<void*>(static_cast<uintptr_t>(id)); }

/// A record's pointer to a name stays good.
const char* lasting(const std::string& name) {
  static std::mutex lock;
  static auto* const names = new std::set<std::string>;
  std::lock_guard held(lock);
  return names->insert(name).first->c_str();
}

/// By xsp.h, where XSP is in the process.
void play_span(const Event& event) {
  static const auto intern = reinterpret_cast<uint32_t (*)(const char*)>(dlsym(RTLD_DEFAULT, "xsp_intern"));
  static const auto start = reinterpret_cast<uint64_t (*)(uint32_t, int)>(dlsym(RTLD_DEFAULT, "xsp_start_span"));
  static const auto finish = reinterpret_cast<void (*)(uint64_t)>(dlsym(RTLD_DEFAULT, "xsp_finish_span"));
  static thread_local std::vector<uint64_t>* const spans = new std::vector<uint64_t>;
  if (intern == nullptr || start == nullptr || finish == nullptr) return;
  if (event.enter) {
    spans->push_back(start(intern(event.name.c_str()), event.id == 0 ? 2 : static_cast<int>(event.id)));
  } else if (!spans->empty()) {
    finish(spans->back());
    spans->pop_back();
  }
}

bool is_exit_of(const Event& exit, const Event& enter) {
  return exit.what == Event::What::kCallback && !exit.enter && exit.domain == enter.domain && exit.id == enter.id &&
         exit.correlation == enter.correlation;
}

}  // namespace

/// One recorded thread.
struct Player::Actor {
  Player* player;
  std::vector<size_t> events;
  size_t at = 0;
  std::vector<const Event*> calls;  // in progress, outermost first
  pthread_t thread;

  const Event* next() const { return at == events.size() ? nullptr : &player->recording_.events[events[at]]; }
};

void Player::play() {
  std::map<uint32_t, Actor> actors;
  for (size_t i = 0; i < recording_.events.size(); ++i) actors[recording_.events[i].thread].events.push_back(i);
  begun_ = now();
  for (auto& [thread, actor] : actors) {
    actor.player = this;
    const auto run = [](void* pointer) -> void* {
      auto& self = *static_cast<Actor*>(pointer);
      self.player->act(self, nullptr, 0);
      return nullptr;
    };
    if (pthread_create(&actor.thread, nullptr, run, &actor) != 0) give_up("no thread to be had");
  }
  for (auto& [thread, actor] : actors) pthread_join(actor.thread, nullptr);
}

/// Until the exit of `outer`, which is the caller's to deliver, or of a call around it, or the end.
__attribute__((noinline)) void Player::act(Actor& actor, const Event* outer, int depth) {
  const auto is_exit_of_one = [&actor](const Event& event) {
    return std::any_of(actor.calls.begin(), actor.calls.end(),
                       [&](const Event* call) { return is_exit_of(event, *call); });
  };
  while (const Event* const event = actor.next()) {
    if (is_exit_of_one(*event)) return;
    take_turn(actor.events[actor.at++]);
    deliver(*event);
    pass_turn();
    if (event->what != Event::What::kCallback || !event->enter) continue;
    actor.calls.push_back(event);
    act(actor, event, depth + 1);
    actor.calls.pop_back();
    const Event* const last = actor.next();
    if (last == nullptr || !is_exit_of(*last, *event)) continue;
    take_turn(actor.events[actor.at++]);
    deliver(*last);
    pass_turn();
  }
  // Not the last call of the function: each call has a frame of its own.
  asm volatile("" : : "r"(outer), "r"(depth) : "memory");
}

void Player::take_turn(size_t event) {
  {
    std::unique_lock held(turns_);
    turn_changed_.wait(held, [&] { return turn_ == event; });
  }
  const uint64_t due = begun_ + (recording_.events[event].t - recording_.events[0].t);
  const timespec until = {static_cast<time_t>(due / 1000000000), static_cast<long>(due % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

void Player::pass_turn() {
  std::lock_guard held(turns_);
  ++turn_;
  turn_changed_.notify_all();
}

uint64_t Player::cupti_now() const {
  const uint64_t first = recording_.events.empty() ? 0 : recording_.events[0].t;
  return recording_.cupti_clock(begun_ == 0 ? first : first + (now() - begun_));
}

void Player::call_back(int domain, uint32_t id, const void* data) {
  if (failed_ || domain <= 0 || domain >= kDomains || id >= kCallbacks || !enabled[domain][id]) return;
  if (Callback* const client = callback) client(user_data, domain, id, data);
}

void Player::deliver(const Event& event) {
  switch (event.what) {
    case Event::What::kCallback: {
      if (event.enter) note_kinds(event.correlation);
      int result = event.result;
      uint64_t client_data = 0;
      const std::string symbol = event.symbol;
      const CallbackData data = {event.enter ? 0 : 1,
                                 event.name.c_str(),
                                 nullptr,
                                 event.enter ? nullptr : &result,
                                 event.has_symbol ? symbol.c_str() : nullptr,
                                 handle(event.context),
                                 event.context,
                                 &client_data,
                                 event.correlation};
      return call_back(event.domain, event.id, &data);
    }
    case Event::What::kResource: {
      GraphData graph = {nullptr, nullptr, handle(event.node), handle(event.original), event.node_type,
                         nullptr, nullptr};
      const ResourceData data = {handle(event.context), nullptr, event.node == 0 ? nullptr : &graph};
      return call_back(kResourceDomain, event.id, &data);
    }
    case Event::What::kState: {
      const StateData data = {event.result, event.message.empty() ? nullptr : event.message.c_str()};
      call_back(kStateDomain, event.id, &data);
      // CUPTI finalizes itself behind it.
      failed_ = failed_ || event.id == kFatalError;
      return;
    }
    case Event::What::kRequested: {
      Memory memory;
      if (!request(&memory)) return;
      std::lock_guard held(buffers_);
      held_[event.buffer] = memory;
      return;
    }
    case Event::What::kCompleted: {
      if (!event.in_flush) return complete(event.buffer);
      std::lock_guard held(buffers_);
      flushable_.push_back(event.buffer);
      return;
    }
    case Event::What::kDropped: {
      std::lock_guard held(buffers_);
      dropped_ += event.count;
      return;
    }
    case Event::What::kSpan:
      return play_span(event);
  }
}

bool Player::request(Memory* memory) {
  BufferRequested* const client = requested;
  const bool wanted = std::any_of(std::begin(kinds), std::end(kinds), [](const auto& kind) { return kind != 0; });
  if (client == nullptr || failed_ || !wanted) return false;
  size_t most = 0;
  client(&memory->bytes, &memory->size, &most);
  return memory->bytes != nullptr;
}

void Player::hand_over(const Memory& memory, size_t used, std::vector<Part> parts) {
  {
    std::lock_guard held(buffers_);
    layouts_[memory.bytes] = std::move(parts);
  }
  if (BufferCompleted* const client = completed) client(nullptr, 0, memory.bytes, memory.size, used);
}

void Player::note_kinds(uint32_t correlation) {
  uint64_t bits = 0;
  for (uint32_t kind = 0; kind < kMostKinds; ++kind) bits |= uint64_t{kinds[kind] != 0} << kind;
  std::lock_guard held(buffers_);
  kinds_of_calls_.emplace(correlation, bits);
}

bool Player::was_wanted(const RecordedActivity& record) {
  if (record.unknown || record.kind >= kMostKinds) return true;
  const auto at = kCorrelationAt.find(record.kind);
  uint32_t correlation = 0;
  if (at == kCorrelationAt.end() || record.bytes.size() < at->second + 4) return kinds[record.kind];
  memcpy(&correlation, record.bytes.data() + at->second, sizeof correlation);
  std::lock_guard held(buffers_);
  const auto call = kinds_of_calls_.find(correlation);
  const uint64_t wanted = call == kinds_of_calls_.end() ? ever_enabled.load() : call->second;
  return (wanted >> record.kind & 1) != 0;
}

/// The client's buffers may be smaller than the recorder's: as many as are needed.
void Player::complete(uint32_t number) {
  Memory memory;
  {
    std::lock_guard held(buffers_);
    memory = std::exchange(held_[number], {});
  }
  const auto found = recording_.buffers.find(number);
  size_t used = 0;
  std::vector<Part> parts;
  for (const RecordedActivity& record :
       found == recording_.buffers.end() ? std::vector<RecordedActivity>() : found->second) {
    if (!was_wanted(record)) continue;
    if (memory.bytes != nullptr && used + record.bytes.size() > memory.size) {
      hand_over(memory, used, std::exchange(parts, {}));
      memory = {};
      used = 0;
    }
    if (memory.bytes == nullptr && !request(&memory)) {
      std::lock_guard held(buffers_);
      ++dropped_;
      continue;
    }
    memcpy(memory.bytes + used, record.bytes.data(), record.bytes.size());
    if (record.bytes.size() >= kKernelNameAt + 8 && (record.kind == kKernel || record.kind == kConcurrentKernel)) {
      const char* const name = lasting(record.name);
      memcpy(memory.bytes + used + kKernelNameAt, &name, sizeof name);
    }
    parts.push_back({used, record.cut, record.unknown});
    used += record.bytes.size();
  }
  if (memory.bytes != nullptr) hand_over(memory, used, std::move(parts));
}

void Player::flush() {
  std::vector<uint32_t> due;
  {
    std::lock_guard held(buffers_);
    due.swap(flushable_);
  }
  for (const uint32_t number : due) complete(number);
}

uint64_t Player::take_dropped() {
  std::lock_guard held(buffers_);
  return std::exchange(dropped_, 0);
}

int Player::next_record(uint8_t* buffer, size_t valid, uint8_t** record) {
  constexpr int kSuccess = 0, kMaxLimitReached = 12, kInvalidKind = 21;
  std::lock_guard held(buffers_);
  const auto layout = layouts_.find(buffer);
  if (layout == layouts_.end()) return kMaxLimitReached;
  const std::vector<Part>& parts = layout->second;
  const auto is_last = [&](const Part& part) { return buffer + part.offset == *record; };
  auto next = parts.begin();
  if (*record != nullptr) next = std::next(std::find_if(parts.begin(), parts.end(), is_last));
  if (next == parts.end() || next->offset >= valid || next->cut) return kMaxLimitReached;
  if (next->unknown) return kInvalidKind;
  *record = buffer + next->offset;
  return kSuccess;
}

}  // namespace fake
