#include <array>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>

#include "analysis/export/exported_spans.h"
#include "analysis/export/gzip.h"
#include "analysis/export/kernel_formats.h"
#include "analysis/export/kernel_stacks.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;

/// Field numbers of pprof's profile.proto.
namespace profile {
enum : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kTime = 9,
  kDefaultType = 14,
};
}
namespace value_type_field {
enum : uint32_t { kType = 1, kUnit = 2 };
}
namespace location_field {
enum : uint32_t { kId = 1, kLine = 4, kFunctionOfLine = 1 };
}
namespace function_field {
enum : uint32_t { kId = 1, kName = 2 };
}
namespace sample_field {
enum : uint32_t { kLocations = 1, kValues = 2, kLabel = 3, kLabelKey = 1, kLabelText = 2, kLabelNumber = 3 };
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kValueTypes = {
    std::pair("gpu_time", "nanoseconds"), std::pair("host_time", "nanoseconds"), std::pair("launches", "count"),
    std::pair("flops", "count"), std::pair("dram_bytes", "bytes")};

class PprofExport {
 public:
  explicit PprofExport(const AnalysedTrace& analysed) : study_(*analysed.study), frames_(study_), writer_(profile_) {
    string_id("");
  }

  /// The whole message: it has as many samples as an evaluation has kernels and layers.
  const std::string& encode(int64_t begin_realtime_ns) {
    for (const auto& [type, unit] : kValueTypes) {
      const int64_t type_id = string_id(type);
      const int64_t unit_id = string_id(unit);
      pbf_writer value(writer_, profile::kSampleType);
      value.add_int64(value_type_field::kType, type_id);
      value.add_int64(value_type_field::kUnit, unit_id);
    }
    bool has_gpu = false;
    for (const ModelStacks& model : kernel_stacks(study_)) {
      for (const StackSample& sample : model.samples) {
        add_sample(model, sample);
        has_gpu |= sample.kernel != 0;
      }
    }
    if (begin_realtime_ns != 0) writer_.add_int64(profile::kTime, begin_realtime_ns);
    writer_.add_int64(profile::kDefaultType, string_id(kValueTypes[has_gpu ? 0 : 1].first));
    for (const std::string_view text : texts_) writer_.add_string(profile::kString, text.data(), text.size());
    return profile_;
  }

 private:
  int64_t string_id(std::string_view text) {
    const auto [found, added] = strings_.try_emplace(std::string(text), static_cast<int64_t>(texts_.size()));
    if (added) texts_.push_back(found->first);
    return found->second;
  }

  /// A function and a location of the same number for each name.
  uint64_t location_of(const std::string& frame) {
    const int64_t name = string_id(frame);
    const auto [found, added] = locations_.try_emplace(name, locations_.size() + 1);
    if (!added) return found->second;
    {
      // Without a name of the linker, for pprof would cut the arguments of templates off.
      pbf_writer function(writer_, profile::kFunction);
      function.add_uint64(function_field::kId, found->second);
      function.add_int64(function_field::kName, name);
    }
    pbf_writer location(writer_, profile::kLocation);
    location.add_uint64(location_field::kId, found->second);
    pbf_writer line(location, location_field::kLine);
    line.add_uint64(location_field::kFunctionOfLine, found->second);
    return found->second;
  }

  void add_sample(const ModelStacks& model, const StackSample& sample) {
    std::vector<uint64_t> locations;
    for (const std::string& frame : frames_.of(model, sample, false)) locations.push_back(location_of(frame));
    const std::array<double, kValueTypes.size()> exact = {
        sample.gpu_ns, sample.host_ns, static_cast<double>(sample.launches), sample.flops, sample.dram_bytes};
    std::array<int64_t, kValueTypes.size()> values;
    for (size_t i = 0; i < values.size(); ++i) values[i] = sums_[i].add(exact[i]);
    const int64_t index_key = string_id("layer_index");
    const int64_t stream_key = string_id("stream");
    const int64_t device_key = string_id("device");
    pbf_writer message(writer_, profile::kSample);
    // The innermost frame first.
    message.add_packed_uint64(sample_field::kLocations, locations.rbegin(), locations.rend());
    message.add_packed_int64(sample_field::kValues, values.begin(), values.end());
    const auto add_label = [&](int64_t key, uint32_t number) {
      pbf_writer label(message, sample_field::kLabel);
      label.add_int64(sample_field::kLabelKey, key);
      label.add_int64(sample_field::kLabelNumber, number);
    };
    if (sample.layer_index != StackSample::kNoLayer) add_label(index_key, sample.layer_index);
    if (sample.kernel == 0) return;
    add_label(stream_key, sample.stream);
    add_label(device_key, sample.device);
  }

  const Study& study_;
  StackFrames frames_;
  std::string profile_;
  pbf_writer writer_;
  std::unordered_map<std::string, int64_t> strings_;
  std::vector<std::string_view> texts_;
  std::array<RoundedSum, kValueTypes.size()> sums_;
  std::unordered_map<int64_t, uint64_t> locations_;  // by name
};

int64_t begin_of(const Trace& trace) {
  for (const Segment& segment : trace.segments) {
    if (segment.begin_ns != 0 && segment.realtime_offset_ns != 0) return segment.begin_ns + segment.realtime_offset_ns;
  }
  return 0;
}

}  // namespace

Status write_pprof(const ExportInput& input, ByteSink* sink) {
  PprofExport profile(input.analysed);
  sink->write(gzip(profile.encode(begin_of(input.analysed.trace))));
  return {};
}

}  // namespace xsp::analysis
