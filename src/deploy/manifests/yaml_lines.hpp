// Lines of YAML that manifests are made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalesweep::deploy {

std::string indented(std::string_view text, std::size_t columns);

// A text of several lines behind a key: a block that is indented, or one line in quotes where a
// reader would not keep a block as it is. Ends its line.
std::string yaml_block(std::string_view text, std::size_t columns);

// A container's argument: variables of the command ("$MODEL") as Kubernetes sets them ("$(MODEL)"),
// all else as it is. Of the text in it "$(NAME)" would be one, too: "$$(NAME)" stands for it.
std::string container_argument(std::string_view value);

}  // namespace scalesweep::deploy
