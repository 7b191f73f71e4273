#ifndef XSP_TEST_FAKE_CUDA_PRODUCT_H
#define XSP_TEST_FAKE_CUDA_PRODUCT_H

/* A matrix product with what cublasLtMatmul's epilogues compute on it, by columns. */

#include <stdint.h>
#include <stdlib.h>

#include "driver_launch.h"
#include "numbers.h"

/* Larger ones are not computed: programs that only want kernels would wait for them. */
enum { kMostMultiplications = 1 << 22 };

typedef struct {
  const void* data;
  int type;
  int64_t rows, columns, leading, stride;
} product_matrix;

typedef struct {
  product_matrix a, b, c, d;
  int transposed_a, transposed_b;
  int64_t batches;
  double alpha, beta;
  const void* bias; /* null: none */
  int bias_type;
  int activation; /* of cublasLtEpilogue_t: 0, 2 (ReLU), 32 (GELU) */
  int is_wrong;   /* its last element is */
} product;

static double activated(int activation, double x) {
  if (activation == 2) return fmax(x, 0);
  if (activation == 32) return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  return x;
}

static void compute_product(void* argument) {
  product* p = argument;
  const int64_t depth = p->transposed_a ? p->a.rows : p->a.columns;
  for (int64_t batch = 0; batch < p->batches; ++batch)
    for (int64_t j = 0; j < p->d.columns; ++j)
      for (int64_t i = 0; i < p->d.rows; ++i) {
        double sum = 0;
        for (int64_t l = 0; l < depth; ++l) {
          const int64_t at_a = batch * p->a.stride + (p->transposed_a ? i * p->a.leading + l : l * p->a.leading + i);
          const int64_t at_b = batch * p->b.stride + (p->transposed_b ? l * p->b.leading + j : j * p->b.leading + l);
          sum += read_number(p->a.type, p->a.data, at_a) * read_number(p->b.type, p->b.data, at_b);
        }
        double value = p->alpha * sum;
        if (p->beta != 0)
          value += p->beta * read_number(p->c.type, p->c.data, batch * p->c.stride + j * p->c.leading + i);
        if (p->bias != NULL) value += read_number(p->bias_type, p->bias, i);
        value = activated(p->activation, value);
        const int is_last = batch + 1 == p->batches && j + 1 == p->d.columns && i + 1 == p->d.rows;
        if (p->is_wrong && is_last) value += 8;
        write_number(p->d.type, (void*)p->d.data, batch * p->d.stride + j * p->d.leading + i, value);
      }
  free(p);
}

static int is_there(const product_matrix* matrix, int64_t batches) {
  const int64_t elements = (batches - 1) * matrix->stride + (matrix->columns - 1) * matrix->leading + matrix->rows;
  return elements > 0 && is_on_device(matrix->data, (size_t)elements * bytes_of_type(matrix->type));
}

/* Computes it on the stream, if it is small and lies on the device: many programs hand over no memory at all. */
static void compute_product_on_stream(const product* given, void* stream) {
  const int64_t depth = given->transposed_a ? given->a.rows : given->a.columns;
  const double multiplications =
      (double)given->batches * (double)given->d.rows * (double)given->d.columns * (double)depth;
  if (multiplications > kMostMultiplications || !is_there(&given->a, given->batches) ||
      !is_there(&given->b, given->batches) || !is_there(&given->d, given->batches))
    return;
  if (given->beta != 0 && !is_there(&given->c, given->batches)) return;
  if (given->bias != NULL && !is_on_device(given->bias, (size_t)given->d.rows * bytes_of_type(given->bias_type)))
    return;
  product* copy = malloc(sizeof *copy);
  *copy = *given;
  compute_on_stream(stream, compute_product, copy);
}

#endif
