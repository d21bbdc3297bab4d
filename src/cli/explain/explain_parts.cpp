#include "cli/explain/explain_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/training/job.hpp"
#include "space/axes/workload_axes.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {

Cell seconds_cell(double s) {
  constexpr double long_s = 7200.0;  // that nobody reads in seconds
  return {s < long_s ? with_si_prefix(s, "s") : duration_text(s), s};
}
Cell bytes_cell(double b) {
  return {with_si_prefix(b, "B"), b};
}
Cell joules_cell(double j) {
  return {with_si_prefix(j, "J"), j};
}
Cell plain_cell(double number) {
  return {fmt::format("{:.6g}", number), number};
}

Cell share_cell(double part, double whole) {
  const double fraction = whole > 0.0 ? part / whole : 0.0;
  return {fmt::format("{:.1f} %", 100.0 * fraction), fraction};
}

Sheet pairs_sheet(std::string name, std::string title) {
  return {std::move(name),
          std::move(title),
          {{"name", "", Align::left}, {"value", "", Align::left}},
          {},
          false};
}

namespace {

// What the phase of a run says, which is no axis.
void add_phase_rows(Sheet& sheet, const study::Study& study, std::string_view name) {
  for (const space::TrainingPhase& phase : study.spec().phases) {
    if (phase.name != name) {
      continue;
    }
    sheet.rows.push_back({"token_share", plain_cell(phase.share)});
    for (const auto& [key, value] :
         {std::pair("sequence", phase.sequence), std::pair("global_batch", phase.global_batch),
          std::pair("document", phase.document)}) {
      if (value) {
        sheet.rows.push_back({key, {fmt::format("{}", *value), *value}});
      }
    }
  }
}

}  // namespace

Sheet point_sheet(const study::Study& study, const study::Point& point) {
  Sheet sheet = pairs_sheet("point", fmt::format("Point {} of {}", point.id, study.spec().title));
  sheet.rows.push_back({"point_id", {with_thousands(point.id), point.id}});
  for (const study::CoordinateText& text : study::coordinates(study, point)) {
    sheet.rows.push_back({text.name, text.label});
    if (text.name == space::phase_axis) {
      add_phase_rows(sheet, study, text.label);
    }
  }
  return sheet;
}

Cell rate_cell(double value, double sustained, const char* unit) {
  return {fmt::format("{} (sustained {:.0f} %)", with_si_prefix(value, unit), 100.0 * sustained),
          value};
}

namespace {

// What widens an error bar, most first.
constexpr std::array<std::pair<technology::Known, std::string_view>, 2> less_known = {{
    {technology::Known::nowhere, "measured nowhere"},
    {technology::Known::elsewhere, "measured in other frameworks alone"},
}};

}  // namespace

estimator::Setting training_setting(const study::Point& point) {
  return {study::work_of<estimator::TrainingJob>(point.job), *point.system.system, point.strategy};
}

Cell uncertainty_cell(const technology::Uncertainty& uncertainty, std::int64_t devices,
                      const technology::Traits& traits, const char* of) {
  const auto count = static_cast<double>(devices);
  const double relative = technology::relative_uncertainty(uncertainty, count, traits);
  if (relative <= 0.0) {
    return {"not known"};
  }
  std::string text = fmt::format("+-{:.1f} % of the {}", 100.0 * relative, of);
  const technology::Traits& lacks = technology::at_scale(uncertainty, count).lacks;
  if (lacks.any()) {
    text += fmt::format("; {}: that of others, and what such were off more when they were left out",
                        fmt::join(technology::names_of(lacks), ", "));
  }
  for (const auto& [known, words] : less_known) {
    if (const technology::Traits found = technology::known_as(uncertainty, traits, known);
        found.any()) {
      text += fmt::format("; {}: {}", words, fmt::join(technology::names_of(found), ", "));
    }
  }
  return {text, relative};
}

// The usual two by their names, what is inside and beyond them by its link.
std::string level_name(const technology::System& system, std::size_t level) {
  const auto& [link, size] = system.levels[level];
  if (level == system.domain_level) {
    return fmt::format("scale-up, {} devices", size);
  }
  if (level < system.domain_level) {
    return fmt::format("inside, {} devices: {}", size, link.name);
  }
  const std::string what = level == system.domain_level + 1 ? "scale-out" : "beyond: " + link.name;
  return size > 0 ? fmt::format("{}, {} devices", what, size) : what;
}

