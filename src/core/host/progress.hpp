// How far a long run is, for people: one rewritten line on a terminal, sparse lines in a log.
//
//   ProgressLog log(std::cerr, ProgressLog::Style::rewritten_line);
//   log.update(state, now_s); ... log.close("1,103,760 points in 5.2 s");
//
// No colours and no cursor control beyond carriage return, so NO_COLOR and TERM=dumb need nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>

namespace scalesweep {

struct ProgressState {
  std::int64_t done = 0;  // of `total`, earlier runs included
  std::int64_t total = 0;
  std::int64_t earlier = 0;      // of `done`: found from earlier runs, no measure of the rate
  double elapsed_seconds = 0.0;  // of this run
  double best = std::numeric_limits<double>::infinity();  // infinity: none yet
  std::string best_units;
};

// "42.0 %  462,336 of 1,103,760 points  213 k points/s  ETA 3 s  best 61.2 s". Where `columns` is
// too small, whole parts are left out, the last first; 0 is "as long as it gets".
std::string progress_text(const ProgressState& state, std::size_t columns);

// "213 k points/s": three digits.
std::string rate_text(double points_per_second);

// "ETA 3 s", in whole seconds.
std::string eta_text(double seconds);

class ProgressLog {
 public:
  enum class Style { silent, rewritten_line, sparse_lines };

  // `columns` is asked before every rewritten line: terminals change their size.
  ProgressLog(std::ostream& out, Style style, std::function<std::size_t()> columns = {});

  // Writes if it is time to: at most 5 times a second, or every 5 % (but not within a second) and
  // every 60 s. `now_s` is any clock that goes forward.
  void update(const ProgressState& state, double now_s);
  // Before the points and after them: how much of a pass over files is done, 0 to 1. A rewritten
  // line only, and not of what takes less than a second.
  void pass(std::string_view what, double done, double now_s);
  // A line of its own between progress: the rewritten line is wiped and comes back.
  void note(const std::string& text);
  // The last line; nothing where silent.
  void close(const std::string& summary);

 private:
  std::size_t room() const;
  void rewrite(std::string line, double now_s);
  void wipe();

  std::ostream& out_;
  Style style_;
  std::function<std::size_t()> columns_;
  std::size_t shown_columns_ = 0;  // of the rewritten line that stands there
  bool started_ = false;
  double last_s_ = 0.0;
  std::string pass_;  // the last one that was told
  double pass_begun_s_ = 0.0;
  int last_step_ = 0;  // of 5 %, at the last sparse line
};

// Of the terminal behind standard error; 80 if there is none.
std::size_t terminal_columns();

}  // namespace scalesweep
