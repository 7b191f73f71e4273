#pragma once

#include "inject/guard/settings.h"
#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// A session while the program makes it. It gets a profile of its own where layers are wanted and the program has not
/// asked for one, and the numbers of threads that were advised.
class OrtMaking {
 public:
  /// `model_path` null: the model is in memory.
  OrtMaking(const ort::Api& api, const char* model_path, const void* options);
  ~OrtMaking();
  OrtMaking(const OrtMaking&) = delete;
  OrtMaking& operator=(const OrtMaking&) = delete;

  /// The options to make the session with.
  const void* options() const { return own_options_ != nullptr ? own_options_ : options_; }
  void made(const void* address);

 private:
  bool copy_options();
  OrtLayers choose_layers(const Settings& settings) const;

  const ort::Api& api_;
  const char* model_path_;
  const void* options_;
  void* own_options_ = nullptr;
  bool has_threads_ = false;  // own_options_ has those that were advised
  OrtSession* session_ = nullptr;
  OrtLayers layers_ = OrtLayers::kNone;
};

/// The program has switched the profile of options on or off, copied or released them.
void users_session_profile(const void* options, bool on);
bool is_users_session_profile(const void* options);

}  // namespace xsp::guest
