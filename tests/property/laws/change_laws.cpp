// What holds of two studies that differ in one thing, of which the second has more: nothing gets
// worse, of the best over layouts and of each layout.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "better_catalog.hpp"
#include "estimator/reinforcement/reinforcement.hpp"
#include "law.hpp"
#include "study/kinds/workload_kind.hpp"
#include "workload/serving/request_latency.hpp"

namespace scalesweep::laws {
namespace {

constexpr double rounding = 1e-4;  // what searches of batches and sums of floats leave

// A device at its power limit takes as long as its joules. Kernels, tiles and protocols are chosen
// by their time at the clock, as libraries do, so that where a part gets faster one with more
// joules may be chosen; and clocks stand on a grid of 0.07 %. Seen of 10,000 studies: README.md.
constexpr double limited_best = 0.12;
constexpr double limited_layout = 0.12;
// Of the full clock. A service whose clock a limit sets below it shares few watts between memory,
// which leaves little of them, and prompts, which then take long: a part that makes iterations of
// decode faster has prompts take longer, and a limit on them allows fewer sequences. Another layout
// serves several times as much, and the best of all is asked.
constexpr double starved_clock = 0.25;

// What must not get worse.
struct Measure {
  std::string column;
  bool larger = false;    // is better
  std::string over = {};  // the column that it is divided by; "": none
};

bool has_table(const Subject& subject, const std::string& table) {
  return std::any_of(subject.values.begin(), subject.values.end(),
                     [&](const auto& value) { return value.first.starts_with(table + "."); });
}

// Beside the devices of a strategy, with as many devices as serve most for each device of both.
bool has_open_pool(const Subject& subject) {
  const auto given = [&](const char* key) { return subject.values.contains(key); };
  return !given("prefill.accelerators") && !given("workload.arrival_rate") &&
         !given("workload.concurrency") && has_table(subject, "prefill");
}

std::vector<Measure> measures_of(const Subject& subject) {
  if (has_table(subject, "allocate")) {
    return {};  // shares of a budget are found for the objective of the study, none of these
  }
  switch (subject.kind) {
    case WorkloadKind::training:
      return {{"step_time"}};
    case WorkloadKind::inference:
      return {{"latency"}, {"time_to_first_token"}};
    case WorkloadKind::serving:
      return {{"request_rate", true, has_open_pool(subject) ? "devices" : ""}};
    case WorkloadKind::reinforcement_learning:
      return {{"iteration_time"}};
    default:
      return {{"batch_time"}};
  }
}

using Change = std::optional<SpecValues> (*)(const Subject& subject, std::size_t row);
enum class Of : std::uint8_t { time, cost };

struct ChangeRow {
  std::string_view name;
  Change change = nullptr;
  std::size_t row = 0;
  Of of = Of::time;
  bool of_layout = true;  // holds of each layout as well
};

// Each name in a value ("\"a\"", "[\"a\", \"b\"]") by another.
template <typename Rename>
std::string renamed(const std::string& value, Rename&& rename) {
  std::string text;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = value.find('"', at);
    if (open == std::string::npos) {
      return text + value.substr(at);
    }
    const std::size_t close = value.find('"', open + 1);
    text += value.substr(at, open + 1 - at);
    text += rename(value.substr(open + 1, close - open - 1)) + "\"";
    at = close + 1;
  }
}

constexpr const char* device_keys[] = {"system.device", "decode.device", "prefill.device",
                                       "system.memory_of"};

std::optional<SpecValues> with_devices(const Subject& subject, std::string_view resource) {
  SpecValues values = subject.values;
  bool is_changed = false;
  for (const char* key : device_keys) {
    const auto found = values.find(key);
    if (found == values.end() || found->second.starts_with('{')) {
      continue;
    }
    found->second = renamed(found->second, [&](const std::string& name) {
      const std::string better = better_name(name, resource);
      const bool is_there = subject.catalog->has(catalog::Section::devices, better);
      is_changed = is_changed || is_there;
      return is_there ? better : name;
    });
  }
  return is_changed ? std::optional(values) : std::nullopt;
}

std::optional<SpecValues> with_resource(const Subject& subject, std::size_t row) {
  return with_devices(subject, resources()[row].name);
}

std::optional<SpecValues> with_links(const Subject& subject, std::string_view resource,
                                     std::span<const char* const> keys,
                                     std::string (*better)(const std::string& name)) {
  SpecValues values = with_devices(subject, resource).value_or(subject.values);
  for (const char* key : keys) {
    if (const auto found = values.find(key);
        found != values.end() && found->second.find('{') == std::string::npos) {
      found->second = renamed(found->second, better);
    }
  }
  return values == subject.values ? std::nullopt : std::optional(values);
}

// Of a catalogued device: a derived one pays for its links with edge, area and power.
std::optional<SpecValues> with_scale_up(const Subject& subject, std::size_t) {
  if (!subject.values.contains("system.device")) {
    return std::nullopt;
  }
  constexpr const char* keys[] = {"system.scale_up", "system.scale_up.link"};
  return with_links(subject, better_scale_up, keys,
                    [](const std::string& name) { return better_name(name, better_scale_up); });
}

std::optional<SpecValues> with_scale_out(const Subject& subject, std::size_t) {
  constexpr const char* keys[] = {"system.scale_out"};
  return with_links(subject, better_scale_out, keys,
                    [](const std::string& name) { return better_port(name); });
}

// Every number of the value, where that is made of nothing else.
std::optional<std::string> times(const std::string& value, double factor, bool is_integer) {
  if (value.find('{') != std::string::npos) {
    return std::nullopt;
  }
  std::string text;
  for (std::size_t at = 0; at < value.size();) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(value[at])) != 0;
    const bool is_start =
        at == 0 || value[at - 1] == '"' || value[at - 1] == '[' || value[at - 1] == ' ';
    if (!is_digit || !is_start) {
      text += value[at++];
      continue;
    }
    std::size_t end = at;
    while (end < value.size() &&
           (std::isdigit(static_cast<unsigned char>(value[end])) != 0 ||
            std::string_view("._e").find(value[end]) != std::string_view::npos)) {
      ++end;
    }
    std::string digits = value.substr(at, end - at);
    std::erase(digits, '_');
    const double number = std::stod(digits) * factor;
    text += is_integer ? fmt::format("{}", std::max(1.0, std::floor(number)))
                       : fmt::format("{:.10g}", number);
    at = end;
  }
  return text;
}

