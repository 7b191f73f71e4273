#pragma once

#include <string>

namespace xsp::analysis {

/// A picture with a section of its own on a page.
struct PageDrawing {
  std::string id;  // of the section
  std::string title;
  std::string svg;
  std::string shows;  // a sentence below it; empty: none
};

}  // namespace xsp::analysis
