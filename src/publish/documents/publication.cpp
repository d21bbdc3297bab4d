#include "publish/documents/publication.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/query/columns.hpp"
#include "core/text.hpp"

namespace scalesweep::publish {
namespace {

constexpr std::string_view way_out =
    "in [dataset] of the spec before the study is run, or publish again with --dataset FILE.toml";

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

std::string names_of(const std::vector<citation::Creator>& creators) {
  std::vector<std::string> names;
  for (const citation::Creator& creator : creators) {
    names.push_back(creator.name);
  }
  return join(names, "; ");
}

std::vector<PublishedColumn> columns_of(const store::StudyReader& reader) {
  std::vector<PublishedColumn> columns;
  for (const analysis::ColumnWords& words : analysis::column_words(reader)) {
    PublishedColumn column{words.name, words.units, words.values, words.description};
    if (const store::AxisValues* axis = store::find_axis(reader.axes(), words.name)) {
      column.description = axis->description;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<FrontierColumn> frontier_of(const store::StudyReader& reader) {
  std::vector<FrontierColumn> frontier;
  for (const analysis::Objective& objective : analysis::default_objectives(reader)) {
    const store::Column* const column = analysis::find_column(reader.schema(), objective.column);
    if (column != nullptr && frontier.size() < 2) {
      frontier.push_back(
          {column->name, column->units, objective.direction == analysis::Direction::maximize});
    }
  }
  return frontier;
}

}  // namespace

Publication publication_of(const store::StudyReader& reader, const citation::Dataset& dataset,
                           const std::string& study_file) {
  Publication publication;
  publication.dataset = dataset;
  publication.title = reader.root_attribute("title");
  publication.identity = reader.identity();
  publication.references = reader.root_attribute("references");
  publication.source = reader.root_attribute("source");
  publication.created = reader.root_attribute("created");
  publication.published = today();
  publication.points = reader.points();
  publication.rows = reader.rows();
  for (const auto& [status, count] : reader.counts()) {
    if (count > 0) {
      publication.counts.emplace_back(status, count);
    }
  }
  publication.columns = columns_of(reader);
  publication.frontier = frontier_of(reader);
  publication.study_file = study_file;
  return publication;
}

std::string description_of(const Publication& publication) {
  if (!publication.dataset.summary.empty()) {
    return publication.dataset.summary;
  }
  return fmt::format(
      "{}: estimates of an analytical performance model for {} configurations, {} of them as rows, "
      "computed by {}.",
      publication.title, with_thousands(publication.points), with_thousands(publication.rows),
      publication.source);
}

std::string address_of(const citation::Dataset& dataset) {
  return dataset.doi.empty() ? dataset.identifier : "https://doi.org/" + dataset.doi;
}

std::string citation_of(const Publication& publication) {
  const citation::Dataset& dataset = publication.dataset;
  const std::string names = names_of(dataset.creators);
  const std::string year = publication.published.substr(0, 4);
  std::string text = names.empty() ? fmt::format("{} ({}).", publication.title, year)
                                   : fmt::format("{} ({}): {}.", names, year, publication.title);
  if (!dataset.version.empty()) {
    text += fmt::format(" Version {}.", dataset.version);
  }
  if (!dataset.publisher.empty()) {
    text += fmt::format(" {}.", dataset.publisher);
  }
  text += " Data set.";
  const std::string address = address_of(dataset);
  return address.empty() ? text : text + " " + address;
}

std::vector<std::string> gaps_of(const Publication& publication) {
  const citation::Dataset& dataset = publication.dataset;
  std::vector<std::string> gaps;
  if (dataset.creators.empty()) {
    gaps.push_back(fmt::format(
        "no creators: nobody can be cited; write [[dataset.creators]] with their names {}",
        way_out));
  }
  for (const citation::Creator& creator : dataset.creators) {
    if (creator.is_person() && creator.given_name().empty()) {
      gaps.push_back(
          fmt::format("'{}' has no comma between family and given name, so that citations take all "
                      "of it for the family name; write \"Lovelace, Ada\" {}",
                      creator.name, way_out));
    }
  }
  if (dataset.license.empty()) {
    gaps.push_back(fmt::format(
        "no licence: nobody else may use the data; write license = \"CC-BY-4.0\", or another, {}",
        way_out));
  }
  std::vector<std::string> lacking;
  const auto lacks = [&](bool is_lacking, const char* key) {
    if (is_lacking) {
      lacking.emplace_back(key);
    }
  };
  lacks(dataset.summary.empty(), "summary");
  lacks(dataset.keywords.empty(), "keywords");
  lacks(dataset.publisher.empty(), "publisher");
  lacks(dataset.version.empty(), "version");
  if (!lacking.empty()) {
    gaps.push_back(
        fmt::format("a reader would like {}, too; write them {}", join(lacking, ", "), way_out));
  }
  if (address_of(dataset).empty()) {
    gaps.push_back(
        fmt::format("no DOI: repositories reserve one before anything is published; write doi = "
                    "\"10....\" {}",
                    way_out));
  }
  return gaps;
}

}  // namespace scalesweep::publish
