#include "analysis/file/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "parallel/strategy.hpp"
#include "space/filter.hpp"

namespace scalesweep::analysis {
namespace {

using store::Column;
using store::ColumnType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<store::AxisValues>& axes() {
  static const std::vector<store::AxisValues> all = {
      {"sequence", "1", "", {"2048", "4096"}, {2048.0, 4096.0}},
      {"memory", "", "", {"HBM3", "HBM4"}, {0.0, 1.0}},
      {"die_area", "m2", "", {"400 mm2", "826 mm2"}, {400e-6, 826e-6}},
      {"scale_up_domain", "1", "", {"8", "72"}, {8.0, 72.0}}};
  return all;
}

Column column(const std::string& name, ColumnType type, const std::string& units,
              const std::vector<std::string>& labels = {}) {
  return {name, type, units, name, "", labels};
}

const store::Schema& schema() {
  static const store::Schema all = {
      column("point_id", ColumnType::i64, "1"),
      column("sequence", ColumnType::u8, "", {"2048", "4096"}),
      column("memory", ColumnType::u8, "", {"HBM3", "HBM4"}),
      column("die_area", ColumnType::u8, "", {"400 mm2", "826 mm2"}),
      column("scale_up_domain", ColumnType::i32, "1"),  // labels that HDF5 has no room for
      column("tensor_parallel", ColumnType::i32, "1"),
      column("zero", ColumnType::u8, "", {"0", "1", "2", "3"}),
      column("recompute", ColumnType::u8, "", {"none", "selective", "full"}),
      column("sequence_parallel", ColumnType::u8, "", {"off", "on"}),
      column("step_time", ColumnType::f64, "s"),
      column("energy_per_step", ColumnType::f32, "J"),
      column("request_rate", ColumnType::f32, "s-1"),
      column("bottleneck", ColumnType::u8, "", {"full", "dram", "none"})};
  return all;
}

// One row per list, in the order of the schema.
store::Table table(const std::vector<std::vector<double>>& rows) {
  store::Table result(schema());
  for (const std::vector<double>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      switch (schema()[c].type) {
        case ColumnType::f64:
          result.values<double>(c).push_back(row[c]);
          break;
        case ColumnType::f32:
          result.values<float>(c).push_back(static_cast<float>(row[c]));
          break;
        case ColumnType::i64:
          result.values<std::int64_t>(c).push_back(static_cast<std::int64_t>(row[c]));
          break;
        case ColumnType::i32:
          result.values<std::int32_t>(c).push_back(static_cast<std::int32_t>(row[c]));
          break;
        case ColumnType::u8:
          result.values<std::uint8_t>(c).push_back(static_cast<std::uint8_t>(row[c]));
          break;
      }
    }
  }
  return result;
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// id, sequence, memory, die_area, scale_up_domain, tensor_parallel, zero, recompute,
// sequence_parallel, step_time, energy_per_step, request_rate, bottleneck
const std::vector<std::vector<double>>& rows() {
  static const std::vector<std::vector<double>> all = {
      {0, 0, 0, 0, 0, 8, 1, 2, 0, 1.5, 3e6, 20, 0},
      {1, 1, 1, 1, 1, 16, 0, 0, 1, 2.5, 1e6, 30, 1},
      {2, 0, 1, 1, 0, 4, 3, 1, 1, nan, nan, nan, 2}};
  return all;
}

std::vector<std::uint8_t> selected(const std::string& text) {
  const Condition condition(text, schema(), axes());
  std::vector<std::uint8_t> holds;
  condition.select(table(rows()), schema(), holds);
  return holds;
}

TEST(Condition, axes_mean_their_values) {
  EXPECT_THAT(selected("sequence == 4096"), ElementsAre(0, 1, 0));
  EXPECT_THAT(selected("memory == 'HBM4'"), ElementsAre(0, 1, 1));
  EXPECT_THAT(selected("memory != \"HBM4\""), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("die_area >= '8 cm2'"), ElementsAre(0, 1, 1));
  EXPECT_THAT(selected("'8 cm2' <= die_area"), ElementsAre(0, 1, 1));
  EXPECT_THAT(selected("die_area == '826 mm2'"), ElementsAre(0, 1, 1));
  EXPECT_THAT(selected("scale_up_domain == 72"), ElementsAre(0, 1, 0));
}

TEST(Condition, enums_mean_their_labels) {
  EXPECT_THAT(selected("recompute == 'full'"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("sequence_parallel"), ElementsAre(0, 1, 1));
  EXPECT_THAT(selected("sequence_parallel == false"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("zero >= 1"), ElementsAre(1, 0, 1));
  // Names of two columns are equal where they read the same, whatever their numbers.
  EXPECT_THAT(selected("recompute == bottleneck"), ElementsAre(1, 0, 0));
}

TEST(Condition, computed_columns_take_quantities_and_bare_numbers) {
  EXPECT_THAT(selected("step_time < '2 s'"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("step_time < '2000 ms'"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("step_time < 2"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("energy_per_step >= '3 MJ'"), ElementsAre(1, 0, 0));
  EXPECT_THAT(selected("request_rate > '25 1/s'"), ElementsAre(0, 1, 0));
  EXPECT_THAT(selected("request_rate > '0.025 ks-1'"), ElementsAre(0, 1, 0));
  EXPECT_THAT(selected("energy_per_step / step_time > 1e6"), ElementsAre(1, 0, 0));
}

TEST(Condition, what_does_not_exist_compares_false) {
  EXPECT_THAT(selected("step_time < 1e9"), ElementsAre(1, 1, 0));
  EXPECT_THAT(selected("step_time >= 1e9"), ElementsAre(0, 0, 0));
  EXPECT_THAT(selected("step_time != 1.5"), ElementsAre(0, 1, 0));
  EXPECT_THAT(selected("step_time == step_time"), ElementsAre(1, 1, 0));
  EXPECT_THAT(selected("not (step_time < 1e9)"), ElementsAre(0, 0, 1));
}

TEST(Condition, short_names_of_sizes) {
  EXPECT_THAT(selected("tp <= 8 and memory == 'HBM4'"), ElementsAre(0, 0, 1));
  EXPECT_THAT(Condition("tp <= 8", schema(), axes()).columns(), ElementsAre("tensor_parallel"));
}

TEST(Condition, names_its_columns_once) {
  const Condition condition("zero == 1 or zero == 2 and step_time < 1", schema(), axes());
  EXPECT_THAT(condition.columns(), ElementsAre("zero", "step_time"));
}

TEST(Condition, without_columns_holds_for_all_or_none) {
  EXPECT_THAT(selected("true"), ElementsAre(1, 1, 1));
  EXPECT_THAT(selected("2 + 3 * 2 == 10"), ElementsAre(0, 0, 0));
  EXPECT_THAT(Condition("true", schema(), axes()).columns(), ElementsAre("point_id"));
}

TEST(Condition, more_rows_than_a_block) {
  std::vector<std::vector<double>> many;
  for (int i = 0; i < 5000; ++i) {
    many.push_back(rows()[0]);
    many.back()[5] = i;
  }
  std::vector<std::uint8_t> holds = {7};
  Condition("tensor_parallel % 7 == 3", schema(), axes()).select(table(many), schema(), holds);
  ASSERT_EQ(holds.size(), 5000u);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    ASSERT_EQ(holds[i], i % 7 == 3 ? 1 : 0) << i;
  }
}

TEST(Condition, an_index_that_stands_for_nothing_is_no_value) {
  std::vector<std::vector<double>> damaged = {rows()[0]};
  damaged[0][2] = 9;
  std::vector<std::uint8_t> holds;
  Condition("memory == 'HBM3' or memory != 'HBM3'", schema(), axes())
      .select(table(damaged), schema(), holds);
  EXPECT_THAT(holds, ElementsAre(0));
}

// Filters of a spec mean the same here: both compute every expression below, and random ones, for
// every combination of axes and strategies.
class LikeFilters : public ::testing::Test {
 protected:
  static std::vector<space::Axis> spec_axes() {
    std::vector<space::Axis> result;
    for (const store::AxisValues& axis : axes()) {
      const space::AxisKind kind = axis.units.empty()  ? space::AxisKind::name
                                   : axis.units == "1" ? space::AxisKind::integer
                                                       : space::AxisKind::quantity;
      result.push_back({axis.name, kind, axis.units, axis.labels, axis.values, {{}, {}}});
    }
    return result;
  }

  static void expect_same(const std::string& text) {
    space::FilterSet filter({{text, {}, 0}}, spec_axes());
    const Condition condition(text, schema(), axes());
    std::vector<std::vector<double>> all;
    std::vector<std::uint8_t> expected;
    for (int i = 0; i < 2 * 2 * 2 * 2 * 4 * 3 * 2; ++i) {
      const std::vector<std::int32_t> index = {i % 2, i / 2 % 2, i / 4 % 2, i / 8 % 2};
      parallel::Strategy strategy;
      strategy.tensor_parallel = 1 << (i / 16 % 4);
      strategy.zero = static_cast<std::int8_t>(i / 16 % 4);
      strategy.recompute = static_cast<parallel::Recompute>(i / 64 % 3);
      strategy.sequence_parallel = i / 192 % 2 == 1;
      all.push_back({double(i), double(index[0]), double(index[1]), double(index[2]),
                     double(index[3]), double(strategy.tensor_parallel), double(strategy.zero),
                     double(i / 64 % 3), double(i / 192 % 2), 0, 0, 0, 0});
      expected.push_back(filter.passes(index, strategy) ? 1 : 0);
    }
    std::vector<std::uint8_t> holds;
    condition.select(table(all), schema(), holds);
    EXPECT_EQ(holds, expected) << text;
  }
};

TEST_F(LikeFilters, in_the_examples_of_the_manual) {
  for (const char* text :
       {"tensor_parallel <= scale_up_domain and not (memory == 'HBM3' and sequence == 2048)",
        "memory == 'HBM4'", "die_area <= '0.0005 m2'", "die_area < '5 cm2'",
        "(memory == 'HBM3' and sequence == 2048) or (memory == 'HBM4' and sequence == 4096)",
        "tensor_parallel == scale_up_domain", "not tensor_parallel == 4 and true",
        "true or true and false", "8 - 2 - tensor_parallel == 5", "-tensor_parallel < -3",
        "tensor_parallel * zero / 4 == 2", "tensor_parallel % 3 == 2", "1e1 > 9.5 and .5 >= 0.5",
        "not sequence_parallel == true", "sequence_parallel == (zero == 1)",
        "(2 < 3) == (tensor_parallel < 4)", "true == not false", "tensor_parallel\n==\t4"}) {
    expect_same(text);
  }
}

// A random expression of the wanted kind.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string condition(int depth) {
    switch (depth <= 0 ? below(4) : below(8)) {
      case 0:
        return "sequence_parallel";
      case 1:
        return below(2) == 0 ? "memory == 'HBM4'" : "'full' != recompute";
      case 2:
        return "die_area " + order() + " '500 mm2'";
      case 3:
      case 4:
        return number(depth - 1) + " " + order() + " " + number(depth - 1);
      case 5:
        return "not " + condition(depth - 1);
      case 6:
        return "(" + condition(depth - 1) + ")";
      default:
        return condition(depth - 1) + (below(2) == 0 ? " and " : " or ") + condition(depth - 1);
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string order() {
    constexpr std::array<const char*, 6> all = {"==", "!=", "<", "<=", ">", ">="};
    return all[static_cast<std::size_t>(below(6))];
  }
  std::string number(int depth) {
    constexpr std::array<const char*, 5> operators = {" + ", " - ", " * ", " / ", " % "};
    switch (depth <= 0 ? below(4) : below(7)) {
      case 0:
        return "tensor_parallel";
      case 1:
        return "zero";
      case 2:
        return std::to_string(below(9));
      case 3:
        return "sequence";
      case 4:
        return "(-" + number(0) + ")";
      case 5:
        return "(" + number(depth - 1) + ")";
      default:
        return number(depth - 1) + operators[static_cast<std::size_t>(below(5))] +
               number(depth - 1);
    }
  }
  std::mt19937 random_;
};

TEST_F(LikeFilters, in_random_expressions) {
  Writer writer(20261122);
  for (int i = 0; i < 300; ++i) {
    expect_same(writer.condition(4));
  }
}

std::string said(const std::string& text) {
  try {
    const Condition condition(text, schema(), axes());
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    return failure.what();
  }
  return "";
}

TEST(ConditionMistakes, show_the_place) {
  EXPECT_EQ(said("zero == 1 and\ntensor_paralel <= 8"),
            "condition: there is no column 'tensor_paralel'; did you mean 'tensor_parallel'?\n"
            "  zero == 1 and tensor_paralel <= 8\n"
            "                ^");
  EXPECT_THAT(said("memory == 'ä' or chunks == 1"), HasSubstr("HBM"));
  EXPECT_THAT(said("'ä' == 'ä' and chunks == 1"),
              HasSubstr("\n  'ä' == 'ä' and chunks == 1\n                 ^"));
}

TEST(ConditionMistakes, syntax) {
  EXPECT_THAT(said(""), HasSubstr("the condition is empty"));
  EXPECT_THAT(said("tensor_parallel <="), HasSubstr("something is missing at the end"));
  EXPECT_THAT(said("(tensor_parallel <= 8"), HasSubstr("a closing parenthesis is missing"));
  EXPECT_THAT(said("(tensor_parallel 8)"), HasSubstr("an operator is missing before this"));
  EXPECT_THAT(said("tensor_parallel <= 8)"), HasSubstr("this parenthesis does not belong here"));
  EXPECT_THAT(said("tensor_parallel <= )"), HasSubstr("this parenthesis does not belong here"));
  EXPECT_THAT(said("tensor_parallel <= * 8"),
              HasSubstr("something is missing before this operator"));
  EXPECT_THAT(said("or zero == 1"), HasSubstr("something is missing before this operator"));
  EXPECT_THAT(said("zero == 1 zero == 1"), HasSubstr("an operator is missing before this"));
  EXPECT_THAT(said("memory == 'HBM4"), HasSubstr("this string has no closing quote"));
  EXPECT_THAT(said("zero == 1 ? true : false"), HasSubstr("'?' has no meaning"));
  EXPECT_THAT(said("zero == 1.2.3"), HasSubstr("'1.2.3' is no number"));
  EXPECT_THAT(said("zero = 1"), HasSubstr("write '==' for '='"));
  EXPECT_THAT(said("max(3, 4) == 4"), HasSubstr("',' has no meaning"));
}

TEST(ConditionMistakes, things_that_do_not_compare) {
  EXPECT_THAT(said("memory < 'HBM4'"), HasSubstr("names have no order"));
  EXPECT_THAT(said("1 < zero < 4"), HasSubstr("for a range write 'a <= x and x <= b'"));
  EXPECT_THAT(said("zero == sequence_parallel"),
              HasSubstr("a number does not compare with a condition"));
  EXPECT_THAT(said("zero and zero == 1"),
              HasSubstr("'and' joins conditions, and one side is a number"));
  EXPECT_THAT(said("not memory"), HasSubstr("'not' takes a condition, not a name"));
  EXPECT_THAT(said("memory + 1 == 2"), HasSubstr("computing takes numbers, not a name"));
  EXPECT_THAT(said("(-memory) == 2"), HasSubstr("'-' takes a number, not a name"));
  EXPECT_THAT(said("true or zero and true"), HasSubstr("joins conditions"));
  EXPECT_THAT(said("tensor_parallel"), HasSubstr("this is a number, and a condition is wanted"));
}

TEST(ConditionMistakes, quantities_and_names) {
  EXPECT_THAT(said("die_area > 800"),
              HasSubstr("a bare number, but die_area is a quantity; write for example '400 mm2'"));
  EXPECT_THAT(said("die_area > '800 W'"), HasSubstr("'W' is a unit of a power"));
  EXPECT_THAT(said("step_time < '2'"), HasSubstr("a bare number, but a time is expected"));
  EXPECT_THAT(said("energy_per_step < '2 s'"), HasSubstr("'2 s' is not in J, with or without an SI "
                                                         "prefix; write for example '2 J'"));
  EXPECT_THAT(said("energy_per_step < 'much'"), HasSubstr("'much' is no number with a unit"));
  EXPECT_THAT(said("request_rate < '2 s'"), HasSubstr("write for example '2 1/s'"));
  EXPECT_THAT(said("sequence == '2048'"), HasSubstr("sequence is a number; write it without"));
  EXPECT_THAT(said("memory == 3"),
              HasSubstr("memory is a name; write it in quotes, for example 'HBM3'"));
  EXPECT_THAT(said("sequence_parallel == 'on'"), HasSubstr("is true or false, without quotes"));
  EXPECT_THAT(said("recompute == 'fll'"),
              HasSubstr("recompute is never 'fll' in this study; did you mean 'full'?"));
  EXPECT_THAT(said("memory == 'HBM5'"), HasSubstr("memory is never 'HBM5'"));
}

}  // namespace
}  // namespace scalesweep::analysis
