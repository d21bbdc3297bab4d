// What decides the values of a study, as texts: two studies are the same exactly if these agree.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalog/provenance.hpp"
#include "space/spec.hpp"

namespace scalesweep::study {

// Parts by name: spec (a line per axis, rule, filter and policy: comments, order of keys and title
// do not count), catalog (the entries used, as their files have them), estimator (its hash).
std::map<std::string, std::string> identity_parts(
    const space::Spec& spec, const std::vector<const catalog::Entry*>& entries);

// SHA-256 over the parts and the version of the file format.
std::string identity_of(const std::map<std::string, std::string>& parts);

// The text of the entries, each under a line that says where it stands.
std::string catalog_text(const std::vector<const catalog::Entry*>& entries);

std::string keep_text(const space::Keep& keep);

}  // namespace scalesweep::study
