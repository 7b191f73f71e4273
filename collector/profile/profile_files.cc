#include "collector/profile/profile_files.h"

#include <protozero/pbf_reader.hpp>

#include "collector/peer_limits.h"

namespace xsp {

class OrtProfile {};
class ProfileFiles::Spans {};

ProfileSource read_profile_file(protozero::data_view bytes) {
  ProfileSource file;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 1:
        file.format = static_cast<uint32_t>(fields.get_enum());
        break;
      case 2:
        file.path = fields.get_string();
        break;
      case 3:
        file.complete = fields.get_bool();
        break;
      case 4:
        file.keep = fields.get_bool();
        break;
      case 5:
        file.scope = fields.get_string();
        break;
      case 6:
        file.start_realtime_ns = fields.get_uint64();
        break;
      case 7:
        file.realtime_offset_ns = fields.get_sint64();
        break;
      default:
        fields.skip();
    }
  }
  return file;
}

ProfileFiles::ProfileFiles(Recording& recording, uint32_t process, LossTable& losses)
    : recording_(recording), process_(process), losses_(losses) {}
ProfileFiles::~ProfileFiles() = default;

bool ProfileFiles::receive(ProfileSource) { return true; }
void ProfileFiles::process_ended() {}
bool ProfileFiles::work() { return false; }

}  // namespace xsp
