#include "analysis/file/union/unite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <system_error>

#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/file/union/joined.hpp"
#include "citation/dataset.hpp"
#include "core/failure.hpp"
#include "core/hash.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"
#include "space/stored_rules.hpp"
#include "store/merge/write_study.hpp"
#include "store/read/column_blocks.hpp"
#include "store/read/study_parts.hpp"
#include "store/texts/anonymous.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;

void check_files(const std::vector<fs::path>& files) {
  if (files.size() < 2) {
    throw Failure(ExitCode::usage, "a union is of two studies or more; give their files");
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code unknown;
      if (files[i] == files[j] || fs::equivalent(files[i], files[j], unknown)) {
        throw Failure(ExitCode::usage, fmt::format("{} is given twice", files[i].string()));
      }
    }
  }
}

// The names of files without folder and ending; where two are alike, with a number.
std::vector<std::string> study_names(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    std::string name = stem;
    for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
      name = fmt::format("{}-{}", stem, number);
    }
    names.push_back(name);
  }
  return names;
}

std::vector<Input> opened(const std::vector<fs::path>& files) {
  const std::vector<std::string> names = study_names(files);
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    inputs.push_back({files[i], names[i], store::StudyReader(files[i])});
    if (find_axis(inputs.back().reader.axes(), store::study_axis) != nullptr) {
      refuse(fmt::format(
          "{} is a union of studies already ({}); give the files that it was made of",
          files[i].string(),
          join(find_axis(inputs.back().reader.axes(), store::study_axis)->labels, ", ")));
    }
  }
  return inputs;
}

std::string time_of(const Input& input) {
  const store::Column* const time = column_with(input.reader.schema(), role::time);
  return time == nullptr ? "" : time->name;
}

// Kinds of work answer different questions: how long a step takes, or what a service answers.
void check_kinds(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    const std::string here = time_of(inputs.front());
    const std::string there = time_of(input);
    if (here != there) {
      refuse(
          fmt::format("{} is about '{}' and {} about '{}': studies of different kinds of work "
                      "answer different questions and have no common best; ask each of them alone",
                      inputs.front().file.string(), here, input.file.string(), there));
    }
  }
}

std::vector<store::StudyPart> parts_of_union(const std::vector<Input>& inputs) {
  std::vector<store::StudyPart> parts;
  PointId next = 0;
  for (const Input& input : inputs) {
    const store::StudyReader& reader = input.reader;
    parts.push_back({input.name,
                     input.file.filename().string(),
                     {next, next + reader.points()},
                     reader.identity(),
                     reader.identity_parts(),
                     reader.root_attributes(),
                     reader.provenance()});
    next += reader.points();
  }
  return parts;
}

// Names of counts and histograms, and their sums over the studies.
void join_summaries(const std::vector<Input>& inputs, store::StudyDescription& description,
                    store::Counts& counts) {
  std::map<std::string, std::int64_t> sums;
  for (const Input& input : inputs) {
    const auto own = input.reader.counts();
    const store::Column* const status = find_column(input.reader.schema(), status_column);
    std::vector<std::string> names =
        status == nullptr ? std::vector<std::string>{} : status->labels;
    for (const auto& [name, count] : own) {
      add_once(names, name);
      sums[name] += count;
    }
    std::erase_if(names, [&](const std::string& name) { return !own.contains(name); });
    add_in_order(description.count_names, names);
  }
  for (const std::string& name : description.count_names) {
    counts.push_back(sums[name]);
  }
  for (const store::StoredHistogram& first : inputs.front().reader.histograms()) {
    std::vector<std::int64_t> bins(first.counts.size(), 0);
    const bool in_all = std::all_of(inputs.begin(), inputs.end(), [&](const Input& input) {
      for (const store::StoredHistogram& own : input.reader.histograms()) {
        if (own.histogram.name == first.histogram.name &&
            own.histogram.units == first.histogram.units &&
            own.histogram.edges == first.histogram.edges) {
          std::transform(bins.begin(), bins.end(), own.counts.begin(), bins.begin(), std::plus<>());
          return true;
        }
      }
      return false;
    });
    if (in_all) {
      description.histograms.push_back(first.histogram);
      counts.insert(counts.end(), bins.begin(), bins.end());
    }
  }
}

