"""CUDA_INJECTION64_PATH names a library of the user's: it is initialised once, as without XSP, and kernels are recorded."""
from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import check_equal, run, work_folder

work_folder()
library = fake("libinjected.so")
plain = run(fake("inference"), 2, env=device_environment(CUDA_INJECTION64_PATH=library))
check_equal(plain.stdout, b"injected\ndone\n", "the program by itself")
outcome = run_on_device(fake("inference"), 2, CUDA_INJECTION64_PATH=library).check_success()
check_equal(outcome.done.stdout, plain.stdout, "the program under xsp-run")
outcome.check_executions().check_launches()
