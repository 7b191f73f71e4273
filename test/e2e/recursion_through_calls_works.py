"""A library call that comes to call itself, through the program's callback: every level is recorded below the one before."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = compare(fake("calls_back"), "recursion").check_unchanged().check_recorded()
products = outcome.spans("cublasSgemm_v2")
check_equal([s.arguments["m"] for s in products], [100, 1, 2, 3, 4, 4], "products")
check_equal([s.parent for s in products[:5]], [0] + [s.id for s in products[:4]], "parents")
check_equal(products[5].parent, 0, "parent of the product behind")
