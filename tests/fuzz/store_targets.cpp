// Chunks of columns, and studies on disk: small ones that are whole, in memory, of which an input
// says where and how one of their files is damaged before it is read.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "core/host/temporary_folder.hpp"
#include "core/text.hpp"
#include "fuzz/laws.hpp"
#include "store/hdf5/chunk_codec.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/seal/verify.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t points = 96;

store::StudyDescription description() {
  using store::ColumnType;
  store::StudyDescription study;
  study.identity = "0123456789abcdef";
  study.identity_parts = {{"spec", "a = 1\n"}, {"catalog", "11111111"}};
  study.points = points;
  study.chunk_rows = 32;
  study.schema = {{"point_id", ColumnType::i64, "1", "point", "Which one this is.", {}},
                  {"status", ColumnType::u8, "", "status", "What became of it.", {"ok", "bad"}},
                  {"kind", ColumnType::i32, "", "kind", "The kind.", {"one", "other"}},
                  {"power", ColumnType::u8, "W", "power", "Of a device.", {"350 W", "0.7 kW"}},
                  {"time", ColumnType::f64, "s", "time", "Of a step.", {}, "time", "smaller"},
                  {"share", ColumnType::f32, "1", "share", "Of the time.", {}}};
  study.axes = {{"kind", "", "Kinds.", {"one", "other"}, {}},
                {"power", "W", "Powers.", {"350 W", "0.7 kW"}, {350.0, 700.0}}};
  store::give_axis_numbers(study.schema, study.axes);
  study.count_names = {"ok", "bad"};
  study.histograms = {{"time", "s", "time", "Of a step.", {1.0, 1.5, 2.0}}};
  study.outcomes = {{{"all", {}}, {"kind", {"kind"}}}, {"", ""}};
  study.root_attributes = {{"title", "A study"},
                           {"objectives", R"([{"minimize":"time"}])"},
                           {"keep", R"({"policy":"all"})"}};
  study.provenance = {{"spec", "a = 1\n"}};
  return study;
}

void write(const fs::path& output, const store::StudyDescription& study, IdRange ids) {
  store::Table rows(study.schema);
  store::Counts counts = store::zero_counts(study);
  for (PointId id = ids.first; id < ids.last; ++id) {
    const auto place = static_cast<std::uint8_t>(id % 2);
    rows.values<std::int64_t>(0).push_back(id);
    rows.values<std::uint8_t>(1).push_back(place);
    rows.values<std::int32_t>(2).push_back(static_cast<std::int32_t>(id / 48));
    rows.values<std::uint8_t>(3).push_back(place);
    rows.values<double>(4).push_back(1.0 + 0.01 * static_cast<double>(id * 37 % 101));
    rows.values<float>(5).push_back(static_cast<float>(id) / 96.0F);
    ++counts[place];
  }
  store::Outcomes outcomes;
  const store::OutcomeNumbers numbers(study);
  for (std::int64_t cell = 0; cell < numbers.cells(); ++cell) {
    outcomes.push_back({cell, ids.size() / numbers.statuses(), 1.0});
  }
  store::write_segment(output, study, ids, rows, counts, store::Durability::scratch, outcomes);
}

// Files of a folder, by their paths in it.
using Files = std::map<fs::path, std::string>;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In memory where that is a folder; what is written there is written again for each input.
const TemporaryFolder& work_folder() {
  if (std::getenv("TMPDIR") == nullptr && fs::is_directory("/dev/shm")) {
    setenv("TMPDIR", "/dev/shm", 0);
  }
  static const TemporaryFolder folder;
  return folder;
}

// A study on disk, whole before each input.
class DiskStudy {
 public:
  enum class Form { merged, by_segment, unfinished };

  DiskStudy(const std::string& name, Form form) : output_(work_folder() / name / "a.h5") {
    fs::create_directory(output_.parent_path());
    const store::StudyDescription study = description();
    store::prepare_output(output_, study, store::Durability::scratch);
    write(output_, study, {0, 40});
    write(output_, study, {40, points});
    if (form != Form::unfinished) {
      store::FinishOptions options;
      options.layout = form == Form::by_segment ? store::Layout::by_segment : store::Layout::merged;
      options.durability = store::Durability::scratch;
      store::finish(output_, study, std::nullopt, options);
    }
    for (const auto& entry : fs::recursive_directory_iterator(output_.parent_path())) {
      if (entry.is_regular_file()) {
        whole_[entry.path()] = bytes_of(entry.path());
      }
    }
  }

  const fs::path& output() const { return output_; }

  // With or without the seal of the file, which tells most damages before HDF5 sees them.
  void damage(Choices& choices, bool unsealed) {
    if (last_ != nullptr) {
      put(last_->first, last_->second);
    }
    auto victim = whole_.begin();
    std::advance(victim, choices.byte() % whole_.size());
    std::string bytes = victim->second;
    if (unsealed && victim->first.extension() == ".h5") {
      bytes.pop_back();
    }
    while (!choices.empty()) {
      damage(bytes, choices);
    }
    put(victim->first, bytes);
    last_ = &*victim;
  }

