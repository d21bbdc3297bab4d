// What decides the values of a study, as texts: two studies are the same exactly if these agree.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalog/provenance.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

// Parts by name: spec (a line per axis, rule, filter and policy: comments, order of keys, title and
// [dataset] do not count), catalog (the values used, a line each), estimator (its hash).
std::map<std::string, std::string> identity_parts(
    const space::Spec& spec, const std::vector<const catalog::Entry*>& entries);

// SHA-256 over the parts and the version of the file format.
std::string identity_of(const std::map<std::string, std::string>& parts);

// The text of the entries, each under a line that says where it stands.
std::string catalog_text(const std::vector<const catalog::Entry*>& entries);

// Values that are marked unverified, as "logic foundry/N1 leakage": a study says what it rests on.
std::vector<std::string> unverified_values(const std::vector<const catalog::Entry*>& entries);
std::int64_t value_count(const std::vector<const catalog::Entry*>& entries);

}  // namespace scalesweep::study
