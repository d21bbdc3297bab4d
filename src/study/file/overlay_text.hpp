// Which entries of a study are of overlays, as a text of its file and back.
#pragma once

#include <string>
#include <vector>

#include "catalog/provenance.hpp"

namespace scalesweep::study {

// "devices my-chip: my-chip.toml, SHA-256 0123...", a line for each; "" where there is none.
std::string overlays_text(const std::vector<const catalog::Entry*>& entries);
catalog::OverlaysByEntry overlays_of_text(const std::string& text);

}  // namespace scalesweep::study
