// Tables for standard output: aligned text for people, JSON and CSV for programs.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/words/format.hpp"
#include "cli/options/command.hpp"
#include "core/documents/json.hpp"

namespace scalesweep::cli {

using analysis::Format;

// The same fact twice: as a person reads it and as a program does.
struct Cell {
  std::string text;
  Json value;

  Cell(const char* word) : text(word), value(word) {}         // NOLINT(*explicit*)
  Cell(const std::string& word) : text(word), value(word) {}  // NOLINT(*explicit*)
  Cell(std::string shown, Json exact) : text(std::move(shown)), value(std::move(exact)) {}
};

enum class Align { left, right };

struct SheetColumn {
  std::string name;    // key in JSON and CSV: \w+
  std::string header;  // as printed
  Align align = Align::left;
};

struct Sheet {
  std::string name;   // key in JSON
  std::string title;  // "" for none
  std::vector<SheetColumn> columns;
  std::vector<std::vector<Cell>> rows;
  bool show_header = true;  // in text
};

// Text: sheets one after another with a blank line between them, in lines of at most `width`
// columns (0: as long as they get) where words allow it. JSON: one object with a list of row
// objects by sheet name. CSV: only for one sheet (SCALESWEEP_EXPECT).
void print(std::ostream& out, const std::vector<Sheet>& sheets, Format format,
           std::size_t width = 0);
// To standard output, as wide as its terminal.
void print(const Streams& streams, const std::vector<Sheet>& sheets, Format format);

}  // namespace scalesweep::cli