 private:
  static void put(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  static void fill(std::string& bytes, std::size_t at, std::size_t length, char with) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                std::min(length, bytes.size() - at), with);
  }
  static void damage(std::string& bytes, Choices& choices) {
    const std::uint8_t kind = choices.byte() % 8;
    if (bytes.empty()) {
      bytes.push_back('\0');
    }
    const std::size_t at = choices.below(bytes.size());
    const std::uint8_t value = choices.byte();
    switch (kind) {
      case 0:
        bytes[at] = static_cast<char>(value);
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << value % 8));
        break;
      case 2:
        fill(bytes, at, std::size_t{value} * 4, '\0');
        break;
      case 3:
        fill(bytes, at, value, '\xff');
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5:
        bytes.append(std::size_t{value} * 16, '\0');
        break;
      case 6: {  // what stands elsewhere, of the same length
        const std::string other = bytes.substr(choices.below(bytes.size()), value);
        bytes.replace(at, std::min(other.size(), bytes.size() - at), other, 0,
                      std::min(other.size(), bytes.size() - at));
        break;
      }
      default:
        std::swap(bytes[at], bytes[(at + value) % bytes.size()]);
        break;
    }
  }

  fs::path output_;
  Files whole_;
  const Files::value_type* last_ = nullptr;  // what was damaged, as it was before
};

void add(std::string& answer, const std::string& text) {
  answer += text + '\n';
}

void add(std::string& answer, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts) {
    add(answer, name + "=" + text);
  }
}

// All that a file says, its values as bytes.
std::string read_all(const fs::path& output, store::Unfinished unfinished) {
  const store::StudyReader reader(output, unfinished);
  std::string answer;
  std::vector<std::string> names;
  for (const store::Column& column : reader.schema()) {
    names.push_back(column.name);
    add(answer, column.name + column.units + column.description + column.role);
    add(answer, join(column.labels, ","));
  }
  for (const store::AxisValues& axis : reader.axes()) {
    add(answer, axis.name + axis.units + axis.description + join(axis.labels, ","));
  }
  add(answer, reader.root_attributes());
  add(answer, reader.provenance());
  add(answer, reader.identity_parts());
  for (const auto& [name, count] : reader.counts()) {
    add(answer, name + "=" + std::to_string(count));
  }
  for (const store::StoredHistogram& histogram : reader.histograms()) {
    add(answer, histogram.histogram.name + std::to_string(histogram.counts.size()));
  }
  add(answer, std::to_string(reader.outcomes().size()));
  require(reader.rows() <= reader.points(), "no point has two rows");
  const store::Table table = reader.read(names, 0, reader.rows());
  require(static_cast<std::int64_t>(table.rows()) == reader.rows(), "as many rows as it says");
  for (std::size_t c = 0; c < names.size(); ++c) {
    answer.append(static_cast<const char*>(table.data(c)),
                  table.rows() * store::type_bytes(reader.schema()[c].type));
  }
  const store::ColumnBlocks blocks = reader.blocks(names);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    blocks.read(block);
  }
  return answer;
}

// A file that has its seal says what was written, or is refused.
void read_damaged(const fs::path& output, store::Unfinished unfinished, const std::string& whole) {
  succeeds([&] {
    const std::string answer = read_all(output, unfinished);
    const store::VerifiedStudy verified = store::verify_study(output, 1);
    require(verified.sealed < verified.files || !verified.left_out.empty() || answer == whole,
            "what has a seal says what was written");
  });
}

}  // namespace

void run_codec(Bytes input) {
  Choices choices(input);
  constexpr std::size_t widths[] = {1, 4, 8};
  const std::size_t width = choices.of(widths);
  const std::size_t rows = choices.below(600);
  const std::size_t asked = std::min(choices.below(600), rows);
  static store::ChunkDecoder decoder;
  static store::ChunkEncoder encoder;
  std::vector<std::uint8_t> values(asked * width);
  store::checksum_holds(choices.rest());
  decoder.decode(choices.rest(), width, rows, values);
  const Bytes all = choices.rest();
  const Bytes whole = all.first(std::min(all.size() / width, rows) * width);
  if (rows == 0 || whole.empty()) {
    return;
  }
  const std::span<const std::uint8_t> chunk = encoder.encode(whole, width, rows);
  require(store::checksum_holds(chunk), "the checksum of a chunk holds");
  std::vector<std::uint8_t> decoded(whole.size());
  require(decoder.decode(chunk, width, rows, decoded), "a chunk that was encoded is one");
  require(std::equal(decoded.begin(), decoded.end(), whole.begin()), "values come back");
}

void run_study(Bytes input) {
  static DiskStudy merged("merged", DiskStudy::Form::merged);
  static DiskStudy by_segment("by_segment", DiskStudy::Form::by_segment);
  static const std::string whole = read_all(merged.output(), store::Unfinished::refuse);
  static const std::string linked = read_all(by_segment.output(), store::Unfinished::refuse);
  Choices choices(input);
  const std::uint8_t form = choices.byte();
  DiskStudy& study = form % 2 == 0 ? merged : by_segment;
  study.damage(choices, form / 2 % 2 == 1);
  read_damaged(study.output(), store::Unfinished::refuse, form % 2 == 0 ? whole : linked);
  succeeds([&] { store::read_progress(study.output()); });
  succeeds([&] { store::inspect_output(study.output(), description()); });
}

void run_segments(Bytes input) {
  static DiskStudy study("unfinished", DiskStudy::Form::unfinished);
  static const std::string whole = read_all(study.output(), store::Unfinished::read);
  Choices choices(input);
  study.damage(choices, choices.byte() % 2 == 1);
  read_damaged(study.output(), store::Unfinished::read, whole);
  succeeds([&] { store::read_progress(study.output()); });
  succeeds([&] { store::read_description(study.output()); });
  succeeds([&] { store::inspect_output(study.output(), description()); });
}

}  // namespace scalesweep::fuzz
