// The documents of a published folder, each as the text of its file.
#pragma once

#include <string>

#include "publish/documents/publication.hpp"

namespace scalesweep::publish {

inline constexpr const char* card_name = "README.md";
inline constexpr const char* citation_name = "CITATION.cff";
inline constexpr const char* datacite_name = "datacite.json";
inline constexpr const char* schema_org_name = "schema-org.jsonld";
inline constexpr const char* ro_crate_name = "ro-crate-metadata.json";

// The data set card: what it is, what it answers, its columns, how to open it, licence, citation.
std::string card(const Publication& publication);

// Citation File Format 1.2.0.
std::string citation_cff(const Publication& publication);

// DataCite Metadata Schema 4.4 as JSON. What it needs and nobody said is ":unav", its word for
// that.
std::string datacite_json(const Publication& publication);

// A Dataset of schema.org, with every column as a variable measured.
std::string schema_org_json(const Publication& publication);

// RO-Crate 1.1, of all files there are.
std::string ro_crate_json(const Publication& publication);

}  // namespace scalesweep::publish
