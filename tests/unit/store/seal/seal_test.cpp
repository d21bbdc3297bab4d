// The seal of files: what it covers, what it lets pass, and what becomes of files without one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include "core/failure.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/read/table_file.hpp"
#include "store/seal/open.hpp"
#include "store/seal/seal.hpp"
#include "store/seal/trial.hpp"
#include "store/seal/verify.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hdf5Error;
using scalesweep::test::failure_of;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

constexpr std::size_t entry_bytes = 16;
constexpr std::size_t foot_bytes = 96;

std::string sealed(const std::string& text, const std::vector<SealedChunk>& chunks) {
  const std::vector<std::uint8_t> seal = seal_of(bytes_of(text), chunks);
  return text + std::string(seal.begin(), seal.end());
}

bool is_refused(const fs::path& path) {
  try {
    check_seal(path);
  } catch (const Hdf5Error&) {
    return true;
  }
  return false;
}

TEST(Seal, CoversEveryByteOutsideOfChunks) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const std::string whole =
      sealed("0123456789abcdefghij", {{12, {3, 7}}, {4, {2, 8}}, {15, {0, 0}}, {15, {2, 9}}});
  test::write_bytes(path, whole);
  EXPECT_EQ(check_seal(path), Seal::whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    test::write_bytes(path, changed);
    const bool in_chunk = (4 <= i && i < 6) || (12 <= i && i < 17);
    const std::size_t magic = 20 + (2 + 4) * entry_bytes;  // behind two extents and the chunks
    const bool in_magic = i >= magic && i < magic + 8;
    if (in_magic) {
      EXPECT_EQ(check_seal(path), Seal::none) << i;
    } else {
      EXPECT_EQ(is_refused(path), !in_chunk) << i;
    }
  }
}

TEST(Seal, IsTheSameOfAFileAsOfItsBytes) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const std::string text(700'000, 'x');  // more than is read at once
  test::write_bytes(path, text);
  const std::vector<SealedChunk> chunks = {{300'000, {1'000, 0x12345678}}};
  const int descriptor = ::open(path.c_str(), O_RDWR);
  EXPECT_EQ(append_seal(descriptor, chunks), 0);
  const std::vector<SealedChunk> read = sealed_chunks(descriptor);
  ::close(descriptor);
  EXPECT_EQ(test::file_bytes(path), sealed(text, chunks));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].first, chunks[0].first);
  EXPECT_EQ(read[0].sum, chunks[0].sum);
}

TEST(Seal, OfAbsurdNumbersDoesNotHold) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const std::string whole = sealed("0123456789", {{2, {3, 7}}});
  const std::size_t foot = whole.size() - foot_bytes;
  for (const std::size_t at : {foot + 8, foot + 16, foot + 24, foot - entry_bytes,
                               foot - entry_bytes + 8, foot - 2 * entry_bytes}) {
    for (const char byte : {'\x7f', '\xff'}) {
      std::string changed = whole;
      changed.replace(at, 8, 8, byte);
      test::write_bytes(path, changed);
      EXPECT_TRUE(is_refused(path)) << at;
    }
  }
  for (const std::size_t size : {0U, 1U, 95U, 96U}) {
    test::write_bytes(path, whole.substr(whole.size() - size));
    EXPECT_TRUE(size < foot_bytes ? check_seal(path) == Seal::none : is_refused(path)) << size;
  }
  EXPECT_EQ(check_seal(folder / "none"), Seal::none);
  EXPECT_EQ(check_seal(folder.path()), Seal::none);
}

