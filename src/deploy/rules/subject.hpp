// What rules of programs ask of a point of a study.
#pragma once

#include <string_view>
#include <vector>

#include "deploy/rules/rule.hpp"
#include "study/study.hpp"

namespace scalesweep::deploy {

// Of a point that has a system, of training, inference or serving. Refers to it.
Subject subject_of(const study::Study& study, const study::Point& point);

// Formats of its linear layers, each once, by name.
std::vector<std::string_view> linear_formats(const study::Point& point);

}  // namespace scalesweep::deploy
