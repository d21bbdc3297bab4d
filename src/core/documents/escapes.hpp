// Texts that somebody wrote, made to stand in a document of another language as what they are. One
// function for each language; CSV has its own (csv_texts.hpp), JSON its library (json.hpp), and the
// words of a shell and lines of a terminal theirs.
#pragma once

#include <string>
#include <string_view>

namespace scalesweep {

// Text between tags, or in quotes, of XML, SVG and HTML; signs that XML does not take become
// blanks.
std::string xml_text(std::string_view text);

// Prose of Markdown (CommonMark with the tables and formulas of GitHub): no tag, link, formula,
// heading or list comes of it. Lines stay lines.
std::string markdown_text(std::string_view text);
// The same on one line, for a heading or a cell of a table.
std::string markdown_line(std::string_view text);
// Between fences, longer ones where it has such a line itself.
std::string markdown_block(std::string_view text);
// An address between < and >.
std::string markdown_address(std::string_view url);

// A scalar of YAML on one line, in double quotes.
std::string yaml_text(const std::string& text);
// The same without quotes where versions 1.1 and 1.2 read it as a text so: `no`, `null` and 123 are
// none.
std::string yaml_word(const std::string& text);

}  // namespace scalesweep
