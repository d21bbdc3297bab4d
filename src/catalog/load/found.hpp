// Entries as they are found in their files, before they are read. Internal to the folder.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "catalog/data.hpp"
#include "catalog/load/files.hpp"
#include "config/document.hpp"

namespace scalesweep::catalog {

struct File {
  std::string path;
  std::string text;
  EntryTexts entry_texts;  // of `text`
  config::Document document;
  Sources sources;
  std::shared_ptr<const Overlay> overlay;  // null: of the catalog itself
  std::string overlay_place;               // as it was given, a file or folder
};

// It may rest on an entry that stands further down or in a later file.
struct Found {
  enum class State { waits, is_read, done };
  const File* file = nullptr;
  Section section = Section::devices;
  std::string name;
  config::TableCursor table;
  State state = State::waits;
  bool rests_on_nothing = false;  // what it names, or what that one does, is not there: reported
  Entry entry;

  bool in_overlay() const { return file->overlay != nullptr; }
};

// By names and aliases, one map a section.
using FoundByName = std::array<Named<Found*>, section_count>;

}  // namespace scalesweep::catalog
