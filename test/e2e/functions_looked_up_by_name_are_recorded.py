"""A program that opens cuBLAS and cuDNN and fills a table by dlsym, as TensorFlow does. libcudnn.so.9 looks the same names
up in its parts and must get those: each call reaches a part once, and is recorded once.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
libraries = (fake("libcublas.so.13"), fake("libcudnn.so.9"))
outcome = compare(fake("looks_up"), *libraries).check_unchanged().check_recorded()
convolutions = outcome.spans("cudnnConvolutionForward")
check_equal([(s.type, s.failed) for s in convolutions], [("cudnn", False), ("cudnn", True)], "convolutions")
check_equal([s.failed for s in outcome.spans("cudnnBackendExecute")], [True, False, False], "executions of a plan")
check_equal(outcome.unintercepted(), set(), "libraries that were not seen")

everything = compare(fake("looks_up"), *libraries, options=("--library-calls", "all")).check_unchanged()
check_equal(len(everything.spans("cudnnCreateTensorDescriptor")), 2, "descriptors, once all calls are asked for")
