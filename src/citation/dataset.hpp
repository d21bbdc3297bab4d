// What a study says of itself as a data set that others cite: the table [dataset] of its spec.
// Nothing of it is part of the identity of the study.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/key.hpp"

namespace scalesweep::citation {

struct Creator {
  std::string name;  // "Lovelace, Ada" of a person, "CERN" of an institution
  std::string orcid = {};
  std::string affiliation = {};
  std::string email = {};

  // The parts of a name that has a comma; the family name alone of one that has none.
  std::string family_name() const;
  std::string given_name() const;
  bool is_person() const;
};

// How a data set relates to another work, by the words of DataCite 4.4: the data set "Cites" it.
struct RelatedWork {
  std::string identifier;  // a DOI, an address, or arXiv:...
  std::string relation;

  std::string url() const;  // that leads to it
};

struct Funding {
  std::string funder;
  std::string award = {};
};

struct Contact {
  std::string name = {};
  std::string email;
};

// Empty is what is not said.
struct Dataset {
  std::vector<Creator> creators;
  std::string institution;
  std::string license;  // an SPDX name
  std::vector<std::string> keywords;
  std::string summary;
  std::vector<RelatedWork> related;
  std::vector<Funding> funding;
  std::string project;
  std::string publisher;
  std::string doi;         // without https://doi.org/
  std::string identifier;  // another persistent identifier, an address
  std::string version;
  std::optional<Contact> contact;
};

// [dataset] of a document whose rows are those of a spec. Every mistake is reported.
Dataset read_dataset(const config::TableCursor& root);

// The same of a text, with the rows of a spec: a spec, of which nothing else is read, or a file
// that has [dataset] alone. Nothing, with the mistakes, if it cannot be read or `only` the table
// may stand there and something else does.
enum class Beside { anything, nothing };
std::optional<Dataset> dataset_of_text(const std::string& file, const std::string& text,
                                       std::span<const config::Key> rows, Beside beside,
                                       Diagnostics& diagnostics);

// What `over` says in place of what `dataset` says, key by key.
Dataset merged(Dataset dataset, const Dataset& over);

// As root attributes of a file, named after ACDD 1.3; those alone that have a text. Of several
// people or works the texts have "; " between them, and as many places as there are.
std::map<std::string, std::string> dataset_attributes(const Dataset& dataset);
// The names of all there may be.
const std::vector<std::string>& dataset_attribute_names();

}  // namespace scalesweep::citation
