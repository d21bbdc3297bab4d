// What is assumed where a question leaves it open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"
#include "technology/device.hpp"

namespace scalesweep::cli {

using Devices = std::vector<technology::Device>;  // of the question, that the catalog knows

// What runs on all of them, and multiplies these formats where one of those that can be launched
// does.
std::string usual_framework(Aim aim, const Devices& devices,
                            const std::vector<std::string>& precisions,
                            const catalog::Catalog& catalog);

// Whether those who can be launched run on such a device.
bool can_launch(Aim aim, const std::string& device);

// Whether such devices have a stack that is usual on them alone.
bool has_own_stack(const std::string& device);

// bf16, or what a model is published in where it is served; another one that all devices have a
// matrix unit for, where they lack that. `model` is a name of the catalog.
std::string usual_precision(Aim aim, const std::string& model, const Devices& devices,
                            const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
