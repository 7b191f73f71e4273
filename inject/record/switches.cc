#include "inject/record/switches.h"

namespace xsp::guest {

constinit Switches switches;

}  // namespace xsp::guest
