// What rules of programs ask of a point of a study.
#pragma once

#include <string_view>
#include <vector>

#include "deploy/rules/rule.hpp"
#include "study/study.hpp"

namespace scalesweep::workload {
struct Framework;
}

namespace scalesweep::deploy {

// Of a point that has a system, of training, inference or serving. Refers to it. Operands in fp8
// are scaled as `stack` does where the study asks for no way; null: as the framework of the point.
Subject subject_of(const study::Study& study, const study::Point& point,
                   const workload::Framework* stack = nullptr);

// Formats of its linear layers, each once, by name.
std::vector<std::string_view> linear_formats(const study::Point& point);

}  // namespace scalesweep::deploy
