// nccl-tests and rccl-tests: a header of comments, then a line for each size.
#include <fmt/format.h>

#include <algorithm>

#include "core/failure.hpp"
#include "core/text.hpp"
#include "validation/measure/log_words.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::validation {
namespace {

constexpr std::string_view started_mark = "Collective test starting:";
constexpr std::string_view rank_mark = "#  Rank ";

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' ')) {
    if (!trim(word).empty()) {
      words.emplace_back(trim(word));
    }
  }
  return words;
}

// Which columns lines have: names of the header, "size count type redop root time ...".
struct Columns {
  std::size_t size = 0, type = 2, time = 5, wrong = 8;
};

std::optional<Columns> columns_of(const std::vector<std::string>& words) {
  const std::vector<std::string> names(words.begin() + 1, words.end());
  const auto place = [&names](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const Columns columns = {place("size"), place("type"), place("time"), place("#wrong")};
  const bool all = std::max({columns.size, columns.type, columns.time}) < names.size();
  return all ? std::optional(columns) : std::nullopt;
}

class Reader {
 public:
  explicit Reader(const Log& log) : log_(log), op_(collective_word(log.file)) {}

  LogRows read() {
    for (const std::string& line : split(log_.text, '\n')) {
      if (line.starts_with("#")) {
        comment(line);
      } else {
        measurement(words_of(line));
      }
    }
    if (op_.empty()) {
      refuse(
          fmt::format("{}: which collective it is of cannot be told; name the file after the "
                      "program, as all_reduce_perf.log (case files have all_reduce, all_gather, "
                      "reduce_scatter and all_to_all)",
                      log_.file));
    }
    if (ranks_ < 2) {
      refuse(fmt::format("{}: how many ranks it has cannot be told: no lines '#  Rank ...'",
                         log_.file));
    }
    name_rows();
    if (wrong_ > 0) {
      rows_.notes.push_back(fmt::format("{} lines with wrong results are left out", wrong_));
    }
    return std::move(rows_);
  }

 private:
  void comment(const std::string& line) {
    if (const std::size_t at = line.find(started_mark); at != std::string::npos) {
      op_ = collective_word(line.substr(at + started_mark.size()));
    }
    ranks_ += line.starts_with(rank_mark) ? 1 : 0;
    const std::vector<std::string> words = words_of(line);
    if (words.size() > 1 && words[1] == "size") {
      columns_ = columns_of(words);
    }
  }

  void measurement(const std::vector<std::string>& words) {
    if (!columns_ || words.size() <= std::max({columns_->size, columns_->type, columns_->time})) {
      return;
    }
    const auto bytes = number_of(words[columns_->size]);
    const auto time_us = number_of(words[columns_->time]);
    if (!bytes || !time_us || *bytes <= 0.0 || *time_us <= 0.0) {
      return;
    }
    if (columns_->wrong < words.size() && number_of(words[columns_->wrong]).value_or(0.0) > 0.0) {
      ++wrong_;
      return;
    }
    rows_.rows.push_back({{"bytes", number_cell(*bytes)},
                          {"precision", precision_word(words[columns_->type])},
                          {"time_s", seconds_cell(*time_us * 1e-6)}});
  }

  void name_rows() {
    for (CaseCells& row : rows_.rows) {
      row["case"] =
          fmt::format("{}-{}-{}-{}-{}", op_, log_.device, ranks_, row["bytes"], row["precision"]);
      row["op"] = op_;
      row["gpus"] = std::to_string(ranks_);
    }
  }

  const Log& log_;
  std::string op_;
  int ranks_ = 0;
  std::size_t wrong_ = 0;
  std::optional<Columns> columns_;
  LogRows rows_;
};

}  // namespace

LogRows read_collectives(const Log& log) {
  return Reader(log).read();
}

}  // namespace scalesweep::validation
