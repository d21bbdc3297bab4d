// What a published folder is about: everything that its documents say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "citation/dataset.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::publish {

struct PublishedFile {
  std::string name;  // in the folder, with / between folders
  std::string media_type;
  std::string description;
  std::int64_t bytes = 0;
  std::string sha256;
};

struct PublishedColumn {
  std::string name;
  std::string units;   // UDUNITS; "" of names
  std::string values;  // of names: "'N7', 'N5'"
  std::string description;
};

struct FrontierColumn {
  std::string name;
  std::string units;
  bool is_larger_better = false;
};

struct Publication {
  citation::Dataset dataset;
  std::string title;
  std::string identity;
  std::string references;  // of the method
  std::string source;      // program and version that computed it
  std::string created;     // ISO 8601
  std::string published;   // a date, ISO 8601
  std::int64_t points = 0;
  std::int64_t rows = 0;
  std::vector<std::pair<std::string, std::int64_t>> counts;  // by status, those that are not 0
  std::vector<PublishedColumn> columns;
  std::vector<FrontierColumn> frontier;  // the first two objectives, where there are two
  std::string verdict;                   // a text of several lines; "": none
  std::vector<std::string> findings;     // sentences
  std::string study_file;                // name in the folder
  bool had_seal = true;                  // before it was published
  bool is_for_spreadsheets = false;      // its CSV file
  std::vector<PublishedFile> files;
};

// Of a study without a seal.
inline constexpr const char* no_seal_words =
    "the study had no seal when it was published, since another program has changed its file or an "
    "earlier version wrote it: nothing shows that its values are those that were computed";

// The part that the study file says; without verdict, findings and files.
Publication publication_of(const store::StudyReader& reader, const citation::Dataset& dataset,
                           const std::string& study_file);

// The summary, or where there is none a sentence on what it is.
std::string description_of(const Publication& publication);

// https://doi.org/..., or the other identifier; "" without any.
std::string address_of(const citation::Dataset& dataset);

// "Lovelace, Ada (2026): Title. Version 1. Zenodo. Data set. https://doi.org/..."
std::string citation_of(const Publication& publication);

// Sentences on what the metadata lack for a citation, each with the way out.
std::vector<std::string> gaps_of(const Publication& publication);

}  // namespace scalesweep::publish
