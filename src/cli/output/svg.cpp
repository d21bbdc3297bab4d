#include "cli/output/svg.hpp"

#include <fmt/format.h>

#include "core/documents/escapes.hpp"

namespace scalesweep::cli {

std::string svg_text(double x, double y, const std::string& text, const char* anchor,
                     const char* more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, xml_text(text));
}

std::string svg_picture(double width, double height, const std::string& body, const char* style) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n{2}"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, style, body);
}

}  // namespace scalesweep::cli