store::Texts joined_attributes(const std::vector<Input>& inputs,
                               const std::vector<JoinedAxis>& axes) {
  store::Texts attributes;
  std::vector<std::string> names = citation::dataset_attribute_names();
  names.insert(names.end(), {"source", "references"});
  for (const std::string& name : names) {
    const std::string text = inputs.front().reader.root_attribute(name);
    const bool common = std::all_of(inputs.begin(), inputs.end(), [&](const Input& input) {
      return input.reader.root_attribute(name) == text;
    });
    if (common && !text.empty()) {
      attributes[name] = text;
    }
  }
  // Not when it was put together: the same studies give the same file.
  for (const Input& input : inputs) {
    attributes["created"] = std::max(attributes["created"], input.reader.root_attribute("created"));
  }
  attributes["title"] = fmt::format("Union of {}", join(axes.front().axis.labels, ", "));
  attributes["objectives"] = space::objectives_json(default_objectives(inputs.front().reader));
  attributes["keep"] = joined_keep(inputs, axes);
  if (const std::string together = joined_together(inputs, axes); !together.empty()) {
    attributes["together"] = together;
  }
  return attributes;
}

std::string identity_of(const std::vector<store::StudyPart>& parts) {
  std::string text = "union of studies\n";
  for (const store::StudyPart& part : parts) {
    text += fmt::format("{}: {}\n", part.name, part.identity);
  }
  return sha256(text);
}

// Another first objective, or others beside it.
void add_objective_notes(const std::vector<Input>& inputs, std::vector<std::string>& notes) {
  const auto first = default_objectives(inputs.front().reader);
  for (const Input& input : inputs) {
    const auto own = default_objectives(input.reader);
    if (own != first) {
      notes.push_back(fmt::format(
          "the objectives are those of {}: {}; {} has {}; --minimize and --maximize name others",
          inputs.front().name, words_of(first), input.name, words_of(own)));
    }
  }
}

// Values of one column of one study into rows of the union.
class Conversion {
 public:
  Conversion(const store::Column& from, const store::Column& to, const ColumnSource& source)
      : from_(from), to_(to), source_(source) {}

  // All rows of `table`, whose column `column` it is, from `first` of the table of the union on.
  void convert(const store::Table& table, std::size_t column, std::size_t skipped, std::size_t rows,
               store::Table& out, std::size_t out_column, std::size_t first) const {
    const bool as_it_is = source_.places.empty() && source_.added == 0.0 && from_.type == to_.type;
    if (as_it_is) {
      const std::size_t width = store::type_bytes(to_.type);
      std::memcpy(static_cast<std::uint8_t*>(out.data(out_column)) + first * width,
                  static_cast<const std::uint8_t*>(table.data(column)) + skipped * width,
                  rows * width);
      return;
    }
    visit_column(table, column, from_.type, [&](const auto& values) {
      visit_column(out, out_column, to_.type, [&](auto& results) {
        using Result = typename std::remove_reference_t<decltype(results)>::value_type;
        for (std::size_t i = 0; i < rows; ++i) {
          results[first + i] = static_cast<Result>(converted(values[skipped + i]));
        }
      });
    });
  }

 private:
  template <typename Value>
  auto converted(Value value) const {
    if constexpr (std::is_floating_point_v<Value>) {
      return static_cast<double>(value) + source_.added;
    } else {
      const auto stored = static_cast<std::int64_t>(value);
      if (source_.places.empty()) {
        return stored + static_cast<std::int64_t>(source_.added);
      }
      const bool known = stored >= 0 && stored < static_cast<std::int64_t>(source_.places.size());
      return known ? std::int64_t{source_.places[static_cast<std::size_t>(stored)]}
                   : static_cast<std::int64_t>(source_.otherwise);
    }
  }

  const store::Column& from_;
  const store::Column& to_;
  const ColumnSource& source_;
};

// The rows of all studies one behind the other, in the columns of the union.
class UnionRows {
 public:
  UnionRows(const std::vector<Input>& inputs, const std::vector<JoinedColumn>& columns,
            const ReadingOptions& how)
      : columns_(columns), threads_(thread_count(how.threads)) {
    for (const JoinedColumn& column : columns) {
      schema_.push_back(column.column);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const store::Schema& schema = inputs[i].reader.schema();
      studies_.push_back({&schema, inputs[i].reader.blocks(names_of(schema)), rows_});
      rows_ += inputs[i].reader.rows();
    }
  }

