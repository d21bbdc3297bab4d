// The rows of [dataset].
#include <array>

#include "citation/relations.hpp"
#include "space/keys/rows.hpp"

namespace scalesweep::space {
namespace {

// clang-format off
constexpr std::array in_dataset = {
    Key{.path = "dataset.creators", .kind = KeyKind::tables,
        .description = "who made the data, in the order in which they are cited"},
    Key{.path = "dataset.creators.name", .kind = KeyKind::text, .need = Need::required,
        .example = "\"Lovelace, Ada\"",
        .description = "of a person the family name, a comma and the given name; of an "
                       "institution its name, without a comma"},
    Key{.path = "dataset.creators.orcid", .kind = KeyKind::text, .fallback = "none",
        .example = "\"0000-0002-1825-0097\"",
        .description = "identifier of a person, whose check digit is checked"},
    Key{.path = "dataset.creators.affiliation", .kind = KeyKind::text, .fallback = "none",
        .example = "\"University of Example\"", .description = "where the person works"},
    Key{.path = "dataset.creators.email", .kind = KeyKind::text, .fallback = "none",
        .example = "\"ada@example.org\"", .description = "goes into the file and is published"},
    Key{.path = "dataset.institution", .kind = KeyKind::text, .fallback = "none",
        .example = "\"University of Example\"", .description = "that the data are of"},
    Key{.path = "dataset.license", .kind = KeyKind::text, .fallback = "none",
        .example = "\"CC-BY-4.0\"",
        .description = "of the data, by its name in the SPDX list; another one as "
                       "`LicenseRef-NAME`"},
    Key{.path = "dataset.keywords", .kind = KeyKind::text, .fallback = "none",
        .example = "[\"large language models\", \"co-design\"]",
        .description = "by which it is found", .list = true},
    Key{.path = "dataset.summary", .kind = KeyKind::text, .fallback = "none",
        .example = "\"Step times of GPT-3 on three generations of devices.\"",
        .description = "a paragraph on what it is and how it was made"},
    Key{.path = "dataset.related", .kind = KeyKind::tables,
        .description = "works that it goes with"},
    Key{.path = "dataset.related.identifier", .kind = KeyKind::text, .need = Need::required,
        .example = "\"arXiv:2407.14645\"",
        .description = "a DOI, `arXiv:NUMBER` or an address with `https://`"},
    Key{.path = "dataset.related.relation", .kind = KeyKind::name,
        .fallback = "\"References\"", .example = "\"IsSupplementTo\"",
        .description = "of the data to that work, a relation type of DataCite 4.4",
        .words = citation::relation_names},
    Key{.path = "dataset.funding", .kind = KeyKind::tables,
        .description = "who paid for it"},
    Key{.path = "dataset.funding.funder", .kind = KeyKind::text, .need = Need::required,
        .example = "\"Example Science Foundation\"", .description = "its name"},
    Key{.path = "dataset.funding.award", .kind = KeyKind::text, .fallback = "none",
        .example = "\"ESF-1234\"", .description = "number of the grant"},
    Key{.path = "dataset.project", .kind = KeyKind::text, .fallback = "none",
        .example = "\"Memory of the next decade\"", .description = "that it is part of"},
    Key{.path = "dataset.publisher", .kind = KeyKind::text, .fallback = "none",
        .example = "\"Zenodo\"", .description = "who makes it available"},
    Key{.path = "dataset.doi", .kind = KeyKind::text, .fallback = "none",
        .example = "\"10.5281/zenodo.1234567\"",
        .description = "of the data set, where a repository gave or reserved one"},
    Key{.path = "dataset.identifier", .kind = KeyKind::text, .fallback = "none",
        .example = "\"https://hdl.handle.net/20.500.12345/678\"",
        .description = "another identifier that stays, as an address"},
    Key{.path = "dataset.version", .kind = KeyKind::text, .fallback = "none",
        .example = "\"1.0.0\"", .description = "of the data set"},
    Key{.path = "dataset.contact", .kind = KeyKind::table,
        .example = "{ name = \"Ada Lovelace\", email = \"ada@example.org\" }",
        .description = "whom to ask about it"},
    Key{.path = "dataset.contact.name", .kind = KeyKind::text, .fallback = "none",
        .example = "\"Ada Lovelace\"", .description = "of the person or office"},
    Key{.path = "dataset.contact.email", .kind = KeyKind::text, .need = Need::required,
        .example = "\"data@example.org\"", .description = "goes into the file and is published"},
};
// clang-format on

}  // namespace

std::span<const Key> dataset_keys() {
  return in_dataset;
}

}  // namespace scalesweep::space
