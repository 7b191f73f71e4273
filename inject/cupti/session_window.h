#pragma once

namespace xsp::guest {

/// Has the session paused whenever the recording window is closed. A thread of ours (xsp-window) does it; the thread
/// that opens or closes the window waits for it, at most a tenth of a second, so that the first kernel of a range is
/// seen and the first one behind it is not. To be called when the session has started.
void follow_window();

}  // namespace xsp::guest
