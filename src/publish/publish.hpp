// A finished study as a folder that others can cite and use: the file, its metadata in the forms of
// repositories, a card, figures, and hashes of it all.
//
//   PublishReport made = publish_study({.study = "quick.h5", .folder = "quick-data"});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/reading.hpp"
#include "analysis/show/figures.hpp"
#include "analysis/verdict/why/savings.hpp"
#include "citation/dataset.hpp"

namespace scalesweep::publish {

struct PublishOptions {
  std::filesystem::path study;
  std::filesystem::path folder;
  std::optional<citation::Dataset> over = {};  // in place of what the spec says
  bool parquet = false;                        // copies of all rows and columns
  bool csv = false;
  bool spreadsheet = false;  // names in it that a spreadsheet would compute have an apostrophe
  bool figures = true;
  std::filesystem::path executable = {};  // the program, beside which the figures' script lies
  analysis::ReadingOptions reading = {};
  analysis::SavingsOf savings = {};  // what the verdict says of faster resources
  std::vector<std::string> pythons = analysis::default_pythons;
};

struct PublishReport {
  std::size_t files = 0;
  std::int64_t bytes = 0;
  bool is_copy = false;            // the study file is that of the input, byte for byte
  std::vector<std::string> notes;  // sentences: what is left out, and what metadata lack
};

// The folder is there whole or not at all, and the input is never changed. Names of hosts and
// folders are in none of its files. Throws Failure(cannot_create) if anything stands at `folder`;
// as StudyReader does for what is no finished study; Failure(io) where values are damaged.
PublishReport publish_study(const PublishOptions& options);

}  // namespace scalesweep::publish
