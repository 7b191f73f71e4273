#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Shapes of up to eight tensors, flattened: rank, then sizes, per tensor. Compared as a whole to avoid making the same
/// string again.
struct Shapes {
  static constexpr int kMaxTensors = 8;
  static constexpr int kMaxRank = 8;
  static constexpr int kMostSizes = kMaxTensors * (kMaxRank + 1);

  int tensors = 0;
  int used = 0;
  int64_t sizes[kMostSizes];

  bool operator==(const Shapes& other) const;
};

/// The types whose `.shape` may be read: torch.Tensor and Parameter themselves. Subclasses may run code of the program
/// (__torch_function__, fx proxies), and are left alone.
void set_tensor_types(PyObject* tensor, PyObject* parameter);

/// Adds the shapes of the tensors in an object: a tensor, or a tuple, list or dict of them, `levels` deep.
/// `limit`: most tensors to take.
void collect_shapes(PyObject* object, int limit, int levels, Shapes* shapes);

/// Adds one tensor's sizes, a tuple or list of integers. False where there is no room for them, or they are something
/// else; an exception may be set then.
bool add_sizes(PyObject* sizes, Py_ssize_t most_rank, Shapes* shapes);

/// "[1,3,224,224];[1,77]". The text lies in `buffer`.
inline constexpr size_t kShapesTextBytes = Shapes::kMostSizes * 21;
std::string_view text_of(const Shapes& shapes, char (&buffer)[kShapesTextBytes]);

/// String id of that text; 0 for no tensors.
uint32_t intern_shapes(const Shapes& shapes);

}  // namespace xsp::guest
