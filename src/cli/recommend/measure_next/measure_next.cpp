#include "cli/recommend/measure_next/measure_next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "analysis/file/columns.hpp"
#include "analysis/query/query.hpp"
#include "analysis/selection/read_layout.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/words/words.hpp"
#include "cli/catalog/entries/summary.hpp"
#include "cli/recommend/measure_next/case_rows.hpp"
#include "core/text.hpp"
#include "deploy/deploy.hpp"
#include "reduce/measurement_value.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::cli {
namespace {

// Mean |estimated / measured - 1| of kernels alone and of collectives on devices that have such
// rows: nodes/calibration/fits.md, `power_window` of GEMMs and `pair_handshake` of collectives.
constexpr double kernel_error = 0.049;
constexpr double collective_error = 0.066;

constexpr std::size_t most_contenders = 8;
constexpr std::size_t most_told = 5;
// Of the expected loss; what brings less is not told.
constexpr double least_gain = 0.05;

// Resources whose time kernels alone, and collectives, are charged with.
constexpr std::array<std::string_view, 5> kernel_resources = {"tensor_compute", "vector_compute",
                                                              "dram", "l2", "shared_memory"};
constexpr std::array<std::string_view, 2> network_resources = {"scale_up", "scale_out"};

// Of what nobody measured of a device, which kernels of it would take away.
constexpr std::array<technology::Trait, 3> of_devices = {
    technology::Trait::maker_not_measured, technology::Trait::architecture_not_measured,
    technology::Trait::device_not_measured};

// Of layouts of one class bars differ by less.
constexpr double same_bar = 0.02;

struct Contender {
  std::int64_t id = -1;
  reduce::Estimate estimate;
  study::Point point;
  std::string device = {};
  std::string framework = {};
  std::string words = {};      // "gaudi3, TP4 PP1 DP2"
  std::string layout = {};     // the same without the length of chunks of prompts
  double open_requests = 0.0;  // of a service
  double kernel_share = 0.0;   // of the time
  double network_share = 0.0;
  // The parts of the error, which add up as independent ones do.
  double base = 0.0;        // of its device and stack, as they were measured
  double unmeasured = 0.0;  // as nobody measured the device

  double widened() const {
    return std::sqrt(
        std::max(estimate.error * estimate.error - base * base - unmeasured * unmeasured, 0.0));
  }
};

// What widens the error bar of a device's stack because nobody measured the device, as a part of
// the bar: without it the device and its stack are still not measured together.
double unmeasured_part(const study::Study& study, const study::Point& point) {
  const technology::Uncertainty known = uncertainty_of(study, point);
  const technology::Traits lacks = technology::at_scale(known, point.accelerators).lacks;
  const auto added = [&](technology::Trait trait) {
    return std::pow(known.traits[static_cast<std::size_t>(trait)].added, 2.0);
  };
  double variance = 0.0;
  for (const technology::Trait trait : of_devices) {
    variance += has(lacks, trait) ? added(trait) : 0.0;
  }
  const auto pair = technology::Trait::pair_not_measured;
  variance -= variance > 0.0 && !has(lacks, pair) ? added(pair) : 0.0;
  return std::sqrt(std::max(variance, 0.0));
}

// Layouts of one class on one device.
bool is_alike(const Contender& a, const Contender& b) {
  return a.device == b.device && a.framework == b.framework &&
         std::fabs(a.estimate.error / b.estimate.error - 1.0) < same_bar;
}

// Errors of two contenders have in common: of what their device and stack were measured to be off
// by, shared_share; where these are the same, what nobody measured of the device; and with the same
// bar, where layouts are of one class, all else that widens it.
std::vector<double> covariance_of(const std::vector<Contender>& contenders) {
  std::vector<double> found;
  for (const Contender& a : contenders) {
    for (const Contender& b : contenders) {
      double common = (&a == &b ? 1.0 : reduce::shared_share) * a.base * b.base;
      if (a.device == b.device && a.framework == b.framework) {
        common += a.unmeasured * b.unmeasured;
        common += is_alike(a, b) ? a.widened() * b.widened() : 0.0;
      }
      found.push_back(common);
    }
  }
  return found;
}

class Finder {
 public:
  Finder(const store::StudyReader& reader, const study::Study& study,
         const analysis::Verdicts& verdicts)
      : reader_(reader),
        study_(study),
        verdicts_(verdicts),
        layout_(analysis::read_layout(reader, {})),
        layouts_(reader, study, layout_,
                 {verdicts.per, verdicts.chosen, verdicts.objective.column}),
        found_(analysis::search_verdicts(
            reader, layout_,
            {verdicts.objective, verdicts.per, verdicts.compared, "", verdicts.error_bar})) {}

