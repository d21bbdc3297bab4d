// Figures of an answer as people read them; "-" for what is not known.
#pragma once

#include <string>

namespace scalesweep::cli {

// `text` where the value is one.
std::string or_dash(double value, const std::string& text);
std::string time_text(double seconds);  // "12.5 ms"
std::string rate_text(double per_s);    // "123.4", "12,345"
std::string percent_text(double part);  // "12 %"

}  // namespace scalesweep::cli
