#include "cli/output/printable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <string_view>

namespace scalesweep::cli {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode 15, general categories Cc, Zl and Zp and the property Bidi_Control.
constexpr std::array<CodeRange, 7> hidden = {{{0x00, 0x1f},
                                              {0x7f, 0x9f},
                                              {0x061c, 0x061c},
                                              {0x200e, 0x200f},
                                              {0x2028, 0x2029},
                                              {0x202a, 0x202e},
                                              {0x2066, 0x2069}}};

bool is_hidden(std::uint32_t code) {
  return std::any_of(hidden.begin(), hidden.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

bool is_plain(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

// How many bytes the character has that begins so; 0 where none does.
std::size_t length_of(unsigned char first) {
  return first < 0x80   ? 1
         : first < 0xc2 ? 0
         : first < 0xe0 ? 2
         : first < 0xf0 ? 3
         : first < 0xf5 ? 4
                        : 0;
}

bool is_continued(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

std::uint32_t code_of(std::string_view bytes) {
  constexpr std::array<unsigned, 5> lead_bits = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t code = static_cast<unsigned char>(bytes[0]) & lead_bits[bytes.size()];
  for (const char c : bytes.substr(1)) {
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return code;
}

// What the bytes begin with, as it may be shown, and how many of them that takes; none where the
// rest of a character is yet to come.
std::size_t show_first(std::string_view bytes, std::string& shown) {
  const std::size_t length = length_of(static_cast<unsigned char>(bytes[0]));
  std::size_t there = 1;
  while (there < std::min(length, bytes.size()) && is_continued(bytes[there])) {
    ++there;
  }
  if (length > 0 && there == bytes.size() && there < length) {
    return 0;
  }
  if (there != length) {
    fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    return 1;
  }
  const std::string_view character = bytes.substr(0, length);
  if (is_hidden(code_of(character))) {
    fmt::format_to(std::back_inserter(shown), "\\u{:04x}", code_of(character));
  } else {
    shown += character;
  }
  return length;
}

}  // namespace

bool PrintableBuffer::put(const std::string& text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return to_->sputn(text.data(), size) == size;
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  std::string_view rest(text, static_cast<std::size_t>(size));
  if (raw_ || rest == "\r") {
    return to_->sputn(text, size);
  }
  const std::string bytes = begun_ + std::string(rest);
  begun_.clear();
  rest = bytes;
  std::string shown;
  shown.reserve(bytes.size());
  while (!rest.empty()) {
    const auto* const special = std::find_if_not(rest.begin(), rest.end(), is_plain);
    const auto plain = static_cast<std::size_t>(special - rest.begin());
    shown += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) {
      break;
    }
    const std::size_t taken = show_first(rest, shown);
    if (taken == 0) {
      begun_ = rest;
      break;
    }
    rest.remove_prefix(taken);
  }
  return put(shown) ? size : 0;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) {
    return traits_type::not_eof(c);
  }
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

void PrintableBuffer::end() {
  std::string shown;
  for (const char c : begun_) {
    fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(c));
  }
  begun_.clear();
  (void)put(shown);
}

int PrintableBuffer::sync() {
  return to_->pubsync();
}

PrintableOutput::PrintableOutput(std::ostream& out)
    : out_(out), before_(out.rdbuf()), buffer_(*out.rdbuf()) {
  out_.rdbuf(&buffer_);
}

PrintableOutput::~PrintableOutput() {
  buffer_.end();
  const std::ios::iostate state = out_.rdstate();
  out_.rdbuf(before_);
  out_.clear(state);
}

RawOutput::RawOutput(std::ostream& out, bool is_for_programs)
    : buffer_(dynamic_cast<PrintableBuffer*>(out.rdbuf())) {
  const bool is_terminal = &out == &std::cout && ::isatty(STDOUT_FILENO) == 1;
  buffer_ = is_for_programs && !is_terminal ? buffer_ : nullptr;
  if (buffer_ != nullptr) {
    buffer_->pass_raw(true);
  }
}

RawOutput::~RawOutput() {
  if (buffer_ != nullptr) {
    buffer_->pass_raw(false);
  }
}

}  // namespace scalesweep::cli
