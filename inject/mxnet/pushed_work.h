#pragma once

#include "inject/hooks/std_function.h"
#include "inject/mxnet/open_calls.h"

namespace xsp::guest {

/// A function that is pushed to MXNet's engine, in one of ours that belongs to the call of a model in which it was
/// pushed.

struct PushedOperator {
  uint32_t name;
  uint32_t type;   // 0: it gets no span: it runs several operators, which have spans of their own
  uint32_t shape;  // of its outputs
  uint64_t bytes;  // of these; 0: not known
};

/// Takes `original` and returns the function to push in its place, which holds the call. Empty, with nothing taken,
/// where too many are waiting.
StdFunction wrap_work(StdFunction& original, MxnetCall call, const PushedOperator& pushed);

/// The same for one that is kept, and pushed again and again; see push_again().
StdFunction wrap_kept_work(StdFunction& original);

/// Whether the function is one of wrap_kept_work().
bool is_kept_work(const StdFunction& function);

/// The kept function is pushed in this call, which it holds until it has run.
void push_again(const StdFunction& function, MxnetCall call);

}  // namespace xsp::guest
