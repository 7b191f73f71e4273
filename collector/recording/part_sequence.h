#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "collector/continuous/part_folder.h"
#include "collector/writing/recording_part.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

struct Recording;

/// A recording kept in parts, each a trace that can be read on its own (TracePart of trace.proto). A part ends when it
/// reaches an eighth of the total size, or its maximum age; the next one repeats what is needed to read it.
class PartSequence {
 public:
  struct Plan {
    std::string folder;
    bool force = false;
    uint64_t max_bytes = 0;
    uint64_t max_age_ns = 0;
  };
  static constexpr uint32_t kPartsOfSize = 8;
  /// Writes the header of a part.
  using WriteHeader = std::function<void(TraceWriter&, const RecordingPart&)>;

  PartSequence() = default;
  PartSequence(const PartSequence&) = delete;
  PartSequence& operator=(const PartSequence&) = delete;

  /// Opens the folder and creates the first part.
  Status open(const Plan& plan, WriteHeader write_header);
  OutputFile& file() { return *file_; }
  /// Upper bound on what a writer should hold in memory.
  size_t buffer_bytes() const;
  /// Writes the first part's header.
  void begin(TraceWriter& writer, uint64_t now_ns);

  bool is_due(const TraceWriter& writer, uint64_t now_ns) const;
  /// Requests the end of the part, if there is anything in it.
  void ask_for_end() { asked_ = true; }
  /// Ends the part and begins the next. If the next cannot be created, the part continues.
  void rotate(Recording& recording, uint64_t now_ns);
  /// Before the last part is closed: begins it anew if the disk was full when it began, as nobody could read it.
  void begin_again_to_close(Recording& recording, uint64_t now_ns);
  /// Gives the last part its name, even if nothing could be written into it: without that file nobody would see that
  /// the recording ended too early.
  Status publish();

  /// How many unwritten spans are already in the summary.
  uint64_t told_lost_spans() const { return told_lost_spans_; }

  const PartFolder& folder() const { return folder_; }

 private:
  void begin_part(TraceWriter& writer, uint64_t now_ns);
  bool lacks_description(const TraceWriter& writer) const;
  void begin_again(Recording& recording, uint64_t now_ns);
  void describe(Recording& recording, uint64_t now_ns);
  void tell_lost(Recording& recording, int error);

  Plan plan_;
  WriteHeader write_header_;
  PartFolder folder_;
  std::unique_ptr<OutputFile> file_;
  RecordingPart part_;
  uint64_t begin_ns_ = 0;  // of the recording
  uint64_t part_begin_ns_ = 0;
  uint64_t described_bytes_ = 0;  // of the part, when it began
  uint64_t retry_ns_ = 0;
  uint64_t told_lost_spans_ = 0;
  std::string lost_why_;
  bool asked_ = false;
};

}  // namespace xsp