  MeasureNext of(const Answer& answer) const {
    const std::vector<Contender> contenders = contenders_of(answer);
    MeasureNext result;
    result.contenders = contenders.size() - 1;
    if (result.contenders == 0) {
      return result;
    }
    std::vector<reduce::Estimate> estimates;
    for (const Contender& one : contenders) {
      estimates.push_back(one.estimate);
    }
    const reduce::MeasurementValue value(estimates, covariance_of(contenders));
    result.loss = value.loss();
    const auto add = [&](Measurement measurement, const std::vector<double>& moves) {
      measurement.loss_after = value.loss_after(moves);
      if (measurement.loss_after <= (1.0 - least_gain) * result.loss) {
        result.list.push_back(std::move(measurement));
      }
    };
    // Of a class that the proposed layout is not of, one stands for all.
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const bool is_told =
          std::any_of(contenders.begin(), contenders.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const Contender& earlier) { return is_alike(earlier, contenders[i]); });
      if (!is_told || is_alike(contenders.front(), contenders[i])) {
        add(step_of(contenders[i]), value.moves_of(i));
      }
    }
    for (const auto& [device, one] : by_device(contenders)) {
      add(kernels_of(device), kernel_moves(contenders, device));
      add(collectives_of(one->point, device), network_moves(contenders, device));
    }
    std::stable_sort(result.list.begin(), result.list.end(),
                     [](const auto& a, const auto& b) { return a.loss_after < b.loss_after; });
    result.list.resize(std::min(result.list.size(), most_told));
    return result;
  }

 private:
  // Of what is maximised the logarithm of the inverse, whose error bar is the same.
  reduce::Estimate estimate_of(double value, double error_bar) const {
    const bool is_least = verdicts_.objective.direction == analysis::Direction::minimize;
    return {(is_least ? 1.0 : -1.0) * std::log(value), error_bar};
  }

  // The proposed one first; then the best of each choice with each error bar, and the layouts that
  // are shown, that cannot be told apart from it: the best of them, of those alike but for the
  // length of chunks one.
  std::vector<Contender> contenders_of(const Answer& answer) const {
    const reduce::Estimate taken =
        estimate_of(answer.verdict.taken.value, answer.verdict.taken.error_bar);
    std::vector<std::pair<reduce::Estimate, std::int64_t>> others;
    std::set<std::int64_t> ids = {answer.verdict.taken.id};
    const auto add = [&](double value, double bar, std::int64_t id) {
      const reduce::Estimate one = estimate_of(value, bar);
      if (reduce::cannot_be_told_apart(one, taken) && ids.insert(id).second) {
        others.emplace_back(one, id);
      }
    };
    for (const Layout& layout : answer.layouts) {
      add(layout.value, layout.uncertainty, layout.id);
    }
    for (const auto& [choice, bests] : found_.at(answer.verdict.key).known) {
      for (const analysis::KnownBest& best : bests) {
        add(best.point.value, best.error_bar, best.point.id);
      }
    }
    std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
      return a.first.log_value < b.first.log_value;
    });
    std::vector<Contender> contenders = {contender(taken, answer.verdict.taken.id)};
    for (std::size_t i = 0; i < others.size() && contenders.size() < most_contenders; ++i) {
      Contender one = contender(others[i].first, others[i].second);
      const bool is_new =
          std::none_of(contenders.begin(), contenders.end(),
                       [&](const Contender& known) { return known.layout == one.layout; });
      if (is_new) {
        contenders.push_back(std::move(one));
      }
    }
    return contenders;
  }

  Contender contender(const reduce::Estimate& estimate, std::int64_t id) const {
    Contender one{id, estimate, study_.point_at(id)};
    const Layout layout = layouts_.one(id);
    std::vector<std::string> words;
    std::vector<std::string> without_chunk;
    for (std::size_t i = 0; i < verdicts_.chosen.size(); ++i) {
      const std::string& axis = verdicts_.chosen[i];
      words.push_back((axis == "device" || axis == "framework" ? "" : analysis::words(axis) + " ") +
                      layout.choice[i]);
      if (axis != "prefill_chunk") {
        without_chunk.push_back(words.back());
      }
    }
    words.push_back(layout.words);
    without_chunk.push_back(layout.words);
    one.words = join(words, ", ");
    one.layout = join(without_chunk, ", ");
    one.device = device_of(one.point)->name;
    one.framework = deploy::framework_of(study_, one.point);
    const double bar = estimate.error;
    one.base = std::min(
        bar,
        technology::at_scale(uncertainty_of(study_, one.point), one.point.accelerators).relative);
    one.unmeasured =
        std::min(unmeasured_part(study_, one.point), std::sqrt(bar * bar - one.base * one.base));
    read_row(one);
    return one;
  }

  void read_row(Contender& one) const {
    analysis::QueryOptions options;
    options.rows.ids = {one.id};
    options.rows.reading = layout_.reading;
    options.select = layout_.charges;
    const bool serves = layout_.column("requests_in_flight").has_value();
    if (serves) {
      options.select.emplace_back("requests_in_flight");
    }
    const analysis::QueryPlan plan = plan_query(reader_, options);
    run_query(reader_, plan, [&](const store::Table& rows) {
      const auto number = [&](const std::string& name) {
        return rows.number(analysis::position_in(plan.schema, name), 0);
      };
      double whole = 0.0;
      for (std::size_t i = 0; i < layout_.charges.size(); ++i) {
        const double time_s = number(layout_.charges[i]);
        const auto is_of = [&](auto names) {
          return std::find(names.begin(), names.end(), layout_.resources[i]) != names.end();
        };
        whole += time_s;
        one.kernel_share += is_of(kernel_resources) ? time_s : 0.0;
        one.network_share += is_of(network_resources) ? time_s : 0.0;
      }
      one.kernel_share /= whole;
      one.network_share /= whole;
      one.open_requests = serves ? number("requests_in_flight") : 0.0;
    });
  }

  static std::map<std::string, const Contender*> by_device(
      const std::vector<Contender>& contenders) {
    std::map<std::string, const Contender*> devices;
    for (const Contender& one : contenders) {
      devices.emplace(one.device, &one);
    }
    return devices;
  }

  std::vector<double> kernel_moves(const std::vector<Contender>& contenders,
                                   const std::string& device) const {
    const bool measured =
        has_measured_kernels(*study_.catalog().entry(catalog::Section::devices, device));
    std::vector<double> moves;
    for (const Contender& one : contenders) {
      moves.push_back(one.device != device ? 0.0
                      : measured           ? kernel_error * one.kernel_share
                                           : one.unmeasured);
    }
    return moves;
  }

  static std::vector<double> network_moves(const std::vector<Contender>& contenders,
                                           const std::string& device) {
    std::vector<double> moves;
    for (const Contender& one : contenders) {
      moves.push_back(one.device == device ? collective_error * one.network_share : 0.0);
    }
    return moves;
  }

  Measurement step_of(const Contender& one) const {
    Measurement made;
    made.id = one.id;
    made.row = case_row(study_, one.point, one.open_requests);
    const bool trains = &study_.kind() == &study::training_kind();
    made.words = (trains ? "a step of " : "a service by ") + one.words;
    return made;
  }

  Measurement kernels_of(const std::string& device) const {
    Measurement made;
    made.what = Measured::kernels;
    made.words = "kernels of " + device;
    made.command = fmt::format("scalesweep measure --device {} --models {}", device, model());
    return made;
  }

  static Measurement collectives_of(const study::Point& point, const std::string& device) {
    Measurement made;
    made.what = Measured::collectives;
    made.words = fmt::format("collectives of {:.0f} {}, by nccl-tests or rccl-tests",
                             point.accelerators, device);
    made.command = fmt::format("scalesweep measure --device {} --read LOG", device);
    return made;
  }

  // Of the question: recommend has one.
  std::string model() const { return store::find_axis(reader_.axes(), "model")->labels.front(); }

  const store::StudyReader& reader_;
  const study::Study& study_;
  const analysis::Verdicts& verdicts_;
  analysis::StudyLayout layout_;
  LayoutReader layouts_;
  std::map<analysis::QuestionKey, analysis::FoundQuestion> found_;
};

bool has_known_bar(const analysis::Contender& point) {
  return point.value > 0.0 && point.error_bar > 0.0;
}

}  // namespace

void add_measurements(const store::StudyReader& reader, const study::Study& study,
                      Answers& answers) {
  const Finder finder(reader, study, answers.verdicts);
  for (Answer& answer : answers.answers) {
    if (!answer.layouts.empty() && has_known_bar(answer.verdict.taken)) {
      answer.measure_next = finder.of(answer);
    }
  }
}

}  // namespace scalesweep::cli
