#include "study/kinds/requests/contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "estimator/reuse/sessions.hpp"
#include "space/axes/together.hpp"
#include "workload/model.hpp"

namespace scalesweep::study {
namespace {

// A key, and how many tokens it asks for.
struct KeyLength {
  std::string_view key;
  double tokens = 0.0;
};

// What positions are needed for in one go.
struct Stretch {
  std::string words;            // "a sequence of 4096 tokens is"
  std::vector<KeyLength> keys;  // the lengths that make it
  SourcePosition position;
  bool is_trained = false;  // as training makes the positions that it needs
  std::string way = {};     // out, where none of the lengths alone is one

  double tokens() const {
    double sum = 0.0;
    for (const KeyLength& key : keys) {
      sum += key.tokens;
    }
    return sum;
  }
};

using Longest = std::optional<Stretch>;

void raise(Longest& longest, Stretch stretch) {
  if (!longest || stretch.tokens() > longest->tokens()) {
    longest = std::move(stretch);
  }
}

Stretch sequence_of(std::string_view key, double tokens, const SourcePosition& position) {
  return {fmt::format("a {} of {} tokens is", key, tokens), {{key, tokens}}, position, true};
}

// Positions begin anew with every document that is packed into a sequence.
Stretch sequence_of(const space::TrainingPhase& phase) {
  return phase.document
             ? sequence_of("document", static_cast<double>(*phase.document), phase.position)
             : sequence_of("sequence", static_cast<double>(*phase.sequence), phase.position);
}

Stretch request_of(double prompt, std::string_view output_key, double output,
                   const SourcePosition& position) {
  return {fmt::format("a prompt of {} and an output of {} tokens are", prompt, output),
          {{"prompt", prompt}, {output_key, output}},
          position};
}

// "output = 7192 or less": of the longest key, if that alone can be made to fit.
std::string way_out(const Stretch& stretch, double positions) {
  if (!stretch.way.empty()) {
    return stretch.way;
  }
  const auto longest =
      std::max_element(stretch.keys.begin(), stretch.keys.end(),
                       [](const KeyLength& a, const KeyLength& b) { return a.tokens < b.tokens; });
  const double rest = stretch.tokens() - longest->tokens;
  if (rest < positions) {
    return fmt::format("{} = {} or less", longest->key, positions - rest);
  }
  return fmt::format("a lower {} and a lower {}", stretch.keys.front().key,
                     stretch.keys.back().key);
}

void check_stretch(const Stretch& stretch, const workload::TransformerModel& model,
                   Diagnostics& diagnostics) {
  const auto positions = static_cast<double>(model.max_positions);
  if (positions <= 0.0 || stretch.tokens() <= positions) {
    return;
  }
  const std::string what = fmt::format("{} more than the context of {}, {} tokens", stretch.words,
                                       model.name, positions);
  if (model.learned_positions && !stretch.is_trained) {
    diagnostics.error(stretch.position,
                      fmt::format("{}, whose positions are learned: it has no others; write {}",
                                  what, way_out(stretch, positions)));
  } else {
    diagnostics.warning(stretch.position,
                        fmt::format("{}; estimates go on as if it had more (within it: {})", what,
                                    way_out(stretch, positions)));
  }
}

// The longest of what has the i-th model of its axis.
class Lengths {
 public:
  Lengths(const space::Spec& spec, std::size_t models, std::size_t model)
      : spec_(spec), axes_(spec.axes), models_(models), model_(model) {}

  Longest longest() const {
    Longest longest;
    add_sequences(longest);
    for (const space::RequestClass& one : spec_.requests) {
      raise(longest, request_of(one.prompt, "output", one.output, one.position));
    }
    if (space::find_axis(axes_, "turns")) {
      std::vector<double> point;
      add_sessions(longest, {}, point);
    } else {
      add_requests(longest);
    }
    return longest;
  }

 private:
  bool has(std::size_t axis, std::size_t i) const {
    return space::meet(axes_, models_, model_, axis, i);
  }

