#include "unit/store/sample_study.hpp"
#include "store/merge/finish.hpp"
#include "store/segments/output.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace scalesweep::store::test {

bool keep_all(PointId) {
  return true;
}

bool keep_some(PointId id) {
  return (id * 2654435761 / 97) % 3 != 0;
}

namespace {

// All that a file may have.
std::map<std::string, std::string> sample_attributes() {
  return {{"title", "A sample"},
          {"source", "scalesweep"},
          {"history", "made"},
          {"references", "a paper"},
          {"institution", "here"},
          {"license", "CC0-1.0"},
          {"objectives", R"([{"minimize":"step_time"}])"},
          {"keep", R"({"policy":"all"})"},
          {"together", R"([["logic","memory"]])"},
          {"search", R"({"axes":["die_area"],"find":"best","method":"bounds"})"},
          {"summary", "Numbers."},
          {"keywords", "samples, tests"},
          {"creator_name", "B, A"},
          {"creator_type", "person"},
          {"creator_email", "a@b"},
          {"creator_institution", "C"},
          {"contact", "a@b"},
          {"creator_url", "https://orcid.org/0000-0002-1825-0097"},
          {"project", "P"},
          {"acknowledgement", "Funded by F"},
          {"publisher_name", "Z"},
          {"related", "Cites https://example.org"},
          {"id", "10.1234/5"},
          {"naming_authority", "org.doi"},
          {"product_version", "1"}};
}

}  // namespace

StudyDescription sample_study(std::int64_t points, std::int64_t chunk_rows) {
  StudyDescription study;
  study.identity = "0123456789abcdef";
  study.identity_parts = {
      {"spec", "a = 1\nb = 2\nc = 3\n"}, {"catalog", "11111111"}, {"estimator", "22222222"}};
  study.points = points;
  study.chunk_rows = chunk_rows;
  study.schema = {
      {"point_id", ColumnType::i64, "1", "point", "Which configuration this is.", {}},
      {"status", ColumnType::u8, "", "status", "Whether it fits.", {"ok", "memory", "range"}},
      {"memory",
       ColumnType::i32,
       "",
       "memory",
       "The memory generation.",
       {"HBM2", "HBM3 (µ)"},
       "",
       "",
       {{"absent", "none"}}},
      {"step_time",
       ColumnType::f64,
       "s",
       "step time",
       "Time of a training step.",
       {},
       "time",
       "smaller"},
      {"dram_time", ColumnType::f32, "s", "DRAM time", "What DRAM is charged for.", {}},
      {"tensor_parallel",
       ColumnType::i32,
       "1",
       "tensor parallel",
       "Degree.",
       {},
       "strategy",
       "",
       {{"short_name", "TP"}, {"default", "1"}, {"follows", "accelerators"}}},
      {"recompute", ColumnType::u8, "1", "recompute", "A small number.", {}},
      {"power", ColumnType::u8, "", "power", "Of a device.", {"350 W", "0.7 kW"}},
  };
  study.axes = {{"memory", "", "Memory generations.", {"HBM2", "HBM3 (µ)"}, {}},
                {"power", "W", "Powers.", {"350 W", "0.7 kW"}, {350.0, 700.0}}};
  give_axis_numbers(study.schema, study.axes);
  study.axes.insert(study.axes.begin() + 1,
                    {"tensor_parallel", "1", "Degrees.", {}, {1.0, 2.0, 4.0, 8.0}});
  study.count_names = {"ok", "memory", "range", "filtered"};
  study.root_attributes = sample_attributes();
  study.provenance = {{"spec", "a = 1\nb = 2\nc = 3\n"}, {"hosts", "node1"}};
  return study;
}

Table sample_rows(const StudyDescription& study, IdRange ids, const Keep& keep) {
  Table table(study.schema);
  for (PointId id = ids.first; id < ids.last; ++id) {
    if (!keep(id)) {
      continue;
    }
    const double noise = std::sin(static_cast<double>(id) * 12.9898) * 43758.5453;
    table.values<std::int64_t>(0).push_back(id);
    table.values<std::uint8_t>(1).push_back(static_cast<std::uint8_t>(id % 3));
    table.values<std::int32_t>(2).push_back(static_cast<std::int32_t>(id / 50 % 2));
    table.values<double>(3).push_back(1.0 + noise - std::floor(noise));
    table.values<float>(4).push_back(static_cast<float>(noise));
    table.values<std::int32_t>(5).push_back(1 << (id / 10 % 4));
    table.values<std::uint8_t>(6).push_back(static_cast<std::uint8_t>(id % 251));
    table.values<std::uint8_t>(7).push_back(static_cast<std::uint8_t>(id / 30 % 2));
  }
  return table;
}

Counts sample_counts(IdRange ids, const Keep& keep) {
  Counts counts(4, 0);
  for (PointId id = ids.first; id < ids.last; ++id) {
    ++counts[keep(id) ? static_cast<std::size_t>(id % 3) : 3];
  }
  return counts;
}

Segment write_sample(const std::filesystem::path& output, const StudyDescription& study,
                     IdRange ids, const Keep& keep) {
  return write_segment(output, study, ids, sample_rows(study, ids, keep), sample_counts(ids, keep));
}

void write_study(const std::filesystem::path& output, const StudyDescription& study,
                 const std::vector<std::int64_t>& bounds, const Keep& keep) {
  prepare_output(output, study);
  for (std::size_t b = 0; b + 1 < bounds.size(); ++b) {
    write_sample(output, study, {bounds[b], bounds[b + 1]}, keep);
  }
  finish(output, study, std::nullopt);
}

void expect_equal(const Table& a, const Table& b, const Schema& schema) {
  ASSERT_EQ(a.columns(), schema.size());
  ASSERT_EQ(b.columns(), schema.size());
  for (std::size_t c = 0; c < schema.size(); ++c) {
    switch (schema[c].type) {
      case ColumnType::f64:
        EXPECT_EQ(a.values<double>(c), b.values<double>(c)) << schema[c].name;
        break;
      case ColumnType::f32:
        EXPECT_EQ(a.values<float>(c), b.values<float>(c)) << schema[c].name;
        break;
      case ColumnType::i64:
        EXPECT_EQ(a.values<std::int64_t>(c), b.values<std::int64_t>(c)) << schema[c].name;
        break;
      case ColumnType::i32:
        EXPECT_EQ(a.values<std::int32_t>(c), b.values<std::int32_t>(c)) << schema[c].name;
        break;
      case ColumnType::u8:
        EXPECT_EQ(a.values<std::uint8_t>(c), b.values<std::uint8_t>(c)) << schema[c].name;
        break;
    }
  }
}

CommandResult run_command(const std::string& command) {
  CommandResult result;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    return {127, "cannot start a shell"};
  }
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

bool has_command(const std::string& name) {
  return run_command("command -v " + name).exit == 0;
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

std::size_t unsealed_size(const std::string& bytes) {
  constexpr std::size_t from_end = 72;
  std::uint64_t size = 0;
  bytes.copy(reinterpret_cast<char*>(&size), sizeof size, bytes.size() - from_end);
  return size;
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
}

std::vector<std::string> folder_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace scalesweep::store::test
