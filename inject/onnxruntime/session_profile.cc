#include "inject/onnxruntime/session_profile.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/record/clock.h"
#include "inject/record/clock_offset.h"
#include "inject/record/process.h"
#include "inject/send/process_packets.h"

namespace xsp::guest {
namespace {

/// How long runs of other threads are waited for at exit.
constexpr int kExitTries = 200;
constexpr timespec kExitPause{0, 1'000'000};

/// The path as an absolute one, for the collector: the program may have given a prefix relative to its current folder.
OrtPath absolute(const char* path) {
  OrtPath text;
  char folder[1024];
  if (path[0] != '/' && getcwd(folder, sizeof folder) != nullptr) text.put(folder).put("/");
  return text.put(path);
}

uint64_t start_of_profile(const OrtSession& session, const void* address) {
  uint64_t start = 0;
  if (ort::Status status = session.api->SessionGetProfilingStartTimeNs(address, &start)) {
    session.api->ReleaseStatus(status);
  }
  // Without an answer, now: the session has just been made, with its profile.
  return start == 0 ? nanoseconds(CLOCK_REALTIME) : to_realtime(start);
}

void post(const OrtSession& session, const void* address, std::string_view path, bool complete, bool keep) {
  const auto scope = ort_scope(session.number);
  wire::ProfileFile file{.format = static_cast<uint32_t>(wire::ProfileFileFormat::kOrtJson)};
  file.path = path;
  file.scope = scope.view();
  file.complete = complete;
  file.keep = keep;
  file.start_realtime_ns = start_of_profile(session, address);
  file.realtime_offset_ns = read_realtime_offset();
  post_profile_file(file);
}

bool copy_file(const char* from, const char* to) {
  const int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0) return false;
  // Not over a file that is there, and readable by this user only: the scratch folder may lie in a shared one.
  const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ssize_t sent = -1;
  if (out >= 0) {
    do {
      sent = sendfile(out, in, nullptr, INT_MAX & ~4095);
    } while (sent > 0);
    close(out);
  }
  close(in);
  return sent == 0;
}

/// Has ONNX Runtime write the profile; false when it says that it could not.
bool write_profile(const OrtSession& session, const void* address, OrtPath* path) {
  const ort::Api& api = *session.api;
  void* allocator = nullptr;
  char* text = nullptr;
  ort::Status status = api.GetAllocatorWithDefaultOptions(&allocator);
  if (status == nullptr) status = api.SessionEndProfiling(const_cast<void*>(address), allocator, &text);
  if (status != nullptr) api.ReleaseStatus(status);
  if (status != nullptr || text == nullptr) return false;
  *path = absolute(text);
  if ((status = api.AllocatorFree(allocator, text)) != nullptr) api.ReleaseStatus(status);
  return !path->empty();
}

}  // namespace

uint64_t to_realtime(uint64_t time) {
  const auto distance = [time](clockid_t clock) {
    const uint64_t now_there = nanoseconds(clock);
    return now_there > time ? now_there - time : time - now_there;
  };
  if (distance(CLOCK_REALTIME) <= distance(CLOCK_MONOTONIC)) return time;
  return time + static_cast<uint64_t>(read_realtime_offset());
}

FixedText<64> ort_scope(uint32_t number) {
  FixedText<64> text;
  text.put("onnxruntime session ").put_number(number).put(" (C)");
  return text;
}

OrtPath ort_profile_prefix(const Settings& settings, int pid, uint32_t number) {
  OrtPath path;
  path.put(settings.scratch_dir).put("/ort-c-").put_number(static_cast<uint64_t>(pid)).put("-").put_number(number);
  return path;
}

void announce_session_profile(const OrtSession& session, const void* address) {
  const Process* process = awake_process();
  if (process == nullptr) return;
  post(session, address, ort_profile_prefix(process->settings, process->pid, session.number).view(), false, false);
}

void end_session_profile(OrtSession& session, const void* address, uint32_t own) {
  const OrtLayers layers = session.layers.load(std::memory_order_acquire);
  if (layers != OrtLayers::kSessionProfile && layers != OrtLayers::kUsersProfile) return;
  const Process* process = awake_process();
  if (process == nullptr || process->pid != session.process || !session.begin_ending(own)) return;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  OrtLayers expected = layers;
  OrtPath path;
  if (session.layers.compare_exchange_strong(expected, OrtLayers::kNone) && write_profile(session, address, &path)) {
    post(session, address, path.view(), true, layers == OrtLayers::kUsersProfile);
  }
  session.finish_ending();
}

void hand_over_users_profile(OrtSession& session, const void* address, const char* path) {
  const Process* process = awake_process();
  if (process == nullptr || path == nullptr || path[0] == '\0') return;
  if (process->settings.scratch_dir[0] == '\0') return;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  OrtPath copy = ort_profile_prefix(process->settings, process->pid, session.number);
  copy.put("-copy.json");
  // A link costs nothing and stays when the program removes its file; it fails between file systems.
  if (link(path, copy.c_str()) != 0 && !copy_file(path, copy.c_str())) return;
  post(session, address, copy.view(), true, false);
}

void end_ort_profiles() {
  const ErrnoGuard errno_guard;
  visit_ort_sessions([](OrtSession& session) {
    const void* address = session.address.load(std::memory_order_acquire);
    for (int i = 0; i < kExitTries; ++i) {
      if (i != 0) nanosleep(&kExitPause, nullptr);
      end_session_profile(session, address, 0);
      const OrtLayers layers = session.layers.load(std::memory_order_acquire);
      const Process* process = awake_process();
      if (process == nullptr || process->pid != session.process) return;
      if (layers != OrtLayers::kSessionProfile && layers != OrtLayers::kUsersProfile) return;
    }
  });
}

}  // namespace xsp::guest
