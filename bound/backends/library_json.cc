#include "bound/backends/library_json.h"

#include <nlohmann/json.hpp>

namespace xsp::bound {
namespace {

using nlohmann::json;

bool take_library_text(const json& object, const char* name, std::string* text) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return false;
  *text = found->get<std::string>();
  return true;
}

template <typename Number>
bool take_library_number(const json& object, const char* name, Number* number) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return false;
  *number = found->get<Number>();
  return true;
}

json json_of_device(const SystemFacts& device) {
  return {{"name", device.device},
          {"isa", device.isa},
          {"multiprocessors", device.cores},
          {"memory_bytes", device.memory_bytes},
          {"cache_bytes", device.cache_bytes},
          {"driver", device.driver},
          {"clocks", device.clocks},
          {"host_hash", device.host_hash}};
}

bool read_device(const json& object, SystemFacts* device) {
  return object.is_object() && take_library_text(object, "name", &device->device) &&
         take_library_text(object, "isa", &device->isa) &&
         take_library_number(object, "multiprocessors", &device->cores) &&
         take_library_number(object, "memory_bytes", &device->memory_bytes) &&
         take_library_number(object, "cache_bytes", &device->cache_bytes) &&
         take_library_text(object, "driver", &device->driver) && take_library_text(object, "clocks", &device->clocks) &&
         take_library_text(object, "host_hash", &device->host_hash);
}

}  // namespace

json json_of_library(const Library& library) {
  json object = {{"backend", library.backend},
                 {"name", library.name},
                 {"version", library.version},
                 {"build", library.build},
                 {"path", library.path}};
  if (library.device) object["device"] = json_of_device(*library.device);
  return object;
}

bool read_library(const json& object, Library* library) {
  if (!object.is_object()) return false;
  const auto device = object.find("device");
  if (device != object.end() && !read_device(*device, &library->device.emplace())) return false;
  return take_library_text(object, "backend", &library->backend) && take_library_text(object, "name", &library->name) &&
         take_library_text(object, "version", &library->version) &&
         take_library_text(object, "build", &library->build) && take_library_text(object, "path", &library->path);
}

}  // namespace xsp::bound
