#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <protozero/data_view.hpp>

#include "collector/recording.h"

namespace xsp {

class OrtProfile;

/// xsp.ProfileFile: a profile that a framework writes itself.
struct ProfileSource {
  uint32_t format = 0;
  std::string path;
  bool complete = false;
  bool keep = false;
  std::string scope;
  uint64_t start_realtime_ns = 0;
  int64_t realtime_offset_ns = 0;
};

/// Decodes a ProfileFile. Throws protozero::exception on broken protobuf.
ProfileSource read_profile_file(protozero::data_view bytes);

/// The profile files of one process: those announced, and those that wait for their conversion. Converted files are
/// removed, unless they are to be kept.
class ProfileFiles {
 public:
  ProfileFiles(Recording& recording, uint32_t process, LossTable& losses);
  ~ProfileFiles();

  /// Remembers an announced file; queues a complete one. False: too many.
  bool receive(ProfileSource file);
  /// The process is gone: queues what lies under the announced prefixes.
  void process_ended();
  /// Converts one slice. Returns whether there is more to do.
  bool work();
  bool is_idle() const { return queue_.empty(); }
  uint64_t spans() const { return spans_; }

 private:
  struct Item {
    ProfileSource file;
    bool announced_only = false;
  };
  class Spans;

  void begin(const Item& item);
  void finish(const Item& item);

  Recording& recording_;
  uint32_t process_;
  LossTable& losses_;
  std::vector<ProfileSource> announced_;
  std::deque<Item> queue_;
  std::unique_ptr<Spans> spans_writer_;
  std::unique_ptr<OrtProfile> conversion_;
  uint64_t spans_ = 0;
};

}  // namespace xsp
