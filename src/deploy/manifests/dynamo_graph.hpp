// A DynamoGraphDeployment: workers that register with the Frontend of Dynamo.
//
// Read at 5534a9df of ai-dynamo/dynamo (v1.0.1): deploy/operator/config/crd, examples/backends/*,
// components/src/dynamo/*/args.py, docs/reference/support-matrix.md,
// deploy/operator/internal/dynamo.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

inline constexpr std::string_view dynamo_version = "1.0.1";
inline constexpr std::string_view dynamo_commit = "5534a9df";

// Of the engine in its images.
std::string_view version_in_dynamo(EngineKind engine);

std::string dynamo_graph(std::span<const PoolCommand> pools, const Engine& engine);

}  // namespace scalesweep::deploy
