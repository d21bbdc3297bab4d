// A training point for one framework.
#pragma once

#include "deploy/deployment.hpp"
#include "deploy/target.hpp"
#include "study/study.hpp"

namespace scalesweep::deploy {

// Of a point that has a system and whose layout the framework runs: fills the rest of `made`, or
// says that it does not fit.
void deploy_training(const TrainingTarget& target, const study::Point& point, Deployment& made);

}  // namespace scalesweep::deploy
