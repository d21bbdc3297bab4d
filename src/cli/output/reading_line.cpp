#include "cli/output/reading_line.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>

#include "cli/output/terminal.hpp"
#include "core/host/progress.hpp"

namespace scalesweep::cli {
namespace {

constexpr double patience_s = 1.0;  // what takes less needs no line
constexpr double rewrite_interval_s = 0.2;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ReadingLine::ReadingLine(std::ostream& err, bool is_watched, std::function<double()> now_s,
                         std::function<std::size_t()> columns)
    : err_(err),
      is_watched_(is_watched),
      now_s_(std::move(now_s)),
      columns_(std::move(columns)),
      begun_s_(now_s_()),
      last_s_(begun_s_) {}

ReadingLine::ReadingLine(const Streams& streams)
    : ReadingLine(streams.err, cli::is_watched(streams), steady_seconds, terminal_columns) {}

ReadingLine::~ReadingLine() {
  end();
}

std::function<void(std::string_view, double)> ReadingLine::progress() {
  if (!is_watched_) {
    return {};
  }
  return [this](std::string_view pass, double done) { show(pass, done); };
}

void ReadingLine::show(std::string_view pass, double done) {
  const std::lock_guard lock(mutex_);
  const double now_s = now_s_();
  if (ended_ || now_s - begun_s_ < patience_s || now_s - last_s_ < rewrite_interval_s) {
    return;
  }
  last_s_ = now_s;
  std::string line = fmt::format("{} {:.0f} %", pass, std::floor(100.0 * done));
  const std::size_t columns = columns_();
  // The last column stays free: a full line would wrap on some terminals.
  line = line.substr(0, columns > 1 ? columns - 1 : 1);
  const std::size_t shown = line.size();
  line.append(shown_columns_ > shown ? shown_columns_ - shown : 0, ' ');
  err_ << '\r' << line << std::flush;
  shown_columns_ = shown;
}

void ReadingLine::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  if (shown_columns_ > 0) {
    err_ << '\r' << std::string(shown_columns_, ' ') << '\r' << std::flush;
    shown_columns_ = 0;
  }
}

}  // namespace scalesweep::cli
