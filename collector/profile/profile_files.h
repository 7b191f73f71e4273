#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/profile/ort_profile.h"
#include "collector/profile/profile_spans.h"
#include "collector/recording/recording.h"
#include "proto/pbf.h"

namespace xsp {

/// xsp.ProfileFile: a profile that a framework itself writes.
struct ProfileSource {
  uint32_t format = 0;
  std::string path;
  bool complete = false;
  bool keep = false;
  bool of_runs = false;
  ProfileOrigin origin;
};

/// Decodes a ProfileFile. Throws protozero::exception on broken protobuf.
ProfileSource read_profile_source(protozero::data_view bytes);

/// The profile files of one process: those announced, and those waiting for conversion. Only regular files of the
/// collector's own user are read. Converted files are removed from the scratch folder unless they are to be kept; a
/// file elsewhere is never removed, and no other folder is searched, whatever the process says about it.
class ProfileFiles {
 public:
  ProfileFiles(Recording& recording, uint32_t process, LossTable& losses, SpanAccount* account = nullptr);

  /// Takes a ProfileFile. An error means that one of its texts is too long. Throws protozero::exception on broken
  /// protobuf.
  Status receive(protozero::data_view bytes);
  /// Remembers an announced file; queues a complete one. A file beyond the limit counts as lost.
  void receive(ProfileSource source);
  /// The process is gone: queues the files with the announced prefixes.
  void process_ended();
  /// Converts one slice. Returns whether there is more to do.
  bool work();
  uint64_t spans() const { return spans_.count(); }
  /// Writes the converted spans.
  void flush() { spans_.flush_all(); }
  /// See ProfileSpans.
  void write_strings_again() { spans_.write_strings_again(); }
  std::string_view text_of(uint32_t id) const { return spans_.text_of(id); }

 private:
  struct Item {
    ProfileSource source;
    /// The process ended before it said that the file is complete.
    bool orphaned = false;
  };

  /// Queues the files whose names derive from the source's path.
  void queue_files_of(const ProfileSource& source, bool orphaned);
  bool is_queued(const std::string& path) const;
  bool begin(const Item& item);
  void finish(const Item& item, OrtProfile::Result result);
  void lose(const Item& item, std::string_view why);

  const ScratchFolder& scratch_;
  LossTable& losses_;
  ProfileSpans spans_;
  std::vector<ProfileSource> announced_;
  std::deque<Item> queue_;
  std::unique_ptr<OrtProfile> conversion_;  // of the first item
};

}  // namespace xsp