  const store::Schema& schema() const { return schema_; }
  std::int64_t rows() const { return rows_; }

  store::Table read(store::RowRange wanted) const {
    store::Table table(schema_);
    table.resize(static_cast<std::size_t>(wanted.last - wanted.first));
    std::vector<Piece> pieces;
    for (std::size_t study = 0; study < studies_.size(); ++study) {
      const store::ColumnBlocks& blocks = studies_[study].blocks;
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        const std::int64_t begin = studies_[study].first_row + blocks.rows(block).first;
        const std::int64_t end = studies_[study].first_row + blocks.rows(block).last;
        if (begin < wanted.last && end > wanted.first) {
          pieces.push_back({study, block, begin});
        }
      }
    }
    std::vector<int> threads(threads_);
    for_each_parallel(threads, pieces.size(),
                      [&](int&, std::size_t piece) { add(pieces[piece], wanted, table); });
    return table;
  }

 private:
  struct Study {
    const store::Schema* schema;
    store::ColumnBlocks blocks;
    std::int64_t first_row;
  };
  struct Piece {
    std::size_t study;
    std::size_t block;
    std::int64_t first_row;  // of the union
  };

  void add(const Piece& piece, store::RowRange wanted, store::Table& table) const {
    const Study& study = studies_[piece.study];
    const store::Table block = study.blocks.read(piece.block);
    const std::int64_t begin = std::max(piece.first_row, wanted.first);
    const std::int64_t end =
        std::min(piece.first_row + static_cast<std::int64_t>(block.rows()), wanted.last);
    const auto skipped = static_cast<std::size_t>(begin - piece.first_row);
    const auto first = static_cast<std::size_t>(begin - wanted.first);
    const auto rows = static_cast<std::size_t>(end - begin);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const store::Column& column = columns_[c].column;
      const ColumnSource& source = columns_[c].sources[piece.study];
      if (source.column) {
        Conversion((*study.schema)[*source.column], column, source)
            .convert(block, *source.column, skipped, rows, table, c, first);
        continue;
      }
      visit_column(table, c, column.type, [&](auto& values) {
        using Value = typename std::remove_reference_t<decltype(values)>::value_type;
        std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), rows,
                    static_cast<Value>(source.otherwise));
      });
    }
  }

  const std::vector<JoinedColumn>& columns_;
  std::size_t threads_;
  store::Schema schema_;
  std::vector<Study> studies_;
  std::int64_t rows_ = 0;
};

}  // namespace

Union unite_studies(const std::vector<fs::path>& files, const fs::path& output,
                    const UnionOptions& options) {
  check_files(files);
  const std::vector<Input> inputs = opened(files);
  check_kinds(inputs);
  const std::vector<JoinedAxis> axes = joined_axes(inputs);
  const std::vector<store::StudyPart> parts = parts_of_union(inputs);
  std::vector<std::int64_t> first_ids;
  for (const store::StudyPart& part : parts) {
    first_ids.push_back(part.ids.first);
  }
  const std::vector<JoinedColumn> columns = joined_columns(inputs, axes, first_ids);
  const UnionRows rows(inputs, columns, options.reading);

  store::NewStudy made;
  store::StudyDescription& description = made.description;
  description.identity = identity_of(parts);
  description.identity_parts = store::joined_identity_parts(parts);
  description.provenance = store::joined_provenance(parts);
  description.points = parts.back().ids.last;
  description.schema = rows.schema();
  for (const JoinedAxis& axis : axes) {
    description.axes.push_back(axis.axis);
  }
  store::give_axis_numbers(description.schema, description.axes);
  description.root_attributes = joined_attributes(inputs, axes);
  if (options.anonymous) {
    store::make_anonymous(description);
  }
  join_summaries(inputs, description, made.counts);
  made.rows = rows.rows();
  const auto read = [&](store::RowRange range) { return rows.read(range); };
  store::write_study(output, made, read, options.durability, options.reading.progress);

  Union result{axes.front().axis.labels, description.points, made.rows, {}};
  add_objective_notes(inputs, result.notes);
  return result;
}

std::string name_of_several(const std::vector<fs::path>& files) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names = study_names(files);
  if (names.size() <= most) {
    return join(names, "+");
  }
  return fmt::format("{}+{}_more", names.front(), names.size() - 1);
}

}  // namespace scalesweep::analysis
