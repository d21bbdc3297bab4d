// Text in lines of a terminal: how wide it is, and where it goes on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalesweep::analysis {

// Columns of a terminal that texts keep within where nothing else is known: one less than the usual
// 80, since some terminals break a line that is full.
inline constexpr std::size_t line_width = 79;

// Columns that a text takes: bytes that continue a character of UTF-8 take none.
std::size_t display_width(const std::string& text);

// With blanks up to `width` columns of a terminal: before it, so that it stands to the right, or
// behind it.
std::string padded(const std::string& text, std::size_t width, bool right);

// In lines of at most `width` where its blanks allow that; those that it begins with stand before
// each line.
std::vector<std::string> lines_of(const std::string& text, std::size_t width);

// The same as one text; 0: any width will do.
std::string in_lines(const std::string& text, std::size_t width);

// The widest part that no line can break, with the blanks that the text begins with.
std::size_t longest_word(const std::string& text);

// Lines that end in a line break, of at most `width` where blanks allow that; the first begins with
// `first` blanks, the others with `rest`.
std::string flowing(const std::string& text, std::size_t width, std::size_t first,
                    std::size_t rest);

// The same lines, of which those that are wider than `width` (0: any width will do) go on two
// columns further in than they begin.
std::string within(const std::string& lines, std::size_t width);

// Lines indented by two, all but the first by four; ends in a line break.
std::string paragraph(const std::string& text, std::size_t width = line_width);

}  // namespace scalesweep::analysis
