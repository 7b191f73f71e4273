"""ONNX Runtime's C API makes no profile where nobody would take it: without a scratch folder, or for a service of another
user. Runs are recorded all the same, and no file is left anywhere."""
from support.ort_hosts import HOST, INPUT, LIBRARY, write_model
from support.profiles_need_who_takes_them import check_no_profiles
from support.xsp_e2e import work_folder

folder = work_folder()
folder.chmod(0o755)
model = folder / write_model()
check_no_profiles((HOST, model, *INPUT, "create", "run:5", "release"), 5, ORT_LIBRARY=LIBRARY, FAKE_ORT="")