std::optional<SpecValues> with_times(const Subject& subject, const std::string& key, double factor,
                                     bool is_integer) {
  const auto found = subject.values.find(key);
  if (found == subject.values.end()) {
    return std::nullopt;
  }
  const auto changed = times(found->second, factor, is_integer);
  if (!changed || *changed == found->second) {
    return std::nullopt;
  }
  SpecValues values = subject.values;
  values[key] = *changed;
  return values;
}

struct KeyChange {
  const char* key;
  double factor;
  bool is_integer;
};
constexpr KeyChange key_changes[] = {
    {"system.device.power", 1.3, false},     {"system.power_limit", 1.3, false},
    {"workload.output", 0.5, true},          {"workload.prompt", 0.5, true},
    {"workload.denoising_steps", 0.5, true}, {"workload.epochs", 0.5, true},
};

// The time per output token of a request is the mean of its own tokens: of fewer of them it differs
// more from that of others, so that a limit on most requests is harder to keep.
bool limits_means_of_tokens(const Subject& subject) {
  return std::any_of(workload::request_latencies.begin(), workload::request_latencies.end(),
                     [&](const workload::RequestLatency& one) {
                       return one.time == workload::RequestTime::output_token &&
                              subject.values.contains(std::string(one.limit_path.view()));
                     });
}

std::optional<SpecValues> with_key(const Subject& subject, std::size_t row) {
  const KeyChange& change = key_changes[row];
  if (std::string_view(change.key) == "workload.output" && limits_means_of_tokens(subject)) {
    return std::nullopt;
  }
  return with_times(subject, change.key, change.factor, change.is_integer);
}

