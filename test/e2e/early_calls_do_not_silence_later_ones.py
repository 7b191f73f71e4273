"""A call from the program's preinit functions, when there is no environment yet, is passed on; later ones are recorded."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = compare(fake("calls_early")).check_unchanged()
check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], [2], "products of main")
