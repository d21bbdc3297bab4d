#include "cli/recommend/devices/counts.hpp"

#include "cli/recommend/devices/budget.hpp"
#include "cli/recommend/devices/numbers.hpp"

namespace scalesweep::cli {

std::vector<DeviceCounts> counts_of(const Question& question, const catalog::Catalog& catalog,
                                    std::vector<std::string>& notes) {
  std::vector<DeviceCounts> all;
  for (const std::string& device : question.devices) {
    const std::vector<std::string> names = catalog.meant(catalog::Section::devices, device);
    const bool is_known =
        names.size() == 1 &&
        (question.network.empty() || catalog.has(catalog::Section::scale_out, question.network));
    if (is_known && !question.budget.empty()) {
      Affordable found =
          affordable(parse_budget(question.budget), names.front(), question.network, catalog);
      notes.push_back(found.words);
      all.push_back(std::move(found.counts));
      continue;
    }
    DeviceCounts counts{device, question.counts};
    if (counts.counts.empty()) {
      counts.counts = {most_in_server};
    }
    // A curve is of one device, and of several numbers each is a question of its own.
    if (is_known && counts.counts.size() == 1 && !question.curve) {
      const std::int64_t asked = counts.counts.front();
      counts.asked = asked;
      counts.counts = fewer_devices(asked, server_size(names.front(), catalog));
      counts.counts.push_back(asked);
    }
    all.push_back(std::move(counts));
  }
  return all;
}

}  // namespace scalesweep::cli