// As many files as there may be are open already.
TEST(Seal, IsNotSaidToBeBrokenWhereNoFileCanBeOpened) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  test::write_bytes(path, sealed("0123456789", {}));
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY);
  ::close(next);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Failure failure = failure_of([&] { check_seal(path); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(failure.what(), HasSubstr("cannot be opened: Too many open files; nothing is known"));
  EXPECT_EQ(check_seal(path), Seal::whole);
}

class Sealed : public testing::TestWithParam<Layout> {
 protected:
  void SetUp() override {
    h5::quiet();
    prepare_output(output, study);
    test::write_sample(output, study, {0, 130}, keep_all);
    segment = test::write_sample(output, study, {130, 300}, keep_all).path;
  }
  void finish_as(Layout layout) {
    FinishOptions options;
    options.layout = layout;
    finish(output, study, std::nullopt, options);
  }
  Table rows(const StudyReader& reader) const {
    std::vector<std::string> names;
    for (const Column& column : study.schema) {
      names.push_back(column.name);
    }
    return reader.read(names, 0, reader.rows());
  }

  static std::vector<SealedChunk> chunks_of(const fs::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY);
    std::vector<SealedChunk> chunks = sealed_chunks(descriptor);
    ::close(descriptor);
    return chunks;
  }
  // Where a merge leaves bytes out, so that a block begins at a page.
  static bool is_between(const std::vector<SealedChunk>& chunks, std::size_t at) {
    constexpr std::size_t page = 4096;
    for (const SealedChunk& chunk : chunks) {
      const std::size_t end = chunk.first + chunk.sum.bytes;
      const bool is_last = &chunk == &chunks.back();
      const std::size_t next = is_last ? (end + page - 1) / page * page : (&chunk + 1)->first;
      if (end <= at && at < next) {
        return true;
      }
    }
    return false;
  }
  // By every way of reading rows.
  void expect_damage_told(const fs::path& file, const std::string& bytes) const {
    test::write_bytes(file, bytes);
    const StudyReader reader(output);
    for (const Failure& failure :
         {failure_of([&] { rows(reader); }), failure_of([&] { verify_study(output); })}) {
      EXPECT_EQ(failure.code(), ExitCode::io);
      EXPECT_THAT(failure.what(), HasSubstr("its checksum does not hold; copy it again"));
    }
  }

  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  fs::path segment;
  StudyDescription study = test::sample_study(300, 64);
};

INSTANTIATE_TEST_SUITE_P(Layouts, Sealed, testing::Values(Layout::merged, Layout::by_segment));

TEST_P(Sealed, EveryFileIsAndHasNoByteThatMayChange) {
  finish_as(GetParam());
  const std::string whole = test::file_bytes(output);
  EXPECT_TRUE(is_sealed(output));
  const std::vector<SealedChunk> chunks = chunks_of(output);
  std::mt19937 generator(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::string changed = whole;
    const std::size_t at = generator() % changed.size();
    changed[at] = static_cast<char>(changed[at] ^ (1 << generator() % 8));
    test::write_bytes(output, changed);
    const Failure failure = failure_of([&] {
      const StudyReader reader(output);
      test::expect_equal(rows(reader), test::sample_rows(study, {0, 300}, keep_all), study.schema);
      EXPECT_EQ(reader.provenance(), study.provenance);
    });
    const std::size_t mark = whole.size() - foot_bytes;
    const bool may_change = (mark <= at && at < mark + 8) || is_between(chunks, at);
    EXPECT_EQ(failure.code() == ExitCode::ok, may_change) << at;
  }
}

// Each holds by its own checksum, wherever it lies.
TEST_P(Sealed, ChunksThatChangedPlacesAreTold) {
  finish_as(GetParam());
  const fs::path file = GetParam() == Layout::merged ? output : segment;
  const std::string whole = test::file_bytes(file);
  const std::vector<SealedChunk> chunks = chunks_of(file);
  int swapped = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    for (std::size_t j = i + 1; j < chunks.size(); ++j) {
      if (chunks[i].sum.bytes != chunks[j].sum.bytes || chunks[i].sum == chunks[j].sum) {
        continue;
      }
      ++swapped;
      std::string changed = whole;
      changed.replace(chunks[i].first, chunks[i].sum.bytes, whole, chunks[j].first,
                      chunks[j].sum.bytes);
      changed.replace(chunks[j].first, chunks[j].sum.bytes, whole, chunks[i].first,
                      chunks[i].sum.bytes);
      expect_damage_told(file, changed);
    }
  }
  EXPECT_GT(swapped, 0);
}

