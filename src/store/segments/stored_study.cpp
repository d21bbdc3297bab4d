#include "store/segments/stored_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/documents/foreign.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/segments/partial_file.hpp"

namespace scalesweep::store {
namespace {

constexpr const char* digest_name = "sha256";
constexpr std::size_t shown_lines = 5;
constexpr std::size_t shown_characters = 64;

std::string shortened(const std::string& text) {
  return text.size() <= shown_characters ? text : text.substr(0, shown_characters) + "...";
}

// Lines of `a` that `b` lacks, each after `mark`.
std::vector<std::string> lines_only_in(const std::string& a, const std::string& b,
                                       std::string_view mark) {
  const std::vector<std::string> others = split(b, '\n');
  const std::set<std::string> known(others.begin(), others.end());
  std::vector<std::string> lines;
  for (const std::string& line : split(a, '\n')) {
    if (!known.contains(line)) {
      lines.push_back(fmt::format("  {} {}", mark, line));
    }
  }
  if (lines.size() > shown_lines) {
    const std::size_t more = lines.size() - shown_lines;
    lines.resize(shown_lines);
    lines.push_back(fmt::format("  {} ... and {} more", mark, more));
  }
  return lines;
}

// "the spec differs (- there, + here):" with lines, or "the estimator differs (x there, y here)".
std::string part_difference(const std::string& name, const std::string& there,
                            const std::string& here) {
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  const bool is_text = (there + here).find('\n') != std::string::npos;
  if (!is_text) {
    return fmt::format("the {} differs ({} there, {} here)", words,
                       there.empty() ? "none" : shortened(there),
                       here.empty() ? "none" : shortened(here));
  }
  std::vector<std::string> lines = lines_only_in(there, here, "-");
  const std::vector<std::string> added = lines_only_in(here, there, "+");
  lines.insert(lines.end(), added.begin(), added.end());
  if (lines.empty()) {
    return fmt::format("the {} differs in the order of its lines", words);
  }
  return fmt::format("the {} differs (- there, + here):\n{}", words, join(lines, "\n"));
}

std::string part_of(const std::map<std::string, std::string>& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? std::string() : found->second;
}

bool all_distinct(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

// Of all that a description says but this.
std::string digest_of(nlohmann::json document) {
  document.erase(digest_name);
  return sha256(document.dump());
}

}  // namespace

std::string study_json(const StudyDescription& study) {
  const auto title = study.root_attributes.find("title");
  nlohmann::ordered_json document = {
      {"format", running_format},
      {"format_version", format_version},
      {"title", title == study.root_attributes.end() ? "" : title->second},
      {"created", timestamp()},
      {"identity", study.identity},
      {"identity_parts", study.identity_parts},
      {"points", study.points},
      {"chunk_rows", effective_chunk_rows(study)}};
  using Handler = nlohmann::ordered_json::error_handler_t;
  // Texts that are no UTF-8 are mended by the first writing.
  const std::string text = document.dump(-1, ' ', false, Handler::replace);
  document[digest_name] = digest_of(nlohmann::json::parse(text));
  return document.dump(2, ' ', false, Handler::replace) + "\n";
}

StoredStudy parse_study_json(const std::string& text) {
  StoredStudy study;
  try {
    const nlohmann::json document = parsed_json(text);
    if (document.at("format").get<std::string>() != running_format) {
      throw std::runtime_error("it is not the description of a study");
    }
    document.at("format_version").get_to(study.format_version);
    document.at("identity").get_to(study.identity);
    document.at("identity_parts").get_to(study.identity_parts);
    document.at("points").get_to(study.points);
    document.at("chunk_rows").get_to(study.chunk_rows);
    study.title = document.value("title", "");
    const bool is_ours = study.format_version == format_version && document.contains(digest_name);
    if (is_ours && document.at(digest_name) != digest_of(document)) {
      throw std::runtime_error("it is not what was written: its digest does not hold");
    }
  } catch (const JsonError& error) {
    throw std::runtime_error(fmt::format("it cannot be understood: {}", error.what()));
  } catch (const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 2, ..."
    const std::string words = error.what();
    throw std::runtime_error(
        fmt::format("it cannot be understood: {}", words.substr(words.find("] ") + 2)));
  }
  return study;
}

StoredStudy read_stored_study(hid_t file) {
  expect_format(file, study_format);
  StoredStudy study;
  study.format_version = h5::read_int_attribute(file, "format_version");
  if (!is_readable(study.format_version)) {
    return study;  // the rest may be different
  }
  study.identity = h5::read_text_attribute(file, "identity");
  study.points = h5::read_int_attribute(file, "points");
  study.chunk_rows = h5::read_int_attribute(file, "chunk_rows");
  study.title = h5::read_text_attribute_or(file, "title", "");
  if (h5::exists(file, "provenance/identity")) {
    const h5::Hid parts = h5::open_group(file, "provenance/identity");
    for (const std::string& name : h5::link_names(parts.get())) {
      study.identity_parts[name] = h5::read_text(parts.get(), name);
    }
  }
  return study;
}

Layout layout_of(hid_t file) {
  return h5::read_text_attribute_or(file, "layout", "") == by_segment_layout ? Layout::by_segment
                                                                             : Layout::merged;
}

std::vector<std::string> read_count_names(hid_t file) {
  std::vector<std::string> names = h5::read_texts(file, "summary/count_names");
  for (const std::string& name : names) {
    if (!is_plain_name(name)) {
      throw h5::Hdf5Error("the names of its counts are damaged");
    }
  }
  return names;
}

void expect_format(hid_t file, const std::string& expected) {
  const std::string format = h5::read_text_attribute_or(file, "format", "");
  if (format != expected) {
    const FileProblem problem = problem_of_format(format);
    throw h5::Hdf5Error(problem.what, problem.way_out);
  }
}

bool is_readable(std::int64_t version) {
  return oldest_readable_version <= version && version <= format_version;
}

void check_readable(std::int64_t version) {
  if (!is_readable(version)) {
    throw h5::Hdf5Error(
        fmt::format("it is in format version {}, this program reads versions {} to {}", version,
                    oldest_readable_version, format_version),
        version > format_version ? "take a newer scalesweep" : "take the scalesweep that wrote it");
  }
}

std::string difference(const StoredStudy& stored, const StudyDescription& study) {
  if (stored.format_version != format_version) {
    return fmt::format("it is in format version {}, this program writes version {}",
                       stored.format_version, format_version);
  }
  const std::int64_t chunk_rows = effective_chunk_rows(study);
  if (stored.identity == study.identity && stored.points == study.points &&
      stored.chunk_rows == chunk_rows) {
    return "";
  }
  std::set<std::string> names;
  for (const auto* parts : {&stored.identity_parts, &study.identity_parts}) {
    for (const auto& [name, value] : *parts) {
      names.insert(name);
    }
  }
  std::vector<std::string> words;
  for (const std::string& name : names) {
    const std::string there = part_of(stored.identity_parts, name);
    const std::string here = part_of(study.identity_parts, name);
    if (there != here) {
      words.push_back(part_difference(name, there, here));
    }
  }
  if (stored.points != study.points) {
    words.push_back(fmt::format("it has {} points there, {} here", with_thousands(stored.points),
                                with_thousands(study.points)));
  }
  if (stored.chunk_rows != chunk_rows) {
    words.push_back(
        fmt::format("its chunks have {} rows there, {} here", stored.chunk_rows, chunk_rows));
  }
  if (words.empty()) {
    words.push_back(fmt::format("its identity is {} there, {} here", shortened(stored.identity),
                                shortened(study.identity)));
  }
  return join(words, "\n");
}

std::int64_t effective_chunk_rows(const StudyDescription& study) {
  return std::clamp<std::int64_t>(study.chunk_rows, 1, std::max<std::int64_t>(study.points, 1));
}

bool is_well_formed(const StudyDescription& study) {
  std::vector<std::string> names;
  for (const Column& column : study.schema) {
    const bool may_have_labels = column.type == ColumnType::u8 || column.type == ColumnType::i32;
    const bool too_many =
        column.type == ColumnType::u8 && place_type(column.labels.size()) != ColumnType::u8;
    if (!is_plain_name(column.name) || too_many || (!column.labels.empty() && !may_have_labels) ||
        !all_distinct(column.labels)) {
      return false;
    }
    names.push_back(column.name);
  }
  for (const AxisValues& axis : study.axes) {
    if (!is_plain_name(axis.name)) {
      return false;
    }
  }
  std::vector<std::string> histograms;
  for (const Histogram& histogram : study.histograms) {
    if (!is_plain_name(histogram.name) || histogram.edges.empty() ||
        std::adjacent_find(histogram.edges.begin(), histogram.edges.end(),
                           std::greater_equal<>()) != histogram.edges.end()) {
      return false;
    }
    histograms.push_back(histogram.name);
  }
  for (const auto* texts : {&study.identity_parts, &study.root_attributes, &study.provenance}) {
    for (const auto& [name, text] : *texts) {
      if (!is_plain_name(name)) {
        return false;
      }
    }
  }
  return !study.identity.empty() && study.points >= 0 && study.chunk_rows >= 1 && !names.empty() &&
         names.front() == "point_id" && study.schema.front().type == ColumnType::i64 &&
         all_distinct(names) && all_distinct(histograms) && !study.provenance.contains("identity");
}

}  // namespace scalesweep::store
