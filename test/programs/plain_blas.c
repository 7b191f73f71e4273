/* sgemm_ as the reference BLAS has it, of matrices that are not transposed: a plain loop, whose file tests give the
 * name of one library or another. */
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);

void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc) {
  (void)transa;
  (void)transb;
  for (int column = 0; column < *n; ++column) {
    for (int row = 0; row < *m; ++row) {
      volatile float sum = 0; /* as slow as it may be */
      for (int i = 0; i < *k; ++i) sum += a[row + i * *lda] * b[i + column * *ldb];
      c[row + column * *ldc] = *alpha * sum + *beta * c[row + column * *ldc];
    }
  }
}
