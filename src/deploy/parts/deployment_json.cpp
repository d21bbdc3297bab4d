#include "deploy/parts/deployment_json.hpp"

#include <nlohmann/json.hpp>

#include "deploy/parts/documents.hpp"

namespace scalesweep::deploy {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Flag& flag) {
  if (flag.value.empty()) {
    return true;
  }
  return kind_of(flag.value) == ValueKind::text ? Json(flag.value) : Json::parse(flag.value);
}

std::string key_of(const Flag& flag) {
  return flag.name.ends_with('=') ? flag.name.substr(0, flag.name.size() - 1) : flag.name;
}

Json memory_of(const MemoryCheck& check) {
  Json memory = {{"pool", check.pool},
                 {"device_bytes", check.device_bytes},
                 {"weights_bytes", check.weights_bytes},
                 {"activations_bytes", check.activations_bytes},
                 {"budget_bytes", check.budget_bytes},
                 {"text", check.text}};
  if (check.option.empty()) {
    memory["states_bytes"] = check.states_bytes;
    return memory;
  }
  memory["option"] = check.option;
  memory["share"] = check.share;
  memory["default_share"] = check.default_share;
  memory["graphs_bytes"] = check.graphs_bytes;
  memory["graph_sizes"] = check.graph_sizes;
  memory["held_over_estimated"] = check.held_ratio;
  memory["needed_cache_bytes"] = check.cache_bytes;
  memory["needed_sequences"] = check.sequences;
  memory["sequences_that_fit"] = check.sequences_that_fit;
  memory["tokens_that_fit"] = check.tokens_that_fit;
  return memory;
}

}  // namespace

std::string json_text(const Deployment& deployment) {
  Json flags = Json::object();
  for (const Flag& flag : deployment.flags) {
    flags[key_of(flag)] = value_of(flag);
  }
  Json files = Json::object();
  for (const File& file : deployment.files) {
    files[file.name] = file.content;
  }
  Json pools = Json::array();
  for (const MemoryCheck& check : deployment.memory) {
    pools.push_back(memory_of(check));
  }
  Json memory = pools.empty() ? Json::object() : pools.front();
  if (pools.size() > 1) {
    memory["pools"] = pools;
  }
  const Json all = {{"target", deployment.target},
                    {"version", deployment.version},
                    {"source", deployment.source},
                    {"command", deployment.command},
                    {"flags", flags},
                    {"files", files},
                    {"memory", memory},
                    {"notes", deployment.notes}};
  return all.dump(2) + "\n";
}

}  // namespace scalesweep::deploy
