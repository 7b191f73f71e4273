#pragma once

/// What the stand-in has of MXNet's C API.
extern "C" {
int MXExecutorSimpleBindEx(void** executor);
int MXExecutorForward(void* executor, int is_train);
int MXExecutorBackwardEx(void* executor, unsigned count, void** gradients, int is_train);
int MXInvokeCachedOpEx(void* op, int input_count, void** inputs, int* output_count, void*** outputs, const int** types);
int MXNDArrayWaitAll();
int MXSymbolListAtomicSymbolCreators(unsigned* count, void*** creators);
int MXSymbolGetAtomicSymbolName(void* creator, const char** name);
int MXNDArrayGetShapeEx(void* array, int* rank, const int** sizes);
int MXAutogradIsRecording(bool* is_recording);
unsigned long long fake_mxnet_sum();
}