// Nothing where the number is none by itself.
std::optional<std::string> twice_the_devices(const Subject& subject) {
  const auto found = subject.values.find("system.accelerators");
  if (found == subject.values.end() || found->second.find_first_of("[{") != std::string::npos) {
    return std::nullopt;
  }
  return times(found->second, 2.0, true);
}

// So many, or twice as many: layouts of both are tried.
std::optional<SpecValues> with_more_devices(const Subject& subject, std::size_t) {
  SpecValues values = subject.values;
  const auto twice = twice_the_devices(subject);
  if (!twice) {
    return std::nullopt;
  }
  std::string& devices = values.at("system.accelerators");
  devices = fmt::format("[{}, {}]", devices, *twice);
  return values;
}

// All of them used. A batch of few samples may wait for more devices longer than they save;
// requests are shared among replicas.
std::optional<SpecValues> with_twice_the_devices(const Subject& subject, std::size_t) {
  const auto twice = twice_the_devices(subject);
  if (!twice || subject.kind != WorkloadKind::serving) {
    return std::nullopt;
  }
  SpecValues values = subject.values;
  values.at("system.accelerators") = *twice;
  return values;
}

// All limits half as far again.
std::optional<SpecValues> with_looser_limits(const Subject& subject, std::size_t) {
  SpecValues values = subject.values;
  const auto loosen = [&](const std::string& key) {
    if (const auto found = values.find(key); found != values.end()) {
      if (const auto changed = times(found->second, 1.5, false)) {
        found->second = *changed;
      }
    }
  };
  loosen("workload.time_to_first_token");
  loosen("workload.time_per_output_token");
  for (const workload::RequestLatency& one : workload::request_latencies) {
    loosen(std::string(one.limit_path.view()));
  }
  return values == subject.values ? std::nullopt : std::optional(values);
}

constexpr const char* prices[] = {
    "economics.energy_price",   "economics.silicon_markup", "economics.parts_markup",
    "economics.network_markup", "economics.rental_markup",  "economics.facility_cost",
    "economics.delivery_cost",  "economics.server_cost",    "economics.margin",
    "economics.device_price",   "economics.wafer_price",    "economics.defect_density",
    "economics.memory_price",   "economics.memory_markup",  "economics.package_price",
    "economics.interest"};

std::optional<SpecValues> with_lower_prices(const Subject& subject, std::size_t) {
  SpecValues values = subject.values;
  // The prices of products are what silicon is marked up to: what less of it is for parts is more
  // for silicon.
  const bool is_marked_up = values.contains("economics.silicon_markup");
  for (const char* key : prices) {
    const bool is_of_products = std::string_view(key) == "economics.parts_markup" && !is_marked_up;
    if (const auto found = values.find(key); found != values.end() && !is_of_products) {
      found->second = times(found->second, 0.5, false).value_or(found->second);
    }
  }
  values.try_emplace("economics.energy_price", "\"0.001 USD/kWh\"");
  return values;
}

constexpr ChangeRow changes[] = {
    {"more tensor peak", with_resource, 0},
    {"more vector peak", with_resource, 1},
    {"more DRAM bandwidth", with_resource, 2},
    {"more DRAM capacity", with_resource, 3},
    {"more L2 bandwidth", with_resource, 4},
    {"more L2 capacity", with_resource, 5},
    {"more host bandwidth", with_resource, 6},
    {"faster scale-up", with_scale_up},
    {"faster network", with_scale_out},
    {"more watts of a derived device", with_key, 0},
    {"higher power limit", with_key, 1},
    {"fewer output tokens", with_key, 2},
    {"smaller prompt", with_key, 3},
    {"fewer denoising steps", with_key, 4},
    {"fewer epochs", with_key, 5},
    {"more devices, idle ones allowed", with_more_devices, 0, Of::time, false},
    {"twice the devices of a service", with_twice_the_devices, 0, Of::time, false},
    {"looser limits", with_looser_limits},
    {"lower prices", with_lower_prices, 0, Of::cost},
};

