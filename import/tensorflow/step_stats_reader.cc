#include "import/tensorflow/step_stats_reader.h"

#include <string>
#include <utility>

#include "import/tensorflow/wire_fields.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

using protozero::pbf_reader;

// Field numbers.
namespace run_metadata {
constexpr uint32_t kStepStats = 1;
}
namespace step_stats {
constexpr uint32_t kDevices = 1;
}
namespace device {
constexpr uint32_t kName = 1;
constexpr uint32_t kNodes = 2;
}  // namespace device
namespace node {
enum : uint32_t {
  kName = 1,
  kBeginUs = 2,
  kEndUs = 5,  // relative to the begin, as all below
  kMemory = 6,
  kOutput = 7,
  kLabel = 8,
  kScheduledUs = 9,
  kThread = 10,
  kBeginNs = 13,
  kEndNs = 16,
  kScheduledNs = 17,
};
}  // namespace node
namespace memory {
constexpr uint32_t kTotalBytes = 2;
}
namespace output {
constexpr uint32_t kSlot = 1;
constexpr uint32_t kTensor = 3;
}  // namespace output
namespace tensor {
constexpr uint32_t kType = 1;
constexpr uint32_t kShape = 2;
}  // namespace tensor
namespace shape {
constexpr uint32_t kDimension = 2;
constexpr uint32_t kUnknownRank = 3;
}  // namespace shape
namespace dimension {
constexpr uint32_t kSize = 1;
}

StepTensor read_tensor(pbf_reader reader) {
  StepTensor read;
  read.element = element_of_data_type(int64_t{0});
  bool unknown = true;
  while (reader.next()) {
    if (reader.tag() == tensor::kType) {
      read.element = element_of_data_type(int64_t{reader.get_int32()});
    } else if (reader.tag() == tensor::kShape) {
      unknown = false;
      read.dimensions.assign(1, '[');
      pbf_reader shape = reader.get_message();
      while (shape.next()) {
        if (shape.tag() == shape::kDimension) {
          int64_t size = 0;
          pbf_reader one = shape.get_message();
          while (one.next()) {
            if (one.tag() == dimension::kSize) {
              size = one.get_int64();
            } else {
              one.skip();
            }
          }
          read.add_dimension(size);
        } else if (shape.tag() == shape::kUnknownRank) {
          unknown = shape.get_bool();
        } else {
          shape.skip();
        }
      }
      read.dimensions += ']';
    } else {
      reader.skip();
    }
  }
  if (unknown) read.dimensions.clear();
  return read;
}

void read_output(pbf_reader reader, StepNode* node) {
  int64_t slot = 0;
  std::optional<StepTensor> tensor;
  while (reader.next()) {
    if (reader.tag() == output::kSlot) {
      slot = reader.get_int32();
    } else if (reader.tag() == output::kTensor) {
      tensor = read_tensor(reader.get_message());
    } else {
      reader.skip();
    }
  }
  node->set_output(slot, std::move(tensor));
}

void read_memory(pbf_reader reader, StepNode* node) {
  if (!node->bytes) node->bytes = 0;
  while (reader.next()) {
    if (reader.tag() == memory::kTotalBytes) {
      const int64_t bytes = reader.get_int64();
      if (bytes > 0) *node->bytes += static_cast<uint64_t>(bytes);
    } else {
      reader.skip();
    }
  }
}

StepNode read_node(pbf_reader reader) {
  StepNode read;
  StepTimes times;
  while (reader.next()) {
    switch (reader.tag()) {
      case node::kName:
        read.name = reader.get_string();
        break;
      case node::kBeginUs:
        times.begin_us = reader.get_int64();
        break;
      case node::kEndUs:
        times.duration_us = reader.get_int64();
        break;
      case node::kMemory:
        read_memory(reader.get_message(), &read);
        break;
      case node::kOutput:
        read_output(reader.get_message(), &read);
        break;
      case node::kLabel:
        read.label = reader.get_string();
        break;
      case node::kScheduledUs:
        times.scheduled_us = reader.get_int64();
        break;
      case node::kThread:
        read.thread = reader.get_uint32();
        break;
      case node::kBeginNs:
        times.begin_ns = reader.get_int64();
        break;
      case node::kEndNs:
        times.duration_ns = reader.get_int64();
        break;
      case node::kScheduledNs:
        times.scheduled_ns = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  times.give(&read);
  return read;
}

/// Reads the outer messages as far as possible. False: damaged, at `*place`.
class StatsReader {
 public:
  explicit StatsReader(StepStats* stats) : stats_(stats) {}

  bool read_metadata(std::string_view bytes) {
    WireFields fields(bytes);
    while (fields.next()) {
      if (fields.number() == run_metadata::kStepStats && !fields.is_scalar() && !read_stats(fields.payload()))
        return false;
    }
    return is_whole(fields);
  }

  bool read_stats(std::string_view bytes) {
    WireFields fields(bytes);
    while (fields.next()) {
      if (fields.number() == step_stats::kDevices && !fields.is_scalar() && !read_device(fields.payload()))
        return false;
    }
    return is_whole(fields);
  }

  const char* place() const { return place_; }

 private:
  bool read_device(std::string_view bytes) {
    std::string name;
    WireFields fields(bytes);
    while (fields.next()) {
      if (fields.number() == device::kName) {
        name = fields.payload();
      } else if (fields.number() == device::kNodes && !fields.is_damaged()) {
        place_ = fields.payload().data();
        try {
          stats_->add(name, read_node(pbf_reader{fields.payload().data(), fields.payload().size()}));
        } catch (const protozero::exception&) {
          return false;
        }
      }
    }
    return is_whole(fields);
  }

  bool is_whole(const WireFields& fields) {
    if (fields.is_damaged()) place_ = fields.rest().data();
    return !fields.is_damaged();
  }

  StepStats* stats_;
  const char* place_ = nullptr;
};

bool is_device_name(std::string_view text) {
  return text.starts_with("/job:") || text.starts_with("/device:") || text.starts_with("/gpu:") ||
         text.starts_with("/cpu:") || text.starts_with("/host:");
}

/// The payload of a field that must come first; anything beyond the head is cut off.
std::optional<std::string_view> first_field(std::string_view bytes, uint32_t field) {
  WireFields fields(bytes);
  if (!fields.next() || fields.number() != field || fields.is_scalar()) return {};
  return fields.payload();
}

}  // namespace

bool looks_like_step_stats(std::string_view head) {
  const auto in_stats = [](std::string_view stats) {
    const auto first_device = first_field(stats, step_stats::kDevices);
    const auto name = first_device ? first_field(*first_device, device::kName) : std::nullopt;
    return name && is_device_name(*name);
  };
  if (in_stats(head)) return true;
  const auto stats = first_field(head, run_metadata::kStepStats);
  return stats && in_stats(*stats);
}

bool read_step_stats(std::string_view bytes, StepStats* stats, uint64_t* position) {
  // The device's name shows which of the two it is.
  const auto first_device = first_field(bytes, step_stats::kDevices);
  const auto name = first_device ? first_field(*first_device, device::kName) : std::nullopt;
  const bool is_metadata = !name || !is_device_name(*name);
  StatsReader reader(stats);
  const bool is_whole = is_metadata ? reader.read_metadata(bytes) : reader.read_stats(bytes);
  if (!is_whole) *position = static_cast<uint64_t>(reader.place() - bytes.data());
  return is_whole;
}

}  // namespace xsp
