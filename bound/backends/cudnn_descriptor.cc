#include "bound/backends/cudnn_descriptor.h"

#include <algorithm>

namespace xsp::bound::cudnn {
namespace {

constexpr int64_t kMostTold = 4096;

}  // namespace

Descriptor::Descriptor(const Api& api, DescriptorType type) : api_(&api) {
  status_ = api.status_of(api.create_descriptor(type, &object_));
}

Descriptor::~Descriptor() {
  if (object_ != nullptr) api_->destroy_descriptor(object_);
}

void Descriptor::set(AttributeName name, AttributeType type, int64_t count, const void* elements) {
  if (!status_.ok()) return;
  status_ = api_->status_of(api_->set_attribute(object_, name, type, count, elements));
}

void Descriptor::set_integers(AttributeName name, const std::vector<int64_t>& values) {
  set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}

void Descriptor::set_descriptor(AttributeName name, const Descriptor& value) {
  if (status_.ok() && !value.status_.ok()) status_ = value.status_;
  set_descriptors(name, std::span(&value.object_, 1));
}

void Descriptor::set_descriptors(AttributeName name, std::span<BackendObject* const> values) {
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(values.size()), values.data());
}

Status Descriptor::finalize() {
  if (status_.ok()) status_ = api_->status_of(api_->finalize(object_));
  return status_;
}

int64_t Descriptor::count(AttributeName name, AttributeType type) const {
  int64_t count = 0;
  const bool is_known = status_.ok() && api_->get_attribute(object_, name, type, 0, &count, nullptr) == 0;
  return is_known ? std::clamp<int64_t>(count, 0, kMostTold) : 0;
}

bool Descriptor::get(AttributeName name, AttributeType type, int64_t room, void* elements, int64_t* got) const {
  int64_t count = 0;
  if (!status_.ok() || api_->get_attribute(object_, name, type, room, &count, elements) != 0) return false;
  if (got != nullptr) *got = std::clamp<int64_t>(count, 0, room);
  return true;
}

int64_t Descriptor::integer(AttributeName name, int64_t otherwise) const {
  int64_t value = 0;
  return get(name, CUDNN_TYPE_INT64, 1, &value) ? value : otherwise;
}

std::vector<Descriptor> descriptors_in(const Api& api, const Descriptor& descriptor, AttributeName name,
                                       DescriptorType type, int64_t most) {
  std::vector<Descriptor> found;
  // Of some attributes the library tells no count, though it fills them.
  const int64_t told = descriptor.count(name, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  const int64_t count = told > 0 ? std::min(told, most) : most;
  std::vector<BackendObject*> objects;
  for (int64_t i = 0; i < count; ++i) {
    found.emplace_back(api, type);
    objects.push_back(found.back().object());
  }
  int64_t got = 0;
  if (!descriptor.get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, objects.data(), &got)) got = 0;
  found.resize(static_cast<size_t>(got));
  return found;
}

}  // namespace xsp::bound::cudnn
