// Who made and paid for a data set, in the words of schema.org, which RO-Crate takes over.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "citation/dataset.hpp"

namespace scalesweep::publish {

// A Person or an Organization.
nlohmann::ordered_json person_json(const citation::Creator& creator);

// creator, publisher, sourceOrganization, funding and contactPoint, those that there are.
// `of_creator` gives what stands for one.
void add_people(nlohmann::ordered_json& json, const citation::Dataset& dataset,
                const std::function<nlohmann::ordered_json(const citation::Creator&)>& of_creator);

// Where the licence can be read, or its own name; "" without one.
std::string license_address(const citation::Dataset& dataset);

}  // namespace scalesweep::publish
