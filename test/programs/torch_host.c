/* A host of libtorch without Python, by its C interface: three products of matrices. */
#include <stdint.h>
#include <stdio.h>

typedef void* Tensor;
int aoti_torch_empty_strided(int64_t rank, const int64_t* sizes, const int64_t* strides, int32_t type, int32_t device,
                             int32_t index, Tensor* made);
int aoti_torch_zero_(Tensor tensor);
int aoti_torch_delete_tensor_object(Tensor tensor);
int32_t aoti_torch_dtype_float32(void);
int aoti_torch_cpu_mm_out(Tensor out, Tensor left, Tensor right);

int main(void) {
  const int64_t sizes[2] = {64, 64};
  const int64_t strides[2] = {64, 1};
  for (int i = 0; i < 3; ++i) {
    Tensor tensors[3];
    for (int k = 0; k < 3; ++k) {
      aoti_torch_empty_strided(2, sizes, strides, aoti_torch_dtype_float32(), 0, 0, &tensors[k]);
      aoti_torch_zero_(tensors[k]);
    }
    aoti_torch_cpu_mm_out(tensors[2], tensors[0], tensors[1]);
    for (int k = 0; k < 3; ++k) aoti_torch_delete_tensor_object(tensors[k]);
  }
  puts("done");
  return 0;
}
