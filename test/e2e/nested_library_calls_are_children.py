"""cuBLAS does its products through cuBLASLt, across a symbol: that call is recorded inside its own, not beside it."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
outcome = compare(fake("linked")).check_unchanged()
(outer,) = outcome.spans("cublasGemmEx")
(inner,) = outcome.spans("cublasLtMatmul")
check_equal((inner.type, inner.parent), ("cublaslt", outer.id), "parent of the nested call")
check(outer.begin <= inner.begin and inner.end <= outer.end, "the nested call lies outside of its parent")