  void add_sequences(Longest& longest) const {
    const auto documents = space::find_axis(axes_, "document");
    const auto axis = documents ? documents : space::find_axis(axes_, "sequence");
    for (std::size_t i = 0; axis && i < axes_[*axis].size(); ++i) {
      if (has(*axis, i)) {
        raise(longest,
              sequence_of(axes_[*axis].name, axes_[*axis].values[i], axes_[*axis].positions[i]));
      }
    }
    for (const space::TrainingPhase& phase : spec_.phases) {
      if (phase.document || phase.sequence) {
        raise(longest, sequence_of(phase));
      }
    }
  }

  // Of answers with a limit the longest ones count.
  void add_requests(Longest& longest) const {
    const char* const key = space::find_axis(axes_, "most_output") ? "most_output" : "output";
    const auto prompts = space::find_axis(axes_, "prompt");
    const auto outputs = space::find_axis(axes_, key);
    if (!prompts || !outputs) {
      return;
    }
    const space::Axis& prompt = axes_[*prompts];
    const space::Axis& output = axes_[*outputs];
    for (std::size_t i = 0; i < prompt.size(); ++i) {
      for (std::size_t j = 0; j < output.size(); ++j) {
        if (has(*prompts, i) && has(*outputs, j) && space::meet(axes_, *prompts, i, *outputs, j)) {
          raise(longest, request_of(prompt.values[i], key, output.values[j],
                                    prompt.values[i] >= output.values[j] ? prompt.positions[i]
                                                                         : output.positions[j]));
        }
      }
    }
  }

  // The last turn of every combination of what makes sessions; of many turns a mean of the last
  // ones. `taken`: values of the first of those axes.
  void add_sessions(Longest& longest, std::vector<std::size_t> taken,
                    std::vector<double>& values) const {
    constexpr std::array names = {"turns", "prompt", "output", "turn_tokens", "turns_law"};
    if (taken.size() == names.size()) {
      add_session(longest, taken.front(), values);
      return;
    }
    const auto axis = space::find_axis(axes_, names[taken.size()]);
    for (std::size_t i = 0; i < (axis ? axes_[*axis].size() : 1); ++i) {
      bool is_point = !axis || has(*axis, i);
      for (std::size_t other = 0; axis && is_point && other < taken.size(); ++other) {
        const auto before = space::find_axis(axes_, names[other]);
        is_point = !before || space::meet(axes_, *before, taken[other], *axis, i);
      }
      if (is_point) {
        std::vector<std::size_t> next = taken;
        next.push_back(i);
        values.push_back(axis ? axes_[*axis].values[i] : 0.0);
        add_sessions(longest, std::move(next), values);
        values.pop_back();
      }
    }
  }

  void add_session(Longest& longest, std::size_t turns, const std::vector<double>& values) const {
    estimator::SessionLaw sessions = {
        .turns = values[0], .prompt = values[1], .output = values[2], .turn_tokens = values[3]};
    const auto law = space::find_axis(axes_, "turns_law");
    sessions.law = law ? *estimator::turns_law_names.find(
                             axes_[*law].labels[static_cast<std::size_t>(values[4])])
                       : estimator::TurnsLaw::fixed;
    const double prompt = estimator::turn_groups(sessions).back().prompt;
    raise(longest, {fmt::format("the last turns of sessions, with prompts of {:.0f} and outputs of "
                                "{} tokens, are",
                                prompt, sessions.output),
                    {{"prompt", prompt}, {"output", sessions.output}},
                    axes_[*space::find_axis(axes_, "turns")].positions[turns],
                    false,
                    "fewer turns, or fewer turn_tokens"});
  }

  const space::Spec& spec_;
  const std::vector<space::Axis>& axes_;
  std::size_t models_;
  std::size_t model_;
};

}  // namespace

void check_contexts(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics) {
  const auto models = space::find_axis(spec.axes, "model");
  for (std::size_t i = 0; models && i < spec.axes[*models].size(); ++i) {
    const std::string& name = spec.axes[*models].labels[i];
    if (!catalog.has(catalog::Section::models, name)) {
      continue;
    }
    if (const Longest longest = Lengths(spec, *models, i).longest()) {
      check_stretch(*longest, catalog.model(name), diagnostics);
    }
  }
}

}  // namespace scalesweep::study
