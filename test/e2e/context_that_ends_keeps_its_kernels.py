"""CUPTI loses what it has not handed over when a context is destroyed: it is asked for it before, whichever call ends the context."""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import work_folder

work_folder()
for words in ((5, "reset"), (5,)):
    run_on_device(fake("inference"), *words, misbehave=["reset_loses"]).check_success().check_executions().check_launches()
