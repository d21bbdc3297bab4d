// What rows of keys set, of a job that is made for it.
#include "keys/setter.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "core/enum_names.hpp"
#include "core/quantity.hpp"
#include "keys/row.hpp"

namespace scalesweep::keys {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

enum class Place { near, far };
constexpr auto place_names = enum_names<Place>("near", "far");

struct Part {
  std::optional<std::int64_t> tokens;
  std::optional<Watts> power;
  std::string name;
  Place place = Place::near;
  double limit_s = 1.0;
};
struct Work {
  std::int64_t batch = 1;
  double share = 0.0;
  Part part = {};
};
struct Other {
  int batch = 1;
};

Work after(const Setters& setters, const std::string& label, double number) {
  static const catalog::Catalog none;
  Work work;
  for (const Setter& one : setters) {
    if (one.target == target_of<Work>) {
      one.set(&work, {0, label, number, none});
    }
  }
  return work;
}

TEST(Setter, AssignsNumbersNamesAndQuantities) {
  EXPECT_EQ(after(sets<&Work::batch>, "8", 8.0).batch, 8);
  EXPECT_EQ(after(sets<&Work::share>, "0.5", 0.5).share, 0.5);
  EXPECT_EQ(after(sets<into<&Work::part, &Part::tokens>>, "4", 4.0).part.tokens, 4);
  EXPECT_EQ(after(sets<into<&Work::part, &Part::power>>, "4 W", 4.0).part.power->si(), 4.0);
  EXPECT_EQ(after(sets<into<&Work::part, &Part::name>>, "N5", 0.0).part.name, "N5");
}

TEST(Setter, TakesWordsAndLimits) {
  EXPECT_EQ(after(sets<word<place_names, &Work::part, &Part::place>>, "far", 1.0).part.place,
            Place::far);
  constexpr auto limits = sets<limit<&Work::part, &Part::limit_s>>;
  EXPECT_EQ(after(limits, "2 s", 2.0).part.limit_s, 2.0);
  EXPECT_EQ(after(limits, "none", std::numeric_limits<double>::infinity()).part.limit_s, 0.0);
}

TEST(Setter, IsOfOneTypeEach) {
  constexpr auto both = sets<&Work::batch, &Other::batch>;
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(both[0].target, target_of<Work>);
  EXPECT_EQ(both[1].target, target_of<Other>);
  constexpr auto each =
      sets_each<[](auto& job, const AxisValue& value) { assign(job.batch, value); }, Work, Other>;
  ASSERT_THAT(each, SizeIs(2));
  EXPECT_EQ(after(each, "3", 3.0).batch, 3);
}

TEST(Setters, ComeInTheOrderOfRowsButForThoseThatChangeALaterOne) {
  constexpr std::array rows = {Row{{.path = "a.part", .axis = "part"}, sets<&Work::share>, "batch"},
                               Row{{.path = "a.batch", .axis = "batch"}, sets<&Work::batch>},
                               Row{{.path = "a.none", .axis = "none"}},
                               Row{{.path = "a.other", .axis = "other"}, sets<&Other::batch>},
                               Row{{.path = "b.batch", .axis = "batch"}, sets<&Work::batch>}};
  std::vector<std::string_view> axes;
  for (const AxisSetter& one : setters_of(target_of<Work>, rows)) {
    axes.push_back(one.axis);
  }
  EXPECT_THAT(axes, ElementsAre("batch", "part"));
}

}  // namespace
}  // namespace scalesweep::keys
