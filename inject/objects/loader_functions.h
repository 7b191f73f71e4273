#pragma once

namespace xsp::guest {

/// The functions of <dlfcn.h> that the guest interposes, as the next object after it defines them: libc, or another
/// interposer that is preloaded too. Code of the guest calls these and never its own exports.
struct LoaderFunctions {
  void* (*dlsym)(void* handle, const char* name);
  void* (*dlvsym)(void* handle, const char* name, const char* version);
  int (*dlclose)(void* handle);
  char* (*dlerror)();
};

/// They are looked up at the first call, which may come from a constructor that runs before the guest's; later calls
/// cost one load.
const LoaderFunctions& next_loader();

/// Makes dlerror return `text` next in this thread. The loader keeps the text for us: we look up a name made of a mark
/// and the text, which fails, and the error that this leaves ends with the name.
void set_lookup_error(const char* text);

/// The text after the mark of set_lookup_error, or the error itself if it has no mark. Null stays null.
char* without_mark(char* error);

/// Preserves what dlerror would have said in this thread while the guest itself looks names up.
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
