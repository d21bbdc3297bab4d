#include "cli/recommend/spec/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/model.hpp"

namespace scalesweep::cli {

Facts facts_of(const Question& question, const std::vector<DeviceCounts>& counts,
               const catalog::Catalog& catalog) {
  Facts facts;
  const std::vector<std::string> models = catalog.meant(catalog::Section::models, question.model);
  if (models.size() == 1) {
    const workload::TransformerModel& model = catalog.model(models.front());
    facts.model = models.front();
    facts.shape = &model;
    facts.layers = model.layers;
    facts.experts = model.experts.count;
    facts.context = model.max_positions;
    facts.parameters = model.parameters();
  }
  facts.domain = 1;
  for (const DeviceCounts& one : counts) {
    const std::vector<std::string> names = catalog.meant(catalog::Section::devices, one.device);
    if (names.size() == 1) {
      const catalog::CataloguedSystem usual = catalog.usual_system(names.front());
      facts.domain = std::max<std::int64_t>(facts.domain, usual.domain.value_or(1));
      facts.known.push_back(catalog.device(names.front()));
      const double bytes = facts.known.back().dram.capacity.si();
      facts.device_bytes = facts.device_bytes > 0.0 ? std::min(facts.device_bytes, bytes) : bytes;
      if (usual.scale_out) {
        facts.networks.push_back(fmt::format("{} ({})", *usual.scale_out, names.front()));
      }
    }
    for (const std::int64_t count : one.counts) {
      facts.devices = std::max(facts.devices, count);
    }
  }
  return facts;
}

}  // namespace scalesweep::cli
