#include "bound/backends/onednn_backend.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <set>

#include "test/catch.h"

namespace xsp::bound {
namespace {

struct Freed {
  void operator()(void* bytes) const { std::free(bytes); }
};

/// Buffers as a caller of an implementation keeps them.
class OnednnBuffers {
 public:
  explicit OnednnBuffers(const std::vector<size_t>& sizes) {
    for (const size_t size : sizes) {
      owned_.emplace_back(std::aligned_alloc(64, (size + 64) / 64 * 64));
      addresses_.push_back(owned_.back().get());
    }
  }
  std::span<void* const> addresses() const { return addresses_; }

 private:
  std::vector<std::unique_ptr<void, Freed>> owned_;
  std::vector<void*> addresses_;
};

/// The installed versions, each loaded once.
const std::vector<std::unique_ptr<Backend>>& loaded_onednn() {
  static const auto* const loaded = [] {
    auto* const backends = new std::vector<std::unique_ptr<Backend>>();
    std::set<std::string> paths;
    for (const std::string& file : onednn_files()) {
      std::unique_ptr<Backend> backend;
      if (!load_onednn(file, &backend).ok() || !paths.insert(backend->library().path).second) continue;
      REQUIRE(backend->set_threads(1).ok());
      backends->push_back(std::move(backend));
    }
    return backends;
  }();
  return *loaded;
}

bool is_major_version(const Backend& backend, char version) { return backend.library().version.front() == version; }

struct OnednnCase {
  const char* problem;
  bool has_v2 = true;
};

const OnednnCase kConvolutions[] = {
    {"conv src=1x16x12x11 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=relu dtype=f32"},
    {"conv src=1x3x20x20 wei=16x3x7x7 strides=2x2 pads=3,3,3,3 dil=1x1 groups=1 bias=0 post= dtype=f32"},
    {"conv src=2x8x9x7 wei=6x8x3x2 strides=2x1 pads=0,1,2,0 dil=2x1 groups=1 bias=1 post= dtype=f32"},
    {"conv src=1x16x10x10 wei=16x1x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=16 bias=1 post=clip(0,6) dtype=f32"},
    {"conv src=1x12x10x10 wei=8x3x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=4 bias=0 post= dtype=f32"},
    {"conv src=1x32x8x8 wei=48x32x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post=add+relu dtype=f32"},
    {"conv src=1x32x8x8 wei=48x32x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post=gelu_erf+add dtype=f32"},
    {"conv src=2x8x30 wei=16x8x5 strides=2 pads=2,2 dil=1 groups=1 bias=1 post= dtype=f32"},
    {"conv src=1x4x6x7x8 wei=8x4x3x3x3 strides=1x2x1 pads=1,1,1,1,1,1 dil=1x1x1 groups=1 bias=0 post= dtype=f32"},
    {"conv src=1x16x9x9 wei=16x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add dtype=bf16"},
    {"conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post=relu dtype=u8:i8:u8"},
    {"conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post= dtype=u8:i8:i32"},
    {"conv src=1x16x9x9 wei=32x16x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post= dtype=i8"},
    {"conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=u8:i8:f32"},
    {"conv src=1x32x8x8 wei=48x32x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post=add+relu dtype=u8:i8:u8"},
    {"conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=clip(0,6) dtype=u8:i8:u8"},
    {"conv src=1x32x9x9 wei=32x1x3x3 strides=2x2 pads=1,1,1,1 dil=1x1 groups=32 bias=1 post=relu dtype=u8:i8:u8"},
    {"conv src=1x16x9x9 wei=32x16x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post=add+relu dtype=bf16"},
    {"deconv src=1x8x5x6 wei=8x4x3x3 strides=2x2 pads=1,1,1,1 dil=1x1 outpad=1x1 groups=1 bias=1 post= dtype=f32"},
    {"deconv src=1x8x5x6 wei=8x3x4x4 strides=2x2 pads=1,1,1,1 dil=1x1 outpad=0x0 groups=2 bias=0 post=relu dtype=f32"},
    {"deconv src=2x16x9 wei=16x16x3 strides=1 pads=0,1 dil=2 outpad=0 groups=1 bias=1 post= dtype=f32"},
};

const OnednnCase kProducts[] = {
    {"matmul src=33x64 wei=64x48 ta=0 tb=0 bias=48 post=relu dtype=f32"},
    {"matmul src=33x64 wei=48x64 ta=0 tb=1 bias=0 post= dtype=f32"},
    {"matmul src=64x33 wei=64x48 ta=1 tb=0 bias=33x1 post= dtype=f32"},
    {"matmul src=17x40 wei=40x24 ta=0 tb=0 bias=17x24 post=gelu_erf dtype=f32"},
    {"matmul src=17x40 wei=40x24 ta=0 tb=0 bias=24 post=add dtype=f32"},
    {"matmul src=2x3x16x20 wei=2x3x20x24 ta=0 tb=0 bias=0 post= dtype=f32"},
    {"matmul src=2x3x16x20 wei=2x3x24x20 ta=0 tb=1 bias=0 post= dtype=f32"},
    {"matmul src=2x3x16x20 wei=1x3x20x24 ta=0 tb=0 bias=24 post= dtype=f32"},
    {"matmul src=1x100 wei=100x10 ta=0 tb=0 bias=10 post= dtype=f32"},
    {"matmul src=33x64 wei=64x48 ta=0 tb=0 bias=0 post= alpha=0.5 dtype=f32"},
    {"matmul src=33x64 wei=64x48 ta=0 tb=0 bias=48 post=relu alpha=0.5 dtype=f32"},
    {"matmul src=17x40 wei=40x24 ta=0 tb=0 bias=0 post=add alpha=-2 dtype=f32"},
    {"matmul src=2x3x16x20 wei=2x3x24x20 ta=0 tb=1 bias=0 post= alpha=0.125 dtype=f32"},
    {"matmul src=32x64 wei=64x32 ta=0 tb=0 bias=32 post=relu dtype=bf16"},
    {"matmul src=32x64 wei=64x32 ta=0 tb=0 bias=0 post= dtype=u8:i8:i32"},
    {"matmul src=32x64 wei=64x32 ta=0 tb=0 bias=32 post= dtype=i8:i8:f32"},
    {"matmul src=32x64 wei=64x32 ta=0 tb=0 bias=32 post=gelu_erf dtype=u8:i8:u8"},
    {"matmul src=32x64 wei=64x32 ta=0 tb=0 bias=32 post=add dtype=u8:i8:u8"},
    {"matmul src=3x32x64 wei=3x64x16 ta=0 tb=0 bias=0 post= alpha=0.125 dtype=u8:i8:u8"},
    {"matmul src=1x64 wei=10x64 ta=0 tb=1 bias=10 post= dtype=u8:i8:u8"},
    {"matmul src=3x32x64 wei=3x64x16 ta=0 tb=0 bias=0 post= alpha=0.125 dtype=bf16"},
};

const OnednnCase kPoolings[] = {
    {"maxpool src=1x16x13x13 kernel=3x3 strides=2x2 pads=0,0,0,0 dil=1x1 dtype=f32"},
    {"maxpool src=1x16x14x14 kernel=3x3 strides=2x2 pads=1,1,1,1 dil=1x1 dtype=f32"},
    {"maxpool src=1x12x14x14 kernel=3x3 strides=2x2 pads=0,0,1,1 dil=1x1 dtype=f32"},
    {"maxpool src=1x8x14x14 kernel=2x2 strides=1x1 pads=0,0,0,0 dil=2x2 dtype=f32"},
    {"maxpool src=1x16x14x14 kernel=3x3 strides=2x2 pads=1,1,1,1 dil=1x1 dtype=u8"},
    {"avgpool src=1x16x14x14 kernel=3x3 strides=1x1 pads=1,1,1,1 include_pad=0 dtype=f32"},
    {"avgpool src=2x16x9x8 kernel=3x3 strides=2x2 pads=1,1,1,1 include_pad=1 dtype=f32"},
    {"avgpool src=1x32x7x7 kernel=7x7 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=f32"},
    {"avgpool src=1x5x17 kernel=4 strides=3 pads=0,0 include_pad=0 dtype=f32"},
    {"avgpool src=1x32x7x7 kernel=7x7 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=u8"},
    {"maxpool src=1x16x6x6x6 kernel=2x2x2 strides=2x2x2 pads=0,0,0,0,0,0 dil=1x1x1 dtype=f32"},
    {"reduce alg=mean src=1x32x7x7 axes=2,3 dtype=f32"},
    {"reduce alg=sum src=3x5x8 axes=1 dtype=f32"},
    {"reduce alg=max src=2x16x5x5 axes=2,3 dtype=f32"},
    {"reduce alg=min src=4x9 axes=1 dtype=f32"},
    {"reduce alg=prod src=4x9 axes=0 dtype=f32"},
    {"reduce alg=l1 src=6x8x4 axes=0,2 dtype=f32"},
    {"reduce alg=l2 src=6x8 axes=1 dtype=f32"},
};

const OnednnCase kElementwise[] = {
    {"eltwise alg=relu src=2x16x5x5 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=leaky_relu src=2x16x5x5 alpha=0.1 beta=0 dtype=f32"},
    {"eltwise alg=relu src=2x16x5x5 alpha=0 beta=0 dtype=u8"},
    {"binary alg=add src0=1x32x6x6 src1=1x32x6x6 dtype=u8"},
    {"binary alg=add src0=1x32x6x6 src1=1x32x6x6 post=relu dtype=f32"},
    {"binary alg=add src0=48 src1=5x48 post=gelu_erf dtype=f32"},
    {"binary alg=add src0=5x48 src1=5x48 post=relu dtype=bf16"},
    {"eltwise alg=elu src=100 alpha=1.5 beta=0 dtype=f32"},
    {"eltwise alg=clip src=2x16x5x5 alpha=-1 beta=6 dtype=f32"},
    {"eltwise alg=sigmoid src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=hardsigmoid src=3x70 alpha=0.2 beta=0.5 dtype=f32", false},
    {"eltwise alg=hardswish src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=tanh src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=exp src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=log src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=sqrt src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=abs src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=neg src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=reciprocal src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=square src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=gelu_erf src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=gelu_tanh src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=softplus src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=silu src=3x70 alpha=1 beta=0 dtype=f32"},
    {"eltwise alg=mish src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=round src=3x70 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=relu src=2x3x4x5x6x7 alpha=0 beta=0 dtype=f32"},
    {"eltwise alg=relu src=64 alpha=0 beta=0 dtype=bf16"},
    {"eltwise alg=relu src= alpha=0 beta=0 dtype=f32"},
    {"binary alg=add src0=2x16x5x5 src1=2x16x5x5 dtype=f32"},
    {"binary alg=mul src0=2x16x5x5 src1=16x1x1 dtype=f32"},
    {"binary alg=mul src0=1x16x1x1 src1=1x16x5x5 dtype=f32"},
    {"binary alg=sub src0=2x16x5x5 src1=1 dtype=f32"},
    {"binary alg=div src0=8x12 src1=8x12 dtype=f32"},
    {"binary alg=min src0=8x12 src1=12 dtype=f32"},
    {"binary alg=max src0=8x12 src1=8x1 dtype=f32"},
    {"binary alg=add src0=2x32x5x5 src1=2x1x5x5 dtype=f32"},
};

const OnednnCase kNormalizations[] = {
    {"softmax src=12x100 axis=1 log=0 dtype=f32"},
    {"softmax src=2x3x16x16 axis=3 log=0 dtype=f32"},
    {"softmax src=2x30x5 axis=1 log=0 dtype=f32"},
    {"softmax src=4x33 axis=1 log=1 dtype=f32"},
    {"batchnorm src=2x16x7x7 dtype=f32"},
    {"batchnorm src=1x24x5x6 dtype=f32"},
    {"batchnorm src=1x5x6x7 dtype=f32"},
    {"batchnorm src=8x20 dtype=f32"},
    {"layernorm src=4x6x48 axis=2 bias=1 dtype=f32"},
    {"layernorm src=4x48 axis=1 bias=0 dtype=f32"},
    {"layernorm src=4x6x8 axis=1 bias=1 dtype=f32"},
    {"layernorm src=16x64 axis=1 bias=1 dtype=bf16"},
    {"lrn src=1x16x6x6 size=5 dtype=f32"},
    {"lrn src=1x10x6x6 size=3 dtype=f32"},
};

const OnednnCase kMovements[] = {
    {"concat axis=1 srcs=1x16x5x5,1x32x5x5,1x16x5x5 dtype=f32"},
    {"concat axis=1 srcs=1x3x5x5,1x5x5x5 dtype=f32"},
    {"concat axis=2 srcs=2x3x4,2x3x7 dtype=u8"},
    {"concat axis=0 srcs=5,3 dtype=f32"},
    {"transpose src=2x3x4x5 perm=0,2,3,1 dtype=f32"},
    {"transpose src=2x12x16x8 perm=0,2,1,3 dtype=f32"},
    {"transpose src=7x9 perm=1,0 dtype=i8"},
    {"transpose src=2x3x4 perm=2,0,1 dtype=bf16"},
    {"resize alg=nearest src=1x16x5x4 dst=1x16x10x8 dtype=f32"},
    {"resize alg=linear src=1x16x5x4 dst=1x16x10x8 dtype=f32"},
    {"resize alg=linear src=1x3x9x9 dst=1x3x5x7 dtype=f32"},
    {"resize alg=nearest src=1x3x9x9 dst=1x3x5x7 dtype=f32"},
    {"resize alg=nearest src=1x3x9 dst=1x3x27 dtype=f32"},
    {"cast src=5x7 from=f32 to=i8"},
    {"cast src=35 from=f32 to=u8"},
    {"cast src=5x7 from=u8 to=f32"},
    {"cast src=2x3x50 from=f32 to=bf16"},
    {"cast src=64 from=f32 to=f16"},
    {"cast src=64 from=i32 to=f32"},
};

/// What the library itself gets wrong: no row of it may be believed, and that others agree shows that it is not we.
struct OnednnDefect {
  const char *version, *implementation, *layout, *post;
};
constexpr OnednnDefect kOnednnDefects[] = {
    {"2.6.3", "x64:gemm:jit", "channels_last", "gelu_erf+add"},  // leaves out the addend
};

bool is_known_defect(const Backend& backend, const Problem& problem, const Measurement& facts) {
  return std::ranges::any_of(kOnednnDefects, [&](const OnednnDefect& defect) {
    return backend.library().version == defect.version && facts.implementation == defect.implementation &&
           facts.layout == defect.layout && problem.field("post") == defect.post;
  });
}

/// Position of the first value that is not near the reference; nothing where all are.
std::optional<size_t> first_wrong(const Problem& problem, const std::vector<PlainTensor>& operands,
                                  const std::vector<float>& result, Numerics numerics) {
  std::vector<size_t> positions(result.size());
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<double> wanted = reference_values(problem, operands, positions);
  REQUIRE(wanted.size() == result.size());
  Tolerance tolerance = tolerance_of(problem);
  if (numerics == Numerics::kTransform) tolerance.absolute *= 4;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double difference = std::abs(static_cast<double>(result[i]) - wanted[i]);
    if (!(difference <= tolerance.absolute + tolerance.relative * std::abs(wanted[i]))) {
      UNSCOPED_INFO("at " << i << ": " << result[i] << ", wanted " << wanted[i]);
      return i;
    }
  }
  return {};
}

void check_candidate(const Backend& backend, const Problem& problem, const std::vector<PlainTensor>& operands,
                     Candidate& candidate) {
  const Measurement facts = candidate.facts();
  INFO(facts.implementation << ", " << facts.layout);
  std::unique_ptr<Implementation> implementation;
  const Status made = candidate.make(&implementation);
  INFO(made.error);
  REQUIRE(made.ok());
  const OnednnBuffers buffers(implementation->buffer_sizes());
  const Status filled = implementation->fill(operands, buffers.addresses());
  INFO(filled.error);
  REQUIRE(filled.ok());
  const auto call = implementation->bind(buffers.addresses());
  call->run();
  call->run();
  const std::vector<float> result = implementation->result(buffers.addresses());
  int64_t elements = 1;
  for (const int64_t dimension : result_dimensions(problem)) elements *= dimension;
  REQUIRE(std::cmp_equal(result.size(), elements));
  const bool may_differ = facts.numerics == Numerics::kReduced || is_known_defect(backend, problem, facts);
  if (!may_differ) CHECK_FALSE(first_wrong(problem, operands, result, facts.numerics).has_value());
  CHECK_FALSE(facts.implementation.empty());
  CHECK_FALSE(facts.layout.empty());
}

void check_cases(std::span<const OnednnCase> cases) {
  if (loaded_onednn().empty()) WARN("no oneDNN here: nothing was compared");
  for (const auto& backend : loaded_onednn()) {
    for (const OnednnCase& one : cases) {
      if (!one.has_v2 && is_major_version(*backend, '2')) continue;
      INFO(backend->library().version << ": " << one.problem);
      const auto problem = Problem::parse(one.problem);
      REQUIRE(problem.has_value());
      const std::vector<PlainTensor> operands = make_operands(*problem);
      REQUIRE_FALSE(operands.empty());
      std::vector<std::unique_ptr<Candidate>> candidates;
      const Status found = backend->candidates({one.problem, "", 0, 0, ""}, &candidates);
      INFO(found.error);
      CHECK(found.ok());
      std::set<std::string> names;
      for (const auto& candidate : candidates) {
        check_candidate(*backend, *problem, operands, *candidate);
        const Measurement facts = candidate->facts();
        CHECK(names.insert(facts.implementation + ", " + facts.layout).second);
      }
    }
  }
}

}  // namespace