// By axis places: what a layout is best among.
using Group = std::vector<double>;

// Of the axes that both studies have, but for the devices: those that are not needed are idle.
std::vector<std::size_t> axes_of(const Rows& rows, const Rows& other) {
  std::vector<std::size_t> axes;
  for (std::size_t column = 1; column < rows.status_column(); ++column) {
    const store::Column& one = rows.schema()[column];
    if (one.role != "strategy" && one.role != "devices" && other.find(one.name)) {
      axes.push_back(column);
    }
  }
  return axes;
}

Group group_of(const Rows& rows, const std::vector<std::size_t>& axes, std::size_t row) {
  Group group;
  for (const std::size_t column : axes) {
    group.push_back(rows.at(column, row));
  }
  return group;
}

struct Best {
  double value = 0.0;
  std::size_t row = 0;
};
using Bests = std::map<Group, Best>;

double value_of(const Rows& rows, const Measure& measure, std::size_t row) {
  const double value = rows.at(rows.find(measure.column).value(), row);
  return measure.over.empty() ? value : value / rows.at(rows.find(measure.over).value(), row);
}

Bests best_of(const Rows& rows, const Rows& other, const Measure& measure) {
  const std::vector<std::size_t> axes = axes_of(rows, other);
  const bool larger = measure.larger;
  Bests bests;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double value = value_of(rows, measure, row);
    if (!rows.is_ok(row) || std::isnan(value)) {
      continue;
    }
    const Group group = group_of(rows, axes, row);
    const auto known = bests.find(group);
    const bool is_better = known == bests.end() ||
                           (larger ? value > known->second.value : value < known->second.value);
    if (is_better) {
      bests.insert_or_assign(group, Best{value, row});
    }
  }
  return bests;
}

// The lowest clock of a point over that of its device, by its columns; 1 where none has one.
double slowest_clock(const Rows& rows, std::size_t row) {
  const study::Point point = rows.study().point_at(static_cast<PointId>(rows.at(0, row)));
  const double full = point.system.system.value().device.clock.si();
  double slowest = 1.0;
  for (std::size_t column = rows.status_column(); column < rows.schema().size(); ++column) {
    if (rows.schema()[column].name.ends_with("clock")) {
      slowest = std::min(slowest, rows.at(column, row) / full);
    }
  }
  return slowest;
}

// Whether the power limit sets a clock of this point.
bool is_limited(const Rows& rows, std::size_t row) {
  if (&rows.study().kind() == &study::reinforcement_kind()) {
    const study::Point point = rows.study().point_at(static_cast<PointId>(rows.at(0, row)));
    const auto parts =
        estimator::explain_reinforcement(study::work_of<estimator::ReinforcementJob>(point.job),
                                         point.system.system.value(), point.strategy);
    return parts.rollouts.clock_step > 0 || parts.training.policy.step.clock_fraction < 1.0;
  }
  if (const auto pool = rows.find("prefill_replicas"); pool && rows.at(*pool, row) > 0.0) {
    return true;  // no column has the clock of a pool of prompts, which may be limited
  }
  return slowest_clock(rows, row) < 1.0 - 1e-6;
}

// Whether it leaves a service so little that another layout is meant.
bool is_starved(const Rows& rows, std::size_t row) {
  return &rows.study().kind() == &study::serving_kind() && slowest_clock(rows, row) < starved_clock;
}

// Relative, above 0 where `after` is worse.
double worse_by(double before, double after, bool larger) {
  if (before == after) {
    return 0.0;
  }
  return larger ? before / after - 1.0 : after / before - 1.0;
}