// To fletcher32 they are the same.
TEST_P(Sealed, OnesForZerosInAChunkAreTold) {
  finish_as(GetParam());
  const fs::path file = GetParam() == Layout::merged ? output : segment;
  std::string changed = test::file_bytes(file);
  for (const SealedChunk& chunk : chunks_of(file)) {
    for (std::size_t at = chunk.first; at + 6 <= chunk.first + chunk.sum.bytes; at += 2) {
      if (changed[at] == '\0' && changed[at + 1] == '\0') {
        changed.replace(at, 2, "\xff\xff");
        expect_damage_told(file, changed);
        return;
      }
    }
  }
  FAIL() << "no chunk has zeros";
}

TEST_P(Sealed, VerifyReadsAllOfIt) {
  finish_as(GetParam());
  const VerifiedStudy verified = verify_study(output);
  EXPECT_EQ(verified.rows, 300);
  EXPECT_EQ(verified.files, GetParam() == Layout::merged ? 1 : 3);
  EXPECT_EQ(verified.sealed, verified.files);
  EXPECT_THAT(verified.left_out, IsEmpty());
}

// As h5py does with "r+".
TEST_P(Sealed, AnotherProgramTakesTheSealOff) {
  finish_as(GetParam());
  {
    const h5::Hid file = h5::owned(H5Fopen(output.c_str(), H5F_ACC_RDWR, h5::file_access().get()),
                                   H5Fclose, "cannot open");
    h5::write_text_attribute(file.get(), "remark", "mine");
  }
  EXPECT_FALSE(is_sealed(output));
  EXPECT_EQ(StudyReader(output).root_attribute("remark"), "mine");
  const VerifiedStudy verified = verify_study(output);
  EXPECT_EQ(verified.files - verified.sealed, 1);
}

TEST_P(Sealed, WhatIsCutOffTheSealOrPutBehindItDoesNotMatter) {
  finish_as(GetParam());
  const std::string whole = test::file_bytes(output);
  for (const std::string& bytes : {whole.substr(0, whole.size() - 1), whole + "x"}) {
    test::write_bytes(output, bytes);
    EXPECT_FALSE(is_sealed(output));
    EXPECT_EQ(StudyReader(output).rows(), 300);
  }
}

class SealedParts : public Sealed {};

TEST_F(SealedParts, OfAnUnfinishedStudyAreVerifiedAndLeftOutWhereDamaged) {
  VerifiedStudy verified = verify_study(output);
  EXPECT_EQ(verified.rows, 300);
  EXPECT_EQ(verified.files, 3);
  EXPECT_EQ(verified.sealed, 3);
  std::string changed = test::file_bytes(segment);
  changed[changed.find("committed_rows")] = 'C';
  test::write_bytes(segment, changed);
  verified = verify_study(output);
  EXPECT_EQ(verified.rows, 130);
  EXPECT_EQ(verified.files, 2);
  EXPECT_THAT(verified.left_out, ElementsAre(HasSubstr("its seal does not hold")));
}