TEST_CASE("every implementation of oneDNN computes a convolution") { check_cases(kConvolutions); }
TEST_CASE("every implementation of oneDNN computes a product of matrices") { check_cases(kProducts); }
TEST_CASE("every implementation of oneDNN computes a pooling or reduction") { check_cases(kPoolings); }
TEST_CASE("every implementation of oneDNN computes an elementwise function") { check_cases(kElementwise); }
TEST_CASE("every implementation of oneDNN computes a normalization") { check_cases(kNormalizations); }
TEST_CASE("every implementation of oneDNN moves data as ONNX does") { check_cases(kMovements); }

namespace {

std::vector<Measurement> facts_of_candidates(Backend& backend, const std::string& problem) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  INFO(problem);
  const Status status = backend.candidates({problem, "", 0, 0, ""}, &candidates);
  INFO(status.error);
  CHECK(status.ok());
  std::vector<Measurement> facts;
  for (const auto& candidate : candidates) facts.push_back(candidate->facts());
  return facts;
}

constexpr const char* kUsualConvolution =
    "conv src=1x64x14x14 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=relu dtype=f32";

}  // namespace

TEST_CASE("oneDNN says which version and which threads it has") {
  for (const auto& backend : loaded_onednn()) {
    const Library& library = backend->library();
    CHECK(library.backend == "onednn");
    CHECK(std::ranges::count(library.version, '.') == 2);
    CHECK_FALSE(library.build.empty());
    CHECK(library.path.starts_with("/"));
    CHECK_FALSE(backend->set_threads(0).ok());
  }
}

