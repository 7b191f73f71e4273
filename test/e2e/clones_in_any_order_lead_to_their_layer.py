"""A node that instantiation tells of as created and then cloned, as cloned and then created, or as cloned alone: what it runs has the
layer in which the original was made.
"""
from support.played_recording import play
from support.xsp_e2e import check_equal, work_folder

work_folder()
played = play("clones_in_any_order").check_executions().check_losses()
layers = {e.name: e.capture.outer("layer").name if e.capture and e.capture.outer("layer") else None for e in played.found()}
check_equal(layers, {f"in_{n}_layer": f"{n}_layer" for n in ("first", "second", "third")}, "layers of the nodes")
