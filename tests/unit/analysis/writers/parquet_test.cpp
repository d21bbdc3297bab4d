#include "analysis/writers/parquet.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace scalesweep::analysis {
namespace {

using nlohmann::json;
using store::Column;
using store::ColumnType;

store::Schema schema() {
  const auto column = [](const std::string& name, ColumnType type, const std::string& units,
                         const std::vector<std::string>& labels) {
    return Column{name, type, units, name, "what " + name + " is", labels};
  };
  return {column("point_id", ColumnType::i64, "1", {}),
          column("memory", ColumnType::u8, "", {"HBM3", "HBM4 (µ)"}),
          column("size", ColumnType::i32, "1", {}),
          column("small", ColumnType::u8, "1", {}),
          column("time", ColumnType::f64, "s", {}),
          column("energy", ColumnType::f32, "J", {})};
}

store::Table rows(std::int64_t first, std::int64_t last) {
  store::Table table(schema());
  for (std::int64_t id = first; id < last; ++id) {
    table.values<std::int64_t>(0).push_back(id * 10'000'000'000);
    table.values<std::uint8_t>(1).push_back(static_cast<std::uint8_t>(id % 3));  // 2 is no label
    table.values<std::int32_t>(2).push_back(static_cast<std::int32_t>(id % 5) - 1);  // -1: none
    table.values<std::uint8_t>(3).push_back(static_cast<std::uint8_t>(id % 251));
    table.values<double>(4).push_back(0.1 * static_cast<double>(id));
    table.values<float>(5).push_back(id % 7 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                 : 0.5F * static_cast<float>(id));
  }
  return table;
}

// By a reader that knows the specification only.
json read_back(const std::filesystem::path& file) {
  const std::string command =
      std::string("python3 -B '") + READ_PARQUET_SCRIPT + "' '" + file.string() + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 65536> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text.append(buffer.data(), got);
  }
  EXPECT_EQ(::pclose(pipe), 0);
  return json::parse(text);
}

void expect_rows(const json& table, std::int64_t count) {
  const json names = {"HBM3", "HBM4 (µ)", nullptr};
  ASSERT_EQ(table["point_id"].size(), static_cast<std::size_t>(count));
  for (std::int64_t id = 0; id < count; ++id) {
    const auto i = static_cast<std::size_t>(id);
    ASSERT_EQ(table["point_id"][i], id * 10'000'000'000);
    ASSERT_EQ(table["memory"][i], names[static_cast<std::size_t>(id % 3)]);
    ASSERT_EQ(table["size"][i], id % 5 == 0 ? json() : json(id % 5 - 1));
    ASSERT_EQ(table["small"][i], id % 251);
    ASSERT_EQ(table["time"][i], 0.1 * static_cast<double>(id));
    ASSERT_EQ(table["energy"][i], id % 7 == 0 ? json() : json(0.5 * static_cast<double>(id)));
  }
}

TEST(Parquet, ValuesAndTextsComeBack) {
  const test::TemporaryFolder folder;
  {
    std::ofstream out(folder / "a.parquet", std::ios::binary);
    ParquetWriter writer(out, schema(), {{"title", "A study"}});
    writer.add(rows(0, 7));
    writer.add(rows(7, 300));
    writer.finish();
  }
  const json read = read_back(folder / "a.parquet");
  EXPECT_EQ(read["groups"], 1);
  expect_rows(read["table"], 300);
  const json texts = json::parse(read["metadata"]["scalesweep"].get<std::string>());
  EXPECT_EQ(texts["title"], "A study");
  EXPECT_EQ(texts["columns"][4]["name"], "time");
  EXPECT_EQ(texts["columns"][4]["units"], "s");
  EXPECT_EQ(texts["columns"][4]["description"], "what time is");
  EXPECT_EQ(read["columns"]["time"]["units"], "s");
  EXPECT_EQ(read["columns"]["time"]["long_name"], "time");
  EXPECT_EQ(read["columns"]["memory"].count("units"), 0U);  // names have none
}

// What has no value is null, so that a query over all rows counts and orders those that have one.
TEST(Parquet, WhatMayLackAValueIsOptional) {
  const test::TemporaryFolder folder;
  store::Schema all = schema();
  all[1].labels.emplace_back("none");
  all[1].attributes["absent"] = "none";
  store::Table table(all);
  table.resize(9);  // whole bytes of definition levels, and a part of one
  for (std::size_t row = 0; row < 9; ++row) {
    table.values<std::uint8_t>(1)[row] = 2;
    table.values<std::int32_t>(2)[row] = -1;
    table.values<double>(4)[row] = std::numeric_limits<double>::infinity();
    table.values<float>(5)[row] = row == 8 ? 1.5F : std::numeric_limits<float>::quiet_NaN();
  }
  {
    std::ofstream out(folder / "a.parquet", std::ios::binary);
    ParquetWriter writer(out, all, {});
    writer.add(table);
    writer.finish();
  }
  const json read = read_back(folder / "a.parquet");
  for (const char* name : {"memory", "size", "time"}) {
    EXPECT_EQ(read["table"][name], json(std::vector<json>(9))) << name;
    EXPECT_TRUE(read["optional"][name]) << name;
  }
  EXPECT_EQ(read["table"]["energy"][7], json());
  EXPECT_EQ(read["table"]["energy"][8], 1.5);
  EXPECT_FALSE(read["optional"]["point_id"]);
}

TEST(Parquet, NothingIsATableToo) {
  const test::TemporaryFolder folder;
  {
    std::ofstream out(folder / "a.parquet", std::ios::binary);
    ParquetWriter writer(out, schema(), {});
    writer.finish();
  }
  const json read = read_back(folder / "a.parquet");
  EXPECT_EQ(read["groups"], 0);
  EXPECT_EQ(read["table"]["time"].size(), 0u);
}

// Lists of more than fourteen columns are written in another way.
TEST(Parquet, ManyColumnsAndGroups) {
  const test::TemporaryFolder folder;
  store::Schema many;
  for (int c = 0; c < 40; ++c) {
    many.push_back({"c" + std::to_string(c), ColumnType::u8, "1", "", "", {}});
  }
  store::Table part(many);
  part.resize(3);
  {
    std::ofstream out(folder / "a.parquet", std::ios::binary);
    store::Schema one = {many.front()};
    store::Table column(one);
    column.resize(std::size_t{1} << 20);
    ParquetWriter writer(out, one, {});
    writer.add(column);
    column.resize(5);
    writer.add(column);
    writer.finish();
  }
  EXPECT_EQ(read_back(folder / "a.parquet")["groups"], 2);
  {
    std::ofstream out(folder / "b.parquet", std::ios::binary);
    ParquetWriter writer(out, many, {});
    writer.add(part);
    writer.finish();
  }
  EXPECT_EQ(read_back(folder / "b.parquet")["table"].size(), 40u);
}

}  // namespace
}  // namespace scalesweep::analysis
