// A point of a service, or of a batch of requests, for one engine.
#pragma once

#include "deploy/deployment.hpp"
#include "deploy/target.hpp"
#include "study/study.hpp"

namespace scalesweep::deploy {

// Of a point that has a system and whose layout the engine runs: fill the rest of `made`, or say
// why it cannot be run.
void deploy_service(const ServingTarget& target, const study::Point& point, Deployment& made);
void deploy_batch(const ServingTarget& target, const study::Point& point, Deployment& made);

}  // namespace scalesweep::deploy