void compare_best(Finding& finding, const Rows& before, const Rows& after, const Measure& measure) {
  if (!before.find(measure.column) || !after.find(measure.column)) {
    return;
  }
  const Bests was = best_of(before, after, measure);
  const Bests is = best_of(after, before, measure);
  for (const auto& [group, best] : was) {
    const auto found = is.find(group);
    const double by = found == is.end() ? std::numeric_limits<double>::infinity()
                                        : worse_by(best.value, found->second.value, measure.larger);
    const bool holds =
        by <= rounding || (found != is.end() && by <= limited_best &&
                           (is_limited(before, best.row) || is_limited(after, found->second.row)));
    finding.add(holds, by, [&] {
      return fmt::format("{} {:.6g} becomes {} ({}; then {})", measure.column, best.value,
                         found == is.end() ? "nothing" : fmt::format("{:.6g}", found->second.value),
                         before.point(best.row),
                         found == is.end() ? "none" : after.point(found->second.row));
    });
  }
}

bool same_points(const Rows& before, const Rows& after) {
  if (before.size() != after.size()) {
    return false;
  }
  for (std::size_t row = 0; row < before.size(); ++row) {
    for (std::size_t column = 1; column < before.status_column(); ++column) {
      if (before.at(column, row) != after.at(column, row)) {
        return false;
      }
    }
  }
  return true;
}

void compare_points(Finding& finding, const Rows& before, const Rows& after,
                    const Measure& measure) {
  if (!before.find(measure.column) || !after.find(measure.column) || !same_points(before, after)) {
    return;
  }
  for (std::size_t row = 0; row < before.size(); ++row) {
    const double was = value_of(before, measure, row);
    const double is = value_of(after, measure, row);
    if (!before.is_ok(row) || std::isnan(was)) {
      continue;
    }
    const double by = after.is_ok(row) ? worse_by(was, is, measure.larger)
                                       : std::numeric_limits<double>::infinity();
    const bool holds =
        by <= rounding ||
        (by <= limited_layout && (is_limited(before, row) || is_limited(after, row))) ||
        is_starved(after, row);
    finding.add(holds, by, [&] {
      return fmt::format("{} {:.6g} becomes {:.6g} ({}), {}", measure.column, was, is,
                         after.status(row), before.point(row));
    });
  }
}

std::vector<Measure> costs_of(const Rows& rows) {
  std::vector<Measure> measures;
  for (const store::Column& column : rows.schema()) {
    if (column.role.find("unit_cost") != std::string::npos) {
      measures.push_back({column.name});
    }
  }
  return measures;
}

Finding compared(const Law& law, const Subject& subject,
                 void (*compare)(Finding&, const Rows&, const Rows&, const Measure&)) {
  const ChangeRow& row = changes[law.row];
  Finding finding;
  const std::optional<SpecValues> values = row.change(subject, row.row);
  if (!values) {
    return finding;
  }
  const auto after = rows_of_changed(subject, *values);
  if (after == nullptr) {
    return finding;
  }
  const auto measures = row.of == Of::cost ? costs_of(*subject.rows) : measures_of(subject);
  for (const Measure& measure : measures) {
    compare(finding, *subject.rows, *after, measure);
  }
  return finding;
}

Finding best_is_no_worse(const Law& law, const Subject& subject) {
  return compared(law, subject, compare_best);
}

Finding layout_is_no_worse(const Law& law, const Subject& subject) {
  return compared(law, subject, compare_points);
}

constexpr Known known[] = {
    // Of what passes send and wait for, scoring has a fixed part.
    {"best:", WorkloadKind::reinforcement_learning, 2e-3},
    {"layout:", WorkloadKind::reinforcement_learning, 2e-3},
    // Batches are looked for among steps of tiles, to fastest_tolerance; where those are many, a
    // search ends before it has seen all.
    {"best:", WorkloadKind::serving, 0.01},
    {"layout:", WorkloadKind::serving, 0.02},
};

}  // namespace

std::span<const Known> known_exceptions() {
  return known;
}

std::vector<Law> change_laws() {
  std::vector<Law> laws;
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    laws.push_back({fmt::format("best: {}", changes[i].name), best_is_no_worse, i, 3});
    if (changes[i].of_layout) {
      laws.push_back({fmt::format("layout: {}", changes[i].name), layout_is_no_worse, i, 3});
    }
  }
  return laws;
}

}  // namespace scalesweep::laws
