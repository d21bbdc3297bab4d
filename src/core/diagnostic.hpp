// What is wrong with a file a user wrote: collected, never thrown, printed all at once as
//   sweeps/a.toml:12:3: error: unknown key 'bandwith' in [system]; did you mean 'bandwidth'?
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep {

// A place in a text file; line and column count from 1, 0 is "the file as a whole".
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

// Of the character at `offset`, or of the end of a shorter text.
SourcePosition position_at(const std::string& file, std::string_view text, std::size_t offset);

enum class Severity { warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  SourcePosition position;
  std::string message;  // the problem, and after "; " the way out
};

// `file:line:column: error: message`, without a line break.
std::string to_string(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void error(SourcePosition position, std::string message);
  void warning(SourcePosition position, std::string message);
  bool has_errors() const { return errors_ > 0; }
  int error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // Takes back what was said since a mark: what follows from another mistake is none.
  using Mark = std::size_t;
  static constexpr std::size_t most_shown = 50;
  Mark mark() const { return all_.size(); }
  void take_back(Mark since);
  // Sorted by file, line and column, one a line; of more than `most_shown` their number.
  std::string text() const;

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

}  // namespace scalesweep
