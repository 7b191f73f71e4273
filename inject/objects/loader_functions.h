#pragma once

namespace xsp::guest {

/// The functions of <dlfcn.h> that the guest interposes, as the next one behind it in the process has them: libc's, or
/// another interposer's that is preloaded too. Code of the guest calls these and never its own exports.
struct LoaderFunctions {
  void* (*dlsym)(void* handle, const char* name);
  void* (*dlvsym)(void* handle, const char* name, const char* version);
  int (*dlclose)(void* handle);
  char* (*dlerror)();
};

/// Found at the first call, which may come from a constructor that runs before the guest's; afterwards one load.
const LoaderFunctions& next_loader();

/// Makes `text` what dlerror says next in this thread. The loader keeps it: it is the end of the error that a lookup of
/// a name made of a mark and the text leaves behind.
void set_lookup_error(const char* text);

/// Behind the mark of set_lookup_error, or the error itself when it has none. Null stays null.
char* without_mark(char* error);

/// Keeps what dlerror would have said in this thread while the guest looks names up itself.
class LookupErrorKeeper {
 public:
  LookupErrorKeeper();
  ~LookupErrorKeeper();
  LookupErrorKeeper(const LookupErrorKeeper&) = delete;
  LookupErrorKeeper& operator=(const LookupErrorKeeper&) = delete;

 private:
  bool had_error_;
  char text_[1024];
};

}  // namespace xsp::guest
