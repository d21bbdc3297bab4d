// How far a long read of a study is: one rewritten line on a terminal, nothing elsewhere.
//
//   ReadingLine line(streams);
//   options.reading.progress = line.progress();
//   const AnalysisResult result = analyze(file, options);
//   line.end();  // before anything else is written
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string_view>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

class ReadingLine {
 public:
  // `now_s` is any clock that goes forward; `columns` is asked before every line.
  ReadingLine(std::ostream& err, bool is_watched, std::function<double()> now_s,
              std::function<std::size_t()> columns);
  explicit ReadingLine(const Streams& streams);
  ~ReadingLine();
  ReadingLine(const ReadingLine&) = delete;
  ReadingLine& operator=(const ReadingLine&) = delete;

  // For analysis::ReadingOptions; empty where nobody watches. The line must outlive its use.
  std::function<void(std::string_view pass, double done)> progress();

  // Wipes the line; nothing more is shown.
  void end();

 private:
  void show(std::string_view pass, double done);

  std::ostream& err_;
  bool is_watched_;
  std::function<double()> now_s_;
  std::function<std::size_t()> columns_;
  std::mutex mutex_;
  double begun_s_;
  double last_s_;
  std::size_t shown_columns_ = 0;  // of the line that stands there
  bool ended_ = false;
};

}  // namespace scalesweep::cli
