#pragma once

#include <vector>

#include "analysis/findings/evidence.h"

namespace xsp::analysis {

/// Losses and contradictions (Q1): what puts the other findings in doubt.
void add_doubts(const Evidence& evidence, std::vector<Finding>* findings);

/// Where layer time goes (A2, A6), and how much of the model is in layers.
void add_layer_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// What limits kernels (A9, A10).
void add_kernel_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// Kernels that are too small for the device, or leave much of their last wave idle (R1).
void add_wave_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// How many threads are best, and what that gains (E2).
void add_concurrency_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// What independent kernels could gain side by side (R2), where a graph tells which are.
void add_packing_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// Where steps spend time without computing: waiting, copying, communicating, or starved by the host (A15).
void add_step_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// What a program without known steps does once (A6).
void add_start_up(const Evidence& evidence, std::vector<Finding>* findings);

/// Inference that computes as if it trained (A2).
void add_training_mode(const Evidence& evidence, std::vector<Finding>* findings);

/// Calls of Keras in eager mode, in which TensorFlow computes for a small part only (A6).
void add_eager_dispatch(const Evidence& evidence, std::vector<Finding>* findings);

/// What slows iterations (D4).
void add_iteration_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// Libraries that compute slowly because they were not made for speed (C2).
void add_slow_library_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// Where time in libraries goes (C2). A library that is told to be slow is not told again.
void add_call_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// What sets and sweeps show: the cost of profiling (L1, Q1), the optimal batch size (A1).
void add_experiment_findings(const Evidence& evidence, std::vector<Finding>* findings);

/// What a reader should know of the recording: what it does not tell (Q1), what is known badly (A1), and what the
/// profiler itself costs.
void add_notes(const Evidence& evidence, std::vector<Finding>* findings);

}  // namespace xsp::analysis