Sheet device_sheet(const technology::System& system, technology::Precision precision,
                   std::optional<workload::Recipe> recipe) {
  const technology::Device& device = system.device;
  const std::size_t index = technology::index_of(technology::matrix_format(device, precision));
  Sheet sheet = pairs_sheet("device", "Device and networks");
  sheet.rows = {
      {"device", device.name},
      {"cores", plain_cell(device.cores)},
      {"clock", {with_si_prefix(device.clock.si(), "Hz"), device.clock.si()}},
      {fmt::format("{} matrix peak", technology::name_of(precision)),
       rate_cell(device.tensor_peak[index].si(), device.tensor_sustained[index], "FLOP/s")},
      {"vector peak", rate_cell(device.vector_peak.si(), device.vector_sustained, "FLOP/s")},
      {"DRAM", rate_cell(device.dram.bandwidth.si(), device.dram.sustained, "B/s")},
      {"DRAM capacity", bytes_cell(device.dram.capacity.si())},
      {"L2", rate_cell(device.l2.bandwidth.si(), device.l2.sustained, "B/s")},
      {"L2 capacity", bytes_cell(device.l2.capacity.si())},
      {"thermal design power",
       {with_si_prefix(device.thermal_design_power.si(), "W"), device.thermal_design_power.si()}},
  };
  if (recipe) {
    sheet.rows.insert(sheet.rows.begin() + 4,
                      {"operands scaled by recipe", std::string(workload::recipe_names[*recipe])});
  }
  if (!device.libraries.empty()) {
    sheet.rows.push_back({"kernels", join(device.libraries, ", ")});
  }
  if (device.memory_in_cores) {
    sheet.rows.push_back({"memory",
                          "in the cores: weights, cache and activations stay where they are "
                          "multiplied, L2 is the mesh between them"});
  }
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    const technology::Network& link = system.levels[level].link;
    sheet.rows.push_back(
        {level_name(system, level), rate_cell(link.bandwidth.si(), link.sustained, "B/s")});
  }
  return sheet;
}

Sheet rejection_sheet(const study::Point& point) {
  Sheet sheet = pairs_sheet("result", "Result: no estimate");
  const study::Status status = point.filtered ? study::Status::filtered : point.system.status;
  sheet.rows.push_back({"status", study::status_names()[study::index_of(status)]});
  sheet.rows.push_back(
      {"reason", point.filtered ? "a [[filter]] of the spec removes it" : point.system.reason});
  return sheet;
}

void add_price_and_device(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, const Period& period,
                          std::optional<workload::Recipe> recipe) {
  add_ownership_sheets(sheets, study, point, period);
  sheets.push_back(device_sheet(*point.system.system, point.job.multiplied.front(), recipe));
}

std::string limited_text(std::string otherwise, study::Status status,
                         const technology::Device& device, double unkept_w) {
  return status == study::status_of(technology::DeriveProblem::power_below_rest)
             ? "power_below_rest: " + estimator::unkept_limit_text(device, unkept_w)
             : otherwise;
}

std::string fit_text(estimator::Verdict verdict, double short_bytes, std::string_view what) {
  return verdict == estimator::Verdict::fits
             ? "ok"
             : fmt::format("does_not_fit: {} lacks {}", what, with_si_prefix(short_bytes, "B"));
}

AloneTerms::AloneTerms()
    : sheet_{"terms",
             "Terms, each alone; what runs beside others adds less",
             {{"name", "", Align::left},
              {"alone_s", "alone", Align::right},
              {"bound", "bound by", Align::left}},
             {},
             true} {}

void AloneTerms::operator()(const std::string& name, const estimator::Cost& cost) {
  if (const double time_s = cost.time.total_s(); time_s > 0.0) {
    sheet_.rows.push_back({name, seconds_cell(time_s),
                           std::string(estimator::name_of(estimator::dominant(cost.time)))});
  }
}

}  // namespace scalesweep::cli
