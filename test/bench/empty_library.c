/* Three functions that do nothing, under names that the guest wraps: what is left of a call is its cost. */
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha, const float* A,
                   int lda, const float* B, int ldb, const float* beta, float* C, int ldc) {
  (void)handle, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)A, (void)lda, (void)B;
  (void)ldb, (void)beta, (void)C, (void)ldc;
  return 0;
}
int cublasCreate_v2(void** handle) {
  (void)handle;
  return 0;
}
int cublasGetStream_v2(void* handle, void** stream) {
  (void)handle;
  *stream = 0;
  return 0;
}
int ncclGroupStart(void) { return 0; }
