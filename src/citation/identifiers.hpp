// Persistent identifiers of people and works, by their form: nothing is looked up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalesweep::citation {

// "0000-0002-1825-0097", also out of its address https://orcid.org/...; nothing if it has another
// form or another check digit (ISO 7064, MOD 11-2) than its digits have.
std::optional<std::string> orcid_of(std::string_view text);
// What is wrong with a text that is none, with the way out.
std::string orcid_problem(std::string_view text);

// "10.5281/zenodo.1234567", also out of doi:... or its address https://doi.org/...; nothing if it
// is none.
std::optional<std::string> doi_of(std::string_view text);

// "2407.14645" of arXiv:2407.14645.
std::optional<std::string> arxiv_of(std::string_view text);

// An http or https address with a host, without blanks.
bool is_url(std::string_view text);

// NAME@HOST without blanks.
bool is_email(std::string_view text);

}  // namespace scalesweep::citation
