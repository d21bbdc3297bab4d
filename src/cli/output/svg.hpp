// Pieces of pictures in SVG.
#pragma once

#include <string>

namespace scalesweep::cli {

// A line of text, its place in pixels; `more`: further attributes, each after a blank.
std::string svg_text(double x, double y, const std::string& text, const char* anchor = "start",
                     const char* more = "");

// A picture on white ground, so many pixels wide and high; `style`: elements before the ground.
std::string svg_picture(double width, double height, const std::string& body,
                        const char* style = "");

}  // namespace scalesweep::cli
