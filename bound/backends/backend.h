#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/problems/plain_values.h"
#include "bound/records/measurement.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// A call with all its arguments, ready to be repeated. Runs on the thread that made it, waits until it is done.
class BoundCall {
 public:
  virtual ~BoundCall() = default;
  virtual void run() = 0;
};

/// One implementation of one problem, set up: weights in its layout, primitives compiled.
class Implementation {
 public:
  virtual ~Implementation() = default;

  /// Bytes of each buffer that a call reads or writes (aligned to 64 by the owner), scratch room included.
  virtual std::vector<size_t> buffer_sizes() const = 0;
  /// Fills the buffers that calls read with the operands, in the layout that this implementation wants.
  virtual Status fill(const std::vector<PlainTensor>& operands, std::span<void* const> buffers) = 0;
  /// A call on these buffers. Several may exist at once, on buffers with equal contents.
  virtual std::unique_ptr<BoundCall> bind(std::span<void* const> buffers) = 0;
  /// The result in plain row-major order.
  virtual std::vector<float> result(std::span<void* const> buffers) = 0;
  virtual uint64_t workspace_bytes() const { return 0; }

  /// Of implementations that tell their times themselves (ONNX Runtime's profile of a node): samples of one call in ns,
  /// as many as fit into `budget_ns`; then none of the above but result() is called. Nothing: the caller measures.
  virtual std::optional<std::vector<float>> own_samples(double budget_ns) {
    (void)budget_ns;
    return std::nullopt;
  }
  /// Of those the same with operands that are in no cache; nothing: it cannot tell. Only where has_own_cold_samples().
  virtual std::optional<std::vector<float>> own_cold_samples(double budget_ns) {
    (void)budget_ns;
    return std::nullopt;
  }
  virtual bool has_own_cold_samples() const { return false; }
  /// Why the last of these calls gave no samples, where that can be told.
  virtual Status failure() const { return {}; }
};

/// An implementation before it is made, which may be dear or go wrong.
class Candidate {
 public:
  virtual ~Candidate() = default;
  /// With `implementation` the library's own name, numerics, layout, math_mode, dtype; the rest is not set.
  virtual Measurement facts() const = 0;
  /// An error: the library's word.
  virtual Status make(std::unique_ptr<Implementation>* implementation) = 0;
};

/// A library that computes problems. Lives in a child process that measures with it alone.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Library& library() const = 0;
  /// Called once, before any candidate is made.
  virtual Status set_threads(int threads) = 0;
  /// All ways to compute the problem, the library's first choice first; none, with the reason as an error, where it
  /// cannot. What only refers to slow reference code is left out where there is anything else.
  virtual Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) = 0;
};

/// Where libraries are looked for.
struct LibrarySearch {
  std::vector<std::string> backends;  // names; empty: all
  /// Files by library, before those that are found ("onnxruntime" → path); for tests and unusual places.
  std::vector<std::pair<std::string, std::string>> files;
  bool tells_lack_of_device = true;  // a note where a back end of `backends` needs a GPU, and there is none
};

/// The libraries that load on this machine, each tried in a process of its own so that one that aborts harms nothing.
/// oneDNN 2 and 3, OpenBLAS, MKL (also inside libtorch), ONNX Runtime of the user's Python; where there is a GPU,
/// cuBLAS, cuBLASLt and cuDNN. `notes` gets a line for each that is there but cannot be used.
std::vector<Library> find_libraries(const LibrarySearch& search, std::vector<std::string>* notes);

/// Loads it into this process.
Status load_backend(const Library& library, std::unique_ptr<Backend>* backend);

/// Names that --backend takes.
std::vector<std::string> backend_names();

/// Whether the libraries of a back end compute on a GPU. Times of these and of the others are of different systems.
bool computes_on_device(std::string_view backend);

}  // namespace xsp::bound
