"""ONNX Runtime in Python makes no profile where nobody would take it: without a scratch folder, or for a service of another
user. Runs are recorded all the same, and no file is left anywhere."""
from support.profiles_need_who_takes_them import check_no_profiles
from support.xsp_e2e import PROGRAMS, branching_onnx, ort_python

python = ort_python()
check_no_profiles((python, PROGRAMS / "ort_infer.py", branching_onnx(python), 5), 5, PYTHONDONTWRITEBYTECODE="1")