TEST_CASE("oneDNN offers a convolution in the layout that it chooses, plain, and with the channels last") {
  for (const auto& backend : loaded_onednn()) {
    const auto facts = facts_of_candidates(*backend, kUsualConvolution);
    REQUIRE_FALSE(facts.empty());
    CHECK(facts.front().layout.starts_with("any: "));
    CHECK(facts.front().dtype == "f32");
    CHECK(std::ranges::any_of(facts, [](const Measurement& one) { return one.layout == "channels_last"; }));
  }
}

TEST_CASE("only version 2 of oneDNN has Winograd, and it is marked as other rounding") {
  for (const auto& backend : loaded_onednn()) {
    const auto facts = facts_of_candidates(*backend, kUsualConvolution);
    const bool has_other_rounding =
        std::ranges::any_of(facts, [](const Measurement& one) { return one.numerics == Numerics::kTransform; });
    if (is_major_version(*backend, '3')) CHECK_FALSE(has_other_rounding);
    for (const Measurement& one : facts) {
      const bool is_winograd = one.implementation.find("wino") != std::string::npos;
      CHECK((one.numerics == Numerics::kTransform) == is_winograd);
    }
  }
}

TEST_CASE("reference code of oneDNN is offered only where there is nothing else, and once") {
  const char* const problems[] = {kUsualConvolution, "batchnorm src=1x16x7x7 dtype=f32",
                                  "reduce alg=l2 src=6x8 axes=1 dtype=f32", "concat axis=0 srcs=5,3 dtype=f32"};
  for (const auto& backend : loaded_onednn()) {
    for (const char* const problem : problems) {
      const auto facts = facts_of_candidates(*backend, problem);
      const auto references = std::ranges::count_if(facts, [](const Measurement& one) {
        return one.implementation.starts_with("ref") || one.implementation.find("_ref") != std::string::npos;
      });
      CHECK((references == 0 || (references == 1 && facts.size() == 1)));
    }
  }
}

