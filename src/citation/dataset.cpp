#include "citation/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "citation/identifiers.hpp"
#include "citation/licenses.hpp"
#include "citation/relations.hpp"
#include "core/text.hpp"

namespace scalesweep::citation {
namespace {

using config::TableCursor;
using config::ValueCursor;

// A text that says something.
std::string read_text(const TableCursor& table, std::string_view key) {
  const auto text = table.optional_string(key);
  if (text && trim(*text).empty()) {
    table.error(key, fmt::format("'{}' is empty; write it, or leave the key out", key));
  }
  return std::string(trim(text.value_or("")));
}

std::string read_needed(const TableCursor& table, std::string_view key) {
  return table.has(key) ? read_text(table, key) : table.string(key).value_or("");
}

std::string read_email(const TableCursor& table, bool needed) {
  std::string email = needed ? read_needed(table, "email") : read_text(table, "email");
  if (!email.empty() && !is_email(email)) {
    table.error("email",
                fmt::format("'{}' is no address of a mailbox, as \"ada@example.org\"", email));
  }
  return email;
}

std::vector<Creator> read_creators(const TableCursor& dataset) {
  std::vector<Creator> creators;
  for (const TableCursor& table : dataset.tables("creators")) {
    Creator creator;
    creator.name = read_needed(table, "name");
    if (const std::string text = read_text(table, "orcid"); !text.empty()) {
      const auto orcid = orcid_of(text);
      if (!orcid) {
        table.error("orcid", orcid_problem(text));
      }
      creator.orcid = orcid.value_or("");
    }
    creator.affiliation = read_text(table, "affiliation");
    creator.email = read_email(table, false);
    creators.push_back(std::move(creator));
  }
  return creators;
}

std::string read_license(const TableCursor& dataset) {
  std::string name = read_text(dataset, "license");
  if (const std::string problem = name.empty() ? "" : license_problem(name); !problem.empty()) {
    dataset.error("license", problem);
  }
  return name;
}

std::vector<std::string> read_keywords(const TableCursor& dataset) {
  std::vector<std::string> keywords;
  const auto value = dataset.value("keywords");
  for (const ValueCursor& one : value ? value->list_or_single() : std::vector<ValueCursor>{}) {
    const auto text = one.string();
    if (text && (trim(*text).empty() || text->find(',') != std::string::npos)) {
      one.error(
          fmt::format("'{}' is no keyword; each is a text of its own, without commas", *text));
    } else if (text) {
      keywords.emplace_back(trim(*text));
    }
  }
  return keywords;
}

std::vector<RelatedWork> read_related(const TableCursor& dataset) {
  std::vector<RelatedWork> works;
  for (const TableCursor& table : dataset.tables("related")) {
    RelatedWork work;
    work.identifier = read_needed(table, "identifier");
    const bool known =
        doi_of(work.identifier) || arxiv_of(work.identifier) || is_url(work.identifier);
    if (!work.identifier.empty() && !known) {
      table.error("identifier",
                  fmt::format("'{}' names no work; write a DOI as \"10.5281/zenodo.1234567\", "
                              "\"arXiv:2407.14645\" or an address with https://",
                              work.identifier));
    }
    work.relation = table.has("relation") ? read_text(table, "relation") : usual_relation;
    const std::vector<std::string> words(relation_names.begin(), relation_names.end());
    if (!work.relation.empty() &&
        std::find(words.begin(), words.end(), work.relation) == words.end()) {
      table.error("relation", fmt::format("'{}' is no relation of DataCite{}", work.relation,
                                          suggestion(work.relation, words)));
    }
    works.push_back(std::move(work));
  }
  return works;
}

std::vector<Funding> read_funding(const TableCursor& dataset) {
  std::vector<Funding> funding;
  for (const TableCursor& table : dataset.tables("funding")) {
    funding.push_back({read_needed(table, "funder"), read_text(table, "award")});
  }
  return funding;
}

std::string read_doi(const TableCursor& dataset) {
  const std::string text = read_text(dataset, "doi");
  const auto doi = doi_of(text);
  if (!text.empty() && !doi) {
    dataset.error("doi",
                  fmt::format("'{}' is no DOI; one is written \"10.5281/zenodo.1234567\"", text));
  }
  return doi.value_or("");
}

std::string read_identifier(const TableCursor& dataset) {
  std::string text = read_text(dataset, "identifier");
  if (!text.empty() && !is_url(text)) {
    dataset.error("identifier",
                  fmt::format("'{}' is no address with https://; a DOI goes to 'doi'", text));
  }
  return text;
}

std::optional<Contact> read_contact(const TableCursor& table) {
  if (!table.exists()) {
    return std::nullopt;
  }
  return Contact{read_text(table, "name"), read_email(table, true)};
}

}  // namespace

std::string Creator::family_name() const {
  return std::string(trim(std::string_view(name).substr(0, name.find(','))));
}

std::string Creator::given_name() const {
  const std::size_t comma = name.find(',');
  return comma == std::string::npos ? ""
                                    : std::string(trim(std::string_view(name).substr(comma + 1)));
}

bool Creator::is_person() const {
  return !orcid.empty() || !affiliation.empty() || name.find(',') != std::string::npos;
}

std::string RelatedWork::url() const {
  if (const auto doi = doi_of(identifier)) {
    return "https://doi.org/" + *doi;
  }
  const auto arxiv = arxiv_of(identifier);
  return arxiv ? "https://arxiv.org/abs/" + *arxiv : identifier;
}

Dataset read_dataset(const TableCursor& root) {
  const TableCursor table = root.optional_table("dataset");
  Dataset dataset;
  dataset.creators = read_creators(table);
  dataset.institution = read_text(table, "institution");
  dataset.license = read_license(table);
  dataset.keywords = read_keywords(table);
  dataset.summary = read_text(table, "summary");
  dataset.related = read_related(table);
  dataset.funding = read_funding(table);
  dataset.project = read_text(table, "project");
  dataset.publisher = read_text(table, "publisher");
  dataset.doi = read_doi(table);
  dataset.identifier = read_identifier(table);
  dataset.version = read_text(table, "version");
  dataset.contact = read_contact(table.optional_table("contact"));
  return dataset;
}

std::optional<Dataset> dataset_of_text(const std::string& file, const std::string& text,
                                       std::span<const config::Key> rows, Beside beside,
                                       Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  const auto document = config::Document::parse(file, text, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  const TableCursor root = document->root().described_by({rows, ""});
  Dataset dataset = read_dataset(root);
  if (beside == Beside::nothing) {
    if (!root.has("dataset")) {
      diagnostics.error({file, 0, 0}, "there is no table [dataset] in it; write one as in a spec");
    }
    for (const std::string& key : root.keys()) {
      if (key != "dataset") {
        root.error(
            key, fmt::format("'{}' is not of [dataset], of which this file is; leave it out", key));
      }
    }
    document->report_unread();
  }
  return diagnostics.error_count() > errors_before ? std::nullopt : std::optional(dataset);
}

Dataset merged(Dataset dataset, const Dataset& over) {
  const auto take = [](auto& to, const auto& from) {
    if (!from.empty()) {
      to = from;
    }
  };
  take(dataset.creators, over.creators);
  take(dataset.institution, over.institution);
  take(dataset.license, over.license);
  take(dataset.keywords, over.keywords);
  take(dataset.summary, over.summary);
  take(dataset.related, over.related);
  take(dataset.funding, over.funding);
  take(dataset.project, over.project);
  take(dataset.publisher, over.publisher);
  take(dataset.doi, over.doi);
  take(dataset.identifier, over.identifier);
  take(dataset.version, over.version);
  if (over.contact) {
    dataset.contact = over.contact;
  }
  return dataset;
}

}  // namespace scalesweep::citation
