#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bound/backends/cudnn_api.h"

namespace xsp::bound::cudnn {

/// A descriptor of the graph interface, destroyed with it. The first call that fails is remembered, and finalize()
/// tells it.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Api& api, DescriptorType type);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept { swap(&other); }
  Descriptor& operator=(Descriptor&& other) noexcept {
    swap(&other);
    return *this;
  }

  BackendObject* object() const { return object_; }
  const Status& status() const { return status_; }

  /// `elements` are of the type that the attribute has.
  void set(AttributeName name, AttributeType type, int64_t count, const void* elements);
  void set_integer(AttributeName name, int64_t value) { set(name, CUDNN_TYPE_INT64, 1, &value); }
  void set_integers(AttributeName name, const std::vector<int64_t>& values);
  void set_enumerator(AttributeName name, AttributeType type, int value) { set(name, type, 1, &value); }
  void set_descriptor(AttributeName name, const Descriptor& value);
  void set_descriptors(AttributeName name, std::span<BackendObject* const> values);
  Status finalize();

  /// How many elements an attribute has; 0 where it has none, or cannot be asked for.
  int64_t count(AttributeName name, AttributeType type) const;
  /// Fills what there is room for; false where the library refuses. `got`: how many were filled.
  bool get(AttributeName name, AttributeType type, int64_t room, void* elements, int64_t* got = nullptr) const;
  int64_t integer(AttributeName name, int64_t otherwise) const;

 private:
  void swap(Descriptor* other) {
    std::swap(api_, other->api_);
    std::swap(object_, other->object_);
    std::swap(status_, other->status_);
  }

  const Api* api_ = nullptr;
  BackendObject* object_ = nullptr;
  Status status_;
};

/// Descriptors that an attribute of another one holds, at most `most`.
std::vector<Descriptor> descriptors_in(const Api& api, const Descriptor& descriptor, AttributeName name,
                                       DescriptorType type, int64_t most);

}  // namespace xsp::bound::cudnn