TEST_CASE("calls of one implementation on different buffers do not disturb one another") {
  const auto problem = Problem::parse(
      "conv src=1x32x8x8 wei=32x32x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=f32");
  REQUIRE(problem.has_value());
  const std::vector<PlainTensor> operands = make_operands(*problem);
  for (const auto& backend : loaded_onednn()) {
    std::vector<std::unique_ptr<Candidate>> candidates;
    REQUIRE(backend->candidates({problem->text(), "", 0, 0, ""}, &candidates).ok());
    for (const auto& candidate : candidates) {
      std::unique_ptr<Implementation> implementation;
      REQUIRE(candidate->make(&implementation).ok());
      const OnednnBuffers first(implementation->buffer_sizes()), second(implementation->buffer_sizes());
      REQUIRE(implementation->fill(operands, first.addresses()).ok());
      REQUIRE(implementation->fill(operands, second.addresses()).ok());
      const auto a = implementation->bind(first.addresses()), b = implementation->bind(second.addresses());
      for (int i = 0; i < 3; ++i) {
        a->run();
        b->run();
      }
      const std::vector<float> result = implementation->result(first.addresses());
      CHECK(result == implementation->result(second.addresses()));
      CHECK_FALSE(first_wrong(*problem, operands, result, candidate->facts().numerics).has_value());
    }
  }
}

