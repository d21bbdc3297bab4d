// What the rows of a spec say of axes, held to those that read them: a key whose axis nobody reads
// would change nothing, without a word.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/key_relations.hpp"
#include "estimator/inference/job.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec_axes.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/used_entries.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using config::Key;
using config::KeyKind;
using ::testing::Contains;

// Their values are read by what makes values of other axes or takes the best of them, or by Space,
// whose layouts of training have the rest of the devices.
bool is_made(std::string_view axis) {
  return axis == space::draw_axis || axis == space::searched_axis || axis == "rollout_share";
}

// Of one value, which a kind knows.
space::Axis axis_of(const Key& key) {
  const bool is_value = key.fallback != config::unquoted(key.fallback);
  const std::string_view example = is_value ? key.fallback : config::one_example(key);
  const std::size_t begin = example.find_first_not_of("[\"");
  const std::string_view one = example.substr(std::min(begin, example.size()));
  space::Axis axis;
  axis.name = key.axis;
  axis.labels.emplace_back(one.substr(0, one.find_first_of("\",]")));
  axis.values.push_back(1.0);
  axis.positions.emplace_back();
  return axis;
}

std::vector<const Key*> keys_of(const space::WorkloadForm& form, config::Variants device) {
  std::vector<const Key*> keys = form.keys_of("workload");
  const auto add = [&keys](const std::vector<const Key*>& more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  for (const char* table : {"run", "prefill"}) {
    add(form.keys_of(table));
  }
  for (const char* table : {"system", "system.device", "system.scale_up"}) {
    add(space::keys_in(table, device));
  }
  add(space::keys_in("economics"));
  return keys;
}

std::vector<space::Axis> axes_of(const space::WorkloadForm& form, config::Variants device) {
  std::vector<space::Axis> axes;
  for (const Key* key : keys_of(form, device)) {
    const bool is_derived = key->path == "system.device" && device == space::derived_device;
    const bool has_axis = !key->axis.empty() && !is_made(key->axis) && !is_derived;
    if (has_axis && !space::find_axis(axes, std::string(key->axis))) {
      axes.push_back(axis_of(*key));
    }
  }
  return axes;
}

TEST(AxisRules, ReadEveryAxisThatAKindHas) {
  for (const auto* kind : workload_kinds()) {
    for (const config::Variants device : {space::derived_device, space::catalogued_device}) {
      const std::vector<space::Axis> axes = axes_of(kind->form, device);
      std::set<std::string, std::less<>> read = {"accelerators"};
      const StudyAxes all(axes, {std::shared_ptr<void>(), &test::shipped_catalog()}, &read);
      (void)kind->jobs(space::Spec{}, all);
      (void)SystemResolver(all);
      for (const space::Axis& axis : axes) {
        EXPECT_TRUE(read.contains(axis.name))
            << "nothing of " << kind->form.name << " reads the axis " << axis.name
            << ": say in its row what it sets";
      }
      for (const std::string& name : read) {
        EXPECT_THAT(space::axis_names(), Contains(name)) << "is the axis of no key";
      }
    }
  }
}

// What an entry says, and what a key that stands above it changes.
TEST(AxisRules, ChangeAPartOfAnEntryBehindIt) {
  std::vector<space::Axis> axes(2);
  axes[0].name = "attention";
  axes[0].labels = {"unfused"};
  axes[1].name = "framework";
  axes[1].labels = {"vllm"};
  for (space::Axis& axis : axes) {
    axis.values = {0.0};
  }
  const StudyAxes study(axes, {std::shared_ptr<void>(), &test::shipped_catalog()});
  estimator::InferenceJob job;
  AxisRules<estimator::InferenceJob>(study).apply(study.at(std::array{0, 0}), job);
  EXPECT_FALSE(job.stack.flash_attention);
  EXPECT_TRUE(test::shipped_catalog().framework("vllm").serving.flash_attention);
  EXPECT_EQ(job.stack.prefill_chunk,
            test::shipped_catalog().framework("vllm").serving.prefill_chunk);
}

TEST(NamedAxes, AreOfSectionsOfTheCatalog) {
  for (const Key& key : space::spec_keys()) {
    EXPECT_TRUE(key.names.section.empty() || catalog::section_names.find(key.names.section))
        << key.path << " takes names of " << key.names.section;
  }
  EXPECT_FALSE(named_axes().empty());
}

// Names without words of their own are those of entries, but for formats and series of nodes.
TEST(NamedAxes, AreAllWhoseNamesAreNoWords) {
  const std::set<std::string_view> others = {"precision", "rollout_precision", "scaling"};
  for (const Key& key : space::spec_keys()) {
    const bool takes_names = key.kind == KeyKind::name || key.kind == KeyKind::name_or_table ||
                             key.kind == KeyKind::names_or_tables;
    if (!takes_names || key.axis.empty()) {
      EXPECT_TRUE(key.names.section.empty()) << key.path;
    } else if (key.words.empty() && !others.contains(key.axis)) {
      EXPECT_FALSE(key.names.section.empty()) << key.path << ": say of which section";
    }
  }
}

}  // namespace
}  // namespace scalesweep::study
