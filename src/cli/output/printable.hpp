// Text of others on somebody's screen: titles, labels and names of files may hold control
// characters, by which a study from elsewhere could rename a window or hide lines. One escape for
// all that a command prints, where it prints: "\u001b" for what is not to be seen.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace scalesweep::cli {

// Passes text on, with control characters (C0, DEL and C1), marks that turn the direction of text,
// separators of lines and bytes that are no UTF-8 written out. Line breaks and tabs stay, and a
// carriage return that is written by itself, as lines that are rewritten begin.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf& to) : to_(&to) {}

  void pass_raw(bool raw) { raw_ = raw; }
  // Nothing more comes: a character that was begun is none.
  void end();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(const std::string& text);

  std::streambuf* to_;
  std::string begun_;  // a character whose bytes are not all there yet
  bool raw_ = false;
};

// While it lives, what is written to the stream is printable.
class PrintableOutput {
 public:
  explicit PrintableOutput(std::ostream& out);
  ~PrintableOutput();
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

 private:
  std::ostream& out_;
  std::streambuf* before_;
  PrintableBuffer buffer_;
};

// While it lives, values for programs, as CSV has them, go through as they are, but to a terminal.
class RawOutput {
 public:
  explicit RawOutput(std::ostream& out, bool is_for_programs = true);
  ~RawOutput();
  RawOutput(const RawOutput&) = delete;
  RawOutput& operator=(const RawOutput&) = delete;

 private:
  PrintableBuffer* buffer_;  // null where nothing is escaped
};

}  // namespace scalesweep::cli
