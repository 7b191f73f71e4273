"""Plugins that are opened and closed over and over, and come to lie at each other's addresses: each calls its own version."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
plugins = (fake("libplugin12.so"), fake("libplugin13.so"))
outcome = compare(fake("reopens"), 300, *plugins).check_unchanged().check_recorded()
check_equal(outcome.plain.stdout, b"3750\n", "versions that answered")