TEST_F(SealedParts, ADescriptionThatWasChangedIsToldAndWrittenAgain) {
  const fs::path description = output.string() + ".d/study.json";
  std::string text = test::file_bytes(description);
  const std::size_t title = text.find("\"title\": \"") + 10;
  text[title] = text[title] == 'x' ? 'y' : 'x';
  test::write_bytes(description, text);
  const OutputReport report = inspect_output(output, study);
  EXPECT_EQ(report.state, OutputState::resumable);
  EXPECT_EQ(report.segments.size(), 2U);
  EXPECT_THAT(report.ignored, ElementsAre("study.json: it is not what was written: its digest does "
                                          "not hold"));
  EXPECT_THAT(failure_of([&] { read_progress(output); }).what(),
              HasSubstr("its digest does not hold"));
  prepare_output(output, study);
  EXPECT_THAT(inspect_output(output, study).ignored, IsEmpty());
  fs::remove(description);
  EXPECT_THAT(inspect_output(output, study).ignored, ElementsAre("study.json: it is missing"));
}

TEST_F(SealedParts, WithoutEitherDescriptionTheFolderIsNoStudys) {
  const std::string folder_name = output.string() + ".d/";
  std::string text = test::file_bytes(folder_name + "study.h5");
  text[text.find("A sample")] = 'B';
  test::write_bytes(folder_name + "study.h5", text);
  EXPECT_EQ(inspect_output(output, study).state, OutputState::resumable);
  test::write_bytes(folder_name + "study.json", "{");
  EXPECT_EQ(inspect_output(output, study).state, OutputState::foreign);
  fs::remove(folder_name + "study.json");
  EXPECT_EQ(inspect_output(output, study).state, OutputState::foreign);
}

// The other way round.
TEST_F(SealedParts, ADamagedTemplateIsWrittenAgain) {
  const fs::path path = output.string() + ".d/study.h5";
  const std::string whole = test::file_bytes(path);
  for (const std::string& damaged : {std::string(), whole.substr(0, 200), "x" + whole.substr(1)}) {
    test::write_bytes(path, damaged);
    prepare_output(output, study);
    EXPECT_TRUE(is_sealed(path));
    EXPECT_EQ(read_description(output).identity, study.identity);
  }
}

TEST_F(SealedParts, AStudyWithoutOneIsReadAfterATrial) {
  finish_as(Layout::merged);
  const std::string whole = test::file_bytes(output);
  test::write_bytes(output, whole.substr(0, whole.size() - 1));
  EXPECT_NO_THROW(try_in_child(output));
  EXPECT_NO_THROW(try_in_child(folder / "none"));
  test::write_bytes(folder / "text", "these are my notes");
  EXPECT_NO_THROW(try_in_child(folder / "text"));
}

TEST(Seal, OfATableCoversAllButItsChunks) {
  const TemporaryFolder folder;
  const fs::path path = folder / "table.h5";
  const Schema schema = {{"id", ColumnType::i64, "1", "id", "An id.", {}},
                         {"time", ColumnType::f64, "s", "time", "Its time.", {}}};
  Table rows(schema);
  rows.resize(20'000);
  const auto write = [&] {
    TableFile file(path, "scalesweep-table", 1, {});
    file.begin_table("one", schema);
    file.add_rows(rows);
    file.end_table();
    file.add_table("other", schema, rows);
    file.add_text("told", "of it");
    file.commit();
  };
  write();
  EXPECT_TRUE(is_sealed(path));
  EXPECT_EQ(read_table(path, "one").table.rows(), 20'000U);
  std::string bytes = test::file_bytes(path);
  bytes[bytes.find("An id.")] = 'a';
  test::write_bytes(path, bytes);
  const Failure failure = failure_of([&] { read_table(path, "one"); });
  EXPECT_EQ(failure.code(), ExitCode::bad_input);
  EXPECT_THAT(failure.what(), HasSubstr("its seal does not hold"));
}

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return text;
}

// They reserve more memory than there is.
bool with_sanitizers() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages > std::int64_t{1} << 28;
}

