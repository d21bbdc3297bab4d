#include "citation/identifiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace scalesweep::citation {
namespace {

constexpr std::string_view orcid_example = "0000-0002-1825-0097";
constexpr std::array<std::string_view, 3> doi_prefixes = {"https://doi.org/", "http://doi.org/",
                                                          "doi:"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool has_blank(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '<' || c == '>';
  });
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Four groups of four digits; X may be the last.
bool has_orcid_form(std::string_view text) {
  if (text.size() != orcid_example.size()) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool may_be_x = i + 1 == text.size() && text[i] == 'X';
    if (orcid_example[i] == '-' ? text[i] != '-' : !is_digit(text[i]) && !may_be_x) {
      return false;
    }
  }
  return true;
}

// ISO 7064, MOD 11-2, over the digits before the last.
char check_digit(std::string_view orcid) {
  int total = 0;
  for (const char c : orcid.substr(0, orcid.size() - 1)) {
    if (c != '-') {
      total = (total + (c - '0')) * 2 % 11;
    }
  }
  const int digit = (12 - total) % 11;
  return digit == 10 ? 'X' : static_cast<char>('0' + digit);
}

}  // namespace

std::optional<std::string> orcid_of(std::string_view text) {
  const std::string_view orcid = without_prefix(text, "https://orcid.org/");
  const bool is_one = has_orcid_form(orcid) && check_digit(orcid) == orcid.back();
  return is_one ? std::optional<std::string>(orcid) : std::nullopt;
}

std::string orcid_problem(std::string_view text) {
  const std::string_view orcid = without_prefix(text, "https://orcid.org/");
  if (!has_orcid_form(orcid)) {
    return fmt::format("'{}' is no ORCID; one is written \"{}\"", text, orcid_example);
  }
  return fmt::format(
      "'{}' is no ORCID: behind these digits the check digit is {}; copy it from the page of the "
      "person at https://orcid.org",
      text, check_digit(orcid));
}

std::optional<std::string> doi_of(std::string_view text) {
  for (const std::string_view prefix : doi_prefixes) {
    text = without_prefix(text, prefix);
  }
  const std::size_t slash = text.find('/');
  if (!text.starts_with("10.") || slash == std::string_view::npos || slash + 1 == text.size() ||
      has_blank(text)) {
    return std::nullopt;
  }
  constexpr std::size_t least_digits = 4;
  const std::string_view registrant = text.substr(3, slash - 3);
  const auto digits = static_cast<std::size_t>(
      std::find_if_not(registrant.begin(), registrant.end(), is_digit) - registrant.begin());
  const bool divided = digits < registrant.size() && registrant[digits] == '.';
  return digits >= least_digits && (digits == registrant.size() || divided)
             ? std::optional<std::string>(text)
             : std::nullopt;
}

std::optional<std::string> arxiv_of(std::string_view text) {
  const std::string_view number = without_prefix(text, "arXiv:");
  return number.size() == text.size() || number.empty() || has_blank(number)
             ? std::nullopt
             : std::optional<std::string>(number);
}

bool is_url(std::string_view text) {
  const std::string_view rest = without_prefix(without_prefix(text, "https://"), "http://");
  return rest.size() < text.size() && !rest.empty() && rest.front() != '/' && !has_blank(rest);
}

bool is_email(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() && !has_blank(text) &&
         text.find('@', at + 1) == std::string_view::npos;
}

}  // namespace scalesweep::citation
