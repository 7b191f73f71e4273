#pragma once

#include <vector>

#include "bound/advice/evaluation_work.h"
#include "bound/advice/inefficiency.h"

namespace xsp::bound {

/// Each adds what it finds. `model` is null where there is none.

/// Layers that a library computes, but in this trace did not: others of their kind go there, or, of batch normalization
/// on a GPU, the library is used at all. Frameworks' own kernels for poolings and softmaxes are as good as a library's.
void find_missing_calls(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// Calls that were asked for something else than the layer of the model; tensors in a layout that the library's kernel
/// cannot read; matrix units forbidden; one algorithm for all shapes that was never asked for.
void find_other_arguments(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// Library calls that only change a layout.
void find_extra_calls(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// What is needed once, and is made in each call of the model.
void find_repeated_setup(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// Layers that ran before one that they read.
void find_other_order(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// Kernels that pad, copy, transpose or cast, outside library calls and in no layer that asks for it.
void find_kernels_between(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// The host waits for the device while there is more of the model to launch.
void find_calls_between(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

/// Long stretches between layers in which the host does nothing that is recorded and the device nothing at all.
void find_host_gaps(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found);

}  // namespace xsp::bound