// Without its seal, with `bytes` at a place: what HDF5 makes of that ends in the child.
class Harmful : public SealedParts {
 protected:
  void SetUp() override {
    SealedParts::SetUp();
    finish_as(Layout::merged);
    const std::string with_seal = test::file_bytes(output);
    whole = with_seal.substr(0, test::unsealed_size(with_seal));
    heap = whole.find("GCOL");  // where texts are
    ASSERT_NE(heap, std::string::npos);
  }
  void expect_refused(std::size_t at, const std::string& bytes, const std::string& why) {
    std::string changed = whole;
    changed.replace(at, bytes.size(), bytes);
    test::write_bytes(output, changed);
    for (const auto& reading : std::vector<std::function<void()>>{
             [&] { StudyReader reader(output); }, [&] { read_progress(output); }}) {
      const Failure failure = failure_of(reading);
      EXPECT_EQ(failure.code(), ExitCode::bad_input);
      EXPECT_THAT(failure.what(), HasSubstr("a.h5: it is damaged: "));
      EXPECT_THAT(failure.what(), HasSubstr(why));
      EXPECT_THAT(failure.what(), HasSubstr("; copy it again, or remove it"));
    }
  }

  std::string whole;
  std::size_t heap = 0;
};

// The size of a text in a heap of texts, by which HDF5 goes on to the next one.
TEST_F(Harmful, AnEndlessLoopIsEnded) {
  expect_refused(heap + 16, std::string(64, '\0'),
                 with_sanitizers() ? "did not come to its end with it in 10 s"
                                   : "did not come to its end with it in 2 s");
}

// The size of a text in a heap, as many bytes of which HDF5 copies.
TEST_F(Harmful, ACrashIsSurvived) {
  expect_refused(
      heap + 24, little_endian(0x10000000, 8),
      with_sanitizers() ? "ends the program on it, with status 1" : "crashes on it, by signal 11");
}

// Whoever makes such a file can make a seal for it, too.
TEST_F(Harmful, ASealThatHoldsDoesNotKeepTheChildAway) {
  EXPECT_NO_THROW(try_sealed_files(output));
  std::string changed = whole;
  changed.replace(heap + 16, 64, std::string(64, '\0'));
  test::write_bytes(output, sealed(changed, {}));
  EXPECT_EQ(check_seal(output), Seal::whole);
  const Failure failure = failure_of([&] { try_sealed_files(output); });
  EXPECT_EQ(failure.code(), ExitCode::bad_input);
  EXPECT_THAT(failure.what(), HasSubstr("a.h5: it is damaged: HDF5 did not come to its end"));
}

// Whether HDF5 crashes depends on what lies behind the heap in memory, so that a child may get by.
TEST_F(Harmful, LengthsThatLeadOutOfAHeapAreNotFollowed) {
  const auto first_text = [&](std::uint64_t length) {
    std::string changed = whole;
    changed.replace(heap + 24, 8, little_endian(length, 8));
    test::write_bytes(output, changed);
    h5::quiet();
    const h5::Hid file = open_again(output);
    h5::read_text_attribute(file.get(), "format");
  };
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data() + heap + 24, 8);
  EXPECT_NO_THROW(first_text(length));
  std::uint64_t of_heap = 0;
  std::memcpy(&of_heap, whole.data() + heap + 8, 8);
  for (const std::uint64_t other : {of_heap - 16, of_heap, ~std::uint64_t{0}, ~std::uint64_t{7}}) {
    try {
      first_text(other);
      ADD_FAILURE() << other;
    } catch (const Hdf5Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("its texts are damaged")) << other;
    }
  }
}

// The length of a text that says where it is, for which HDF5 takes memory.
TEST_F(Harmful, AllMemoryIsNotTaken) {
  if (with_sanitizers()) {
    GTEST_SKIP() << "memory has no limit there";
  }
  const std::string& text = study.provenance.begin()->second;
  const std::string reference = little_endian(text.size(), 4) + little_endian(heap, 8);
  const std::size_t at = whole.find(reference);
  ASSERT_NE(at, std::string::npos);
  expect_refused(at, little_endian(0x7fffffff, 4), "would take more memory");
}

}  // namespace
}  // namespace scalesweep::store
