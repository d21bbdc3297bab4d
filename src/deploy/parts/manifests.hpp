// Files for who starts programs on many servers: those that serve are made in manifests/.
#pragma once

#include <string>

#include "deploy/options.hpp"

namespace scalesweep::deploy {

// A job of Slurm that starts `command`, which holds "$HEAD", once on every server.
// `command`: without the variables of the environment among `flags`, which are exported.
std::string slurm_training(const std::string& command, std::span<const Flag> flags,
                           const Hosts& hosts);

}  // namespace scalesweep::deploy
