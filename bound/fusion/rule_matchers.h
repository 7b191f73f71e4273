#pragma once

#include "bound/fusion/group_list.h"
#include "bound/fusion/model_graph.h"

namespace xsp::bound {

// Each adds the groups of its rule that `head` stands for: the convolution, the product, the first mean or the
// normalization, the softmax, the elementwise layer that comes first.
void find_convolutions(const ModelGraph& graph, size_t head, GroupList* groups);
void find_products(const ModelGraph& graph, size_t head, GroupList* groups);
void find_normalizations(const ModelGraph& graph, size_t head, GroupList* groups);
void find_attention(const ModelGraph& graph, size_t head, GroupList* groups);
void find_quantized(const ModelGraph& graph, size_t head, GroupList* groups);
void find_activations(const ModelGraph& graph, size_t head, GroupList* groups);

/// All chains of elementwise layers; to be called when all other rules have been tried.
void find_chains(const ModelGraph& graph, GroupList* groups);

}  // namespace xsp::bound
