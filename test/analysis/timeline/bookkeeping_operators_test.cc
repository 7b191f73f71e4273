#include "analysis/timeline/bookkeeping_operators.h"

#include <set>
#include <string>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("bookkeeping is told by the operator's name, also with the engine's before it") {
  for (const char* name :
       {"AccumulateGrad", "torch::autograd::AccumulateGrad",
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "record_param_comms",
        "torch::distributed::reducer::copy_bucket_to_grad", "aten::view", "aten::as_strided", "aten::lift_fresh",
        "aten::_has_compatible_shallow_copy_type", "aten::empty_strided", "aten::is_contiguous"}) {
    INFO(name);
    CHECK(find_bookkeeping(name) != nullptr);
  }
}

TEST_CASE("what computes, copies or waits is none") {
  for (const char* name : {"aten::conv2d",
                           "aten::contiguous",
                           "aten::clone",
                           "aten::copy_",
                           "aten::to",
                           "aten::item",
                           "aten::is_nonzero",
                           "aten::nonzero",
                           "aten::fill_",
                           "aten::zeros",
                           "aten::ones_like",
                           "aten::cat",
                           "aten::viewer",
                           "view",
                           "",
                           "aten::add_",
                           "nccl:all_reduce",
                           "c10d::allreduce_",
                           "aten::slice_backward",
                           "aten::select_backward"}) {
    INFO(name);
    CHECK(find_bookkeeping(name) == nullptr);
  }
}

TEST_CASE("each operator has its reason and is there once") {
  std::set<std::string_view> names;
  for (const BookkeepingOperator& known : bookkeeping_operators()) {
    CHECK(!known.reason.empty());
    CHECK(names.insert(known.name).second);
  }
}

TEST_CASE("communication is told by operator and kernel") {
  CHECK(is_communication_operator("nccl:all_reduce"));
  CHECK(is_communication_operator("c10d::_allgather_base_"));
  CHECK_FALSE(is_communication_operator("aten::nccl"));
}

}  // namespace
}  // namespace xsp::analysis
