#include "core/host/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace scalesweep {
namespace {

constexpr double rewrite_interval_s = 0.2 - 1e-6;
constexpr double pass_patience_s = 1.0;  // what takes less needs no line
constexpr double sparse_step = 0.05;
constexpr double sparse_shortest_s = 1.0;
constexpr double sparse_longest_s = 60.0;

// How many whole steps of 5 % are done; a hair's breadth is forgiven.
int steps_of(double fraction) {
  return static_cast<int>(fraction / sparse_step + 1e-9);
}

double fraction_of(const ProgressState& state) {
  return state.total > 0 ? static_cast<double>(state.done) / static_cast<double>(state.total) : 1.0;
}

std::string best_text(const ProgressState& state) {
  if (!std::isfinite(state.best)) {
    return "";
  }
  if (state.best_units == "s" && state.best >= 1000.0) {
    return "best " + duration_text(state.best);  // nobody reads kiloseconds
  }
  if (state.best_units == "1") {
    return fmt::format("best {:.4g}", state.best);
  }
  return "best " + std::string(trim(with_si_prefix(state.best, state.best_units)));
}

}  // namespace

std::string rate_text(double points_per_second) {
  static constexpr std::array<std::string_view, 4> prefixes = {"", "k ", "M ", "G "};
  double value = points_per_second;
  std::size_t prefix = 0;
  // 999.5 would be shown as 1e+03.
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}points/s", value, decimals, prefixes[prefix]);
}

std::string eta_text(double seconds) {
  return "ETA " + duration_text(std::max(1.0, std::round(seconds)));
}

std::string progress_text(const ProgressState& state, std::size_t columns) {
  // Rounded down: 100 % only when it is.
  const double percent = std::floor(1000.0 * fraction_of(state)) / 10.0;
  std::vector<std::string> parts = {
      fmt::format("{:.1f} %", percent),
      fmt::format("{} of {} points", with_thousands(state.done), with_thousands(state.total))};
  const auto fresh = static_cast<double>(state.done - state.earlier);
  if (fresh > 0.0 && state.elapsed_seconds > 0.0) {
    const double rate = fresh / state.elapsed_seconds;
    parts.push_back(rate_text(rate));
    if (state.done < state.total) {
      parts.push_back(eta_text(static_cast<double>(state.total - state.done) / rate));
    }
  }
  if (const std::string best = best_text(state); !best.empty()) {
    parts.push_back(best);
  }
  std::string line = join(parts, "  ");
  while (columns > 0 && line.size() > columns && parts.size() > 1) {
    parts.pop_back();
    line = join(parts, "  ");
  }
  return columns > 0 ? line.substr(0, columns) : line;
}

ProgressLog::ProgressLog(std::ostream& out, Style style, std::function<std::size_t()> columns)
    : out_(out), style_(style), columns_(columns ? std::move(columns) : terminal_columns) {}

void ProgressLog::update(const ProgressState& state, double now_s) {
  const double fraction = fraction_of(state);
  const double since_s = now_s - last_s_;
  const bool first = !started_;
  started_ = true;
  if (first) {
    last_s_ = now_s;
    last_step_ = steps_of(fraction);
  }
  if (style_ == Style::rewritten_line && (first || since_s >= rewrite_interval_s)) {
    rewrite(progress_text(state, room()), now_s);
  } else if (style_ == Style::sparse_lines && !first) {
    const bool step = steps_of(fraction) > last_step_ && since_s >= sparse_shortest_s;
    if (step || since_s >= sparse_longest_s) {
      out_ << progress_text(state, 0) << '\n' << std::flush;
      last_s_ = now_s;
      last_step_ = steps_of(fraction);
    }
  }
}

void ProgressLog::pass(std::string_view what, double done, double now_s) {
  if (pass_ != what) {
    pass_ = what;
    pass_begun_s_ = now_s;
  }
  if (style_ == Style::rewritten_line && now_s - pass_begun_s_ >= pass_patience_s &&
      now_s - last_s_ >= rewrite_interval_s) {
    rewrite(fmt::format("{} {:.0f} %", what, std::floor(100.0 * done)).substr(0, room()), now_s);
  }
}

// The last column stays free: a full line would wrap on some terminals.
std::size_t ProgressLog::room() const {
  const std::size_t columns = columns_();
  return columns > 1 ? columns - 1 : 1;
}

void ProgressLog::rewrite(std::string line, double now_s) {
  const std::size_t shown = line.size();
  line.append(shown_columns_ > shown ? shown_columns_ - shown : 0, ' ');
  out_ << '\r' << line << std::flush;
  shown_columns_ = shown;
  last_s_ = now_s;
}

void ProgressLog::wipe() {
  if (shown_columns_ > 0) {
    out_ << '\r' << std::string(shown_columns_, ' ') << '\r';
    shown_columns_ = 0;
  }
}

void ProgressLog::note(const std::string& text) {
  wipe();
  out_ << text << '\n' << std::flush;
}

void ProgressLog::close(const std::string& summary) {
  wipe();
  if (style_ != Style::silent && !summary.empty()) {
    out_ << summary << '\n';
  }
  out_ << std::flush;
}

std::size_t terminal_columns() {
  struct winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

}  // namespace scalesweep