TEST_CASE("oneDNN refuses with a reason what it cannot compute") {
  const char* const problems[] = {
      "",
      "conv",
      "no such kind",
      "Gather in=f32[3] out=f32[1]",
      "conv src=1x16x9x9 wei=32x16x3x3 strides=0x0 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32",
      "conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1 dil=1x1 groups=1 bias=0 post= dtype=f32",
      "conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=5 bias=0 post= dtype=f32",
      "conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post=sing dtype=f32",
      "conv src=1x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f64",
      "conv src=1x1x2147483647x2147483647 wei=1x1x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32",
      "conv src=1x1x9x9 wei=1x1x3x3 strides=1x1 pads=2147483647,0,2147483647,0 dil=1x1 groups=1 bias=0 post= dtype=f32",
      "conv src=0x16x9x9 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32",
      "conv src=9223372036854775807x9223372036854775807x3 wei=1x1x1 strides=1 pads=0,0 dil=1 groups=1 dtype=f32",
      "conv src=1x1x2x2x2x2x2x2x2x2x2x2x2x2 wei=1x1x1x1x1x1x1x1x1x1x1x1x1x1 strides=1x1x1x1x1x1x1x1x1x1x1x1 "
      "pads=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 dil=1x1x1x1x1x1x1x1x1x1x1x1 groups=1 bias=0 post= "
      "dtype=f32",
      "matmul src=4x5 wei=6x7 ta=0 tb=0 bias=0 post= dtype=f32",
      "matmul src=4x5 wei=5x7 ta=0 tb=0 bias=7 post= beta=0.5 dtype=f32",
      "matmul src=5 wei=5 ta=0 tb=0 bias=0 post= dtype=f32",
      "maxpool src=1x3x4x4 kernel=9x9 strides=1x1 pads=0,0,0,0 dil=1x1 dtype=f32",
      "eltwise alg=erf src=10 alpha=0 beta=0 dtype=f32",
      "binary alg=pow src0=4 src1=4 dtype=f32",
      "binary alg=div src0=4 src1=4 dtype=i32",
      "softmax src=4x4 axis=7 log=0 dtype=f32",
      "layernorm src=4x4 axis=-3 bias=1 dtype=f32",
      "lrn src=1x8x4x4 size=4 dtype=f32",
      "reduce alg=mean src=4x4 axes=9 dtype=f32",
      "concat axis=3 srcs=1x3x4x4,1x3x4x5,7 dtype=f32",
      "transpose src=2x3 perm=0,0 dtype=f32",
      "resize alg=nearest src=1x3x4x4 dst=1x3x2x2 dtype=f32",
      "resize alg=linear src=1x3x4x4 dst=2x3x8x8 dtype=f32",
      "cast src=4 from=i64 to=f32",
  };
  for (const auto& backend : loaded_onednn()) {
    for (const char* const problem : problems) {
      INFO(backend->library().version << ": " << problem);
      std::vector<std::unique_ptr<Candidate>> candidates;
      const Status status = backend->candidates({problem, "", 0, 0, ""}, &candidates);
      CHECK_FALSE(status.ok());
      CHECK(candidates.empty());
      CHECK(status.error.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a file that is no oneDNN is refused") {
  std::unique_ptr<Backend> backend;
  CHECK_FALSE(load_onednn("libm.so.6", &backend).ok());
  CHECK_FALSE(load_onednn("/no/such/libdnnl.so.3", &backend).ok());
  CHECK_FALSE(load_onednn("", &backend).ok());
  CHECK(backend == nullptr);
}

}  // namespace xsp::bound
