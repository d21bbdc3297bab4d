// How fast rows become durable, beside HDF5's own filters on the same columns.
//
// The table has the shape of a training study: an id, labelled axes, small integers, seconds as
// f64, shares as f32. Values are products and sums of terms per axis. In "all_axes" every value
// depends on every axis, so that low-order bytes are noise; otherwise on eight of ten, so that
// values repeat as axes do. A real study lies in between.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <string>

#include "bench/forked_helpers.hpp"
#include "core/host/processors.hpp"
#include "store/hdf5/columns.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/output.hpp"
#include "store/segments/segment.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::store {
namespace {

constexpr std::int64_t chunk_rows = 16384;
constexpr std::int64_t rows_per_segment = 16 * chunk_rows;
constexpr int axis_columns = 10;
constexpr int integer_columns = 6;
constexpr int double_columns = 8;
constexpr int float_columns = 15;

StudyDescription bench_study(std::int64_t points) {
  StudyDescription study;
  study.identity = "bench";
  study.points = points;
  study.chunk_rows = chunk_rows;
  const auto add = [&](const std::string& name, ColumnType type, int count) {
    for (int c = 0; c < count; ++c) {
      study.schema.push_back({name + std::to_string(c), type, "s", name, name, {}});
    }
  };
  study.schema.push_back({"point_id", ColumnType::i64, "1", "point id", "id", {}});
  add("axis", ColumnType::u8, axis_columns);
  add("integer", ColumnType::i32, integer_columns);
  add("seconds", ColumnType::f64, double_columns);
  add("share", ColumnType::f32, float_columns);
  study.count_names = {"ok"};
  return study;
}

// The last axis varies fastest.
constexpr int radix[axis_columns] = {7, 4, 3, 6, 8, 2, 5, 4, 3, 2};

double term(int column, int axis, int coordinate) {
  return 1e-4 + std::abs(std::sin(column * 7.1 + axis * 3.3 + coordinate * 1.7));
}

Table bench_rows(const StudyDescription& study, IdRange ids, bool all_axes = false) {
  Table table(study.schema);
  table.resize(static_cast<std::size_t>(ids.size()));
  for (std::int64_t id = ids.first; id < ids.last; ++id) {
    const auto row = static_cast<std::size_t>(id - ids.first);
    table.values<std::int64_t>(0)[row] = id;
    int coordinates[axis_columns];
    std::int64_t rest = id;
    for (int a = axis_columns - 1; a >= 0; --a) {
      coordinates[a] = static_cast<int>(rest % radix[a]);
      rest /= radix[a];
      table.values<std::uint8_t>(static_cast<std::size_t>(1 + a))[row] =
          static_cast<std::uint8_t>(coordinates[a]);
    }
    std::size_t column = 1 + axis_columns;
    for (int c = 0; c < integer_columns; ++c, ++column) {
      table.values<std::int32_t>(column)[row] = 1 << coordinates[(c + 3) % axis_columns];
    }
    const auto value = [&](int c) {
      double product = 1.0;
      double sum = 0.0;
      for (int a = 0; a < axis_columns; ++a) {
        if (all_axes || a % 5 != c % 5) {
          product *= term(c, a, coordinates[a]);
          sum += term(c + 1, a, coordinates[a]);
        }
      }
      return product + 1e-3 * sum;
    };
    for (int c = 0; c < double_columns; ++c, ++column) {
      table.values<double>(column)[row] = value(c);
    }
    for (int c = 0; c < float_columns; ++c, ++column) {
      table.values<float>(column)[row] = static_cast<float>(value(c + double_columns));
    }
  }
  return table;
}

void report(benchmark::State& state, std::int64_t rows, std::uintmax_t file_bytes) {
  state.SetItemsProcessed(state.iterations() * rows);
  state.counters["bytes_per_row"] = static_cast<double>(file_bytes) / static_cast<double>(rows);
}

void write_segments(benchmark::State& state) {
  const test::TemporaryFolder folder;
  const StudyDescription study = bench_study(rows_per_segment);
  const Table rows = bench_rows(study, {0, rows_per_segment}, state.range(0) != 0);
  prepare_output(folder / "a.h5", study);
  std::uintmax_t bytes = 0;
  for (auto _ : state) {
    const Segment segment =
        write_segment(folder / "a.h5", study, {0, rows_per_segment}, rows, {rows_per_segment});
    bytes = std::filesystem::file_size(segment.path);
  }
  report(state, rows_per_segment, bytes);
}
BENCHMARK(write_segments)
    ->ArgName("all_axes")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void sync_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  ::fsync(fd);
  ::close(fd);
}

// The same columns and filters through H5Dwrite, closed and fsynced.
void write_bare(const std::filesystem::path& path, const StudyDescription& study,
                const Table& rows) {
  h5::Hid file = h5::owned(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                           H5Fclose, "create");
  for (std::size_t c = 0; c < study.schema.size(); ++c) {
    const h5::Hid stored = file_type(study.schema[c]);
    const h5::Hid dataset =
        create_column(file.get(), study.schema[c], stored.get(), rows_per_segment, chunk_rows);
    const h5::Hid type = h5::owned(H5Dget_type(dataset.get()), H5Tclose, "type");
    h5::check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data(c)),
              "write");
  }
  file.reset();
  sync_file(path);
}

void bare_hdf5(benchmark::State& state) {
  const test::TemporaryFolder folder;
  const StudyDescription study = bench_study(rows_per_segment);
  const Table rows = bench_rows(study, {0, rows_per_segment}, state.range(0) != 0);
  const std::filesystem::path path = folder / "a.h5";
  h5::quiet();
  for (auto _ : state) {
    write_bare(path, study, rows);
  }
  report(state, rows_per_segment, std::filesystem::file_size(path));
}
BENCHMARK(bare_hdf5)
    ->ArgName("all_axes")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Both processes at once, until the slower one has ended.
double seconds_of_two(const std::function<void(int process)>& body) {
  return seconds_of([&] {
    pid_t children[2] = {};
    for (int p = 0; p < 2; ++p) {
      children[p] = ::fork();
      if (children[p] == 0) {
        body(p);
        ::_exit(0);
      }
    }
    for (const pid_t child : children) {
      ::waitpid(child, nullptr, 0);
    }
  });
}

// Merges on so many processes, this one among them. Returns the seconds that it took.
double finish_on(int processes, const std::filesystem::path& output,
                 const StudyDescription& study) {
  MergeHelperOptions options;
  options.output = output;
  options.threads = processes == 1 ? 0 : share_of_processors(processes);
  bench::ForkedHelpers helpers(processes - 1, study, options);
  MergeSharing sharing;
  sharing.ranks = &helpers;
  sharing.threads = options.threads;
  return seconds_of([&] { finish(output, study, std::nullopt, {}, &sharing); });
}

// Two processes write at once: segments, and beside them, in turns, the same by bare HDF5. Then
// both merge the segments, for which the others have nothing.
void two_writers(benchmark::State& state) {
  const test::TemporaryFolder folder;
  constexpr int segments = 4;  // of each process
  constexpr std::int64_t rows_each = segments * rows_per_segment;
  const StudyDescription study = bench_study(2 * rows_each);
  Table rows = bench_rows(study, {0, rows_per_segment}, state.range(0) != 0);
  h5::quiet();
  double ours_s = 0.0;
  double merge_s = 0.0;
  double bare_s = 0.0;
  const auto write_ours = [&](int process) {
    for (int s = 0; s < segments; ++s) {
      const std::int64_t first = process * rows_each + s * rows_per_segment;
      for (std::int64_t row = 0; row < rows_per_segment; ++row) {
        rows.values<std::int64_t>(0)[static_cast<std::size_t>(row)] = first + row;
      }
      write_segment(folder / "a.h5", study, {first, first + rows_per_segment}, rows,
                    {rows_per_segment});
    }
  };
  const auto write_theirs = [&](int process) {
    for (int s = 0; s < segments; ++s) {
      write_bare(folder / ("bare" + std::to_string(process) + std::to_string(s)), study, rows);
    }
  };
  for (auto _ : state) {
    std::filesystem::remove(folder / "a.h5");
    prepare_output(folder / "a.h5", study);
    ours_s += seconds_of_two(write_ours);
    bare_s += seconds_of_two(write_theirs);
    merge_s += finish_on(2, folder / "a.h5", study);
  }
  const double written = static_cast<double>(state.iterations() * 2 * rows_each);
  state.counters["rows_per_s"] = written / ours_s;
  state.counters["bare_rows_per_s"] = written / bare_s;
  state.counters["times_bare"] = bare_s / ours_s;
  state.counters["merged_rows_per_s"] = written / (ours_s + merge_s);
  state.counters["merged_times_bare"] = bare_s / (ours_s + merge_s);
}
BENCHMARK(two_writers)
    ->ArgName("all_axes")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime();

// Bytes of a file through a buffer, fsynced: what a merge cannot undercut where it copies.
void copy_plainly(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int in = ::open(from.c_str(), O_RDONLY);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (ssize_t got = 0; (got = ::read(in, buffer.data(), buffer.size())) > 0;) {
    if (::write(out, buffer.data(), static_cast<std::size_t>(got)) != got) {
      break;
    }
  }
  ::fsync(out);
  ::close(out);
  ::close(in);
}

// Eight segments into one file by so many processes; ragged ones have to be encoded anew.
void merge(benchmark::State& state) {
  const bool ragged = state.range(0) != 0;
  const auto processes = static_cast<int>(state.range(1));
  constexpr std::int64_t segments = 8;
  const test::TemporaryFolder folder;
  const std::int64_t points = segments * rows_per_segment;
  const StudyDescription study = bench_study(points);
  std::uintmax_t bytes = 0;
  double merge_s = 0.0;
  double copy_s = 0.0;
  for (auto _ : state) {
    std::filesystem::remove(folder / "a.h5");
    prepare_output(folder / "a.h5", study);
    for (std::int64_t s = 0; s < segments; ++s) {
      const IdRange ids{s * rows_per_segment, (s + 1) * rows_per_segment};
      Table rows = bench_rows(study, ids);
      if (ragged) {
        rows.resize(rows.rows() - 100);
      }
      write_segment(folder / "a.h5", study, ids, rows, {rows_per_segment});
    }
    const double one_s = finish_on(processes, folder / "a.h5", study);
    copy_s += seconds_of([&] { copy_plainly(folder / "a.h5", folder / "copy"); });
    merge_s += one_s;
    state.SetIterationTime(one_s);
    bytes = std::filesystem::file_size(folder / "a.h5");
  }
  report(state, points, bytes);
  state.counters["times_copy"] = merge_s / copy_s;
  state.counters["MB_per_s"] =
      1e-6 * static_cast<double>(bytes) * static_cast<double>(state.iterations()) / merge_s;
}
BENCHMARK(merge)
    ->ArgNames({"ragged", "processes"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseManualTime();

void read_columns(benchmark::State& state) {
  const test::TemporaryFolder folder;
  const StudyDescription study = bench_study(rows_per_segment);
  prepare_output(folder / "a.h5", study);
  write_segment(folder / "a.h5", study, {0, rows_per_segment},
                bench_rows(study, {0, rows_per_segment}), {rows_per_segment});
  finish(folder / "a.h5", study, std::nullopt);
  std::vector<std::string> names;
  for (const Column& column : study.schema) {
    names.push_back(column.name);
  }
  const StudyReader reader(folder / "a.h5");
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader.read(names, 0, reader.rows()));
  }
  report(state, rows_per_segment, std::filesystem::file_size(folder / "a.h5"));
}
BENCHMARK(read_columns)->Unit(benchmark::kMillisecond)->UseRealTime();

// Checking that segments are intact, as before a run goes on.
void verify_segments(benchmark::State& state) {
  const test::TemporaryFolder folder;
  const StudyDescription study = bench_study(rows_per_segment);
  prepare_output(folder / "a.h5", study);
  const Segment segment =
      write_segment(folder / "a.h5", study, {0, rows_per_segment},
                    bench_rows(study, {0, rows_per_segment}), {rows_per_segment});
  for (auto _ : state) {
    benchmark::DoNotOptimize(inspect_output(folder / "a.h5", study));
  }
  report(state, rows_per_segment, std::filesystem::file_size(segment.path));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(segment.path)));
}
BENCHMARK(verify_segments)->Unit(benchmark::kMillisecond)->UseRealTime();

// Many small segments: items are segments. By headers, as a merge begins and `status` does; with
// all values, as a run that goes on does.
void scan_small_segments(benchmark::State& state) {
  const test::TemporaryFolder folder;
  constexpr std::int64_t segments = 1000;
  constexpr std::int64_t rows_each = 100;
  const StudyDescription study = bench_study(segments * rows_each);
  prepare_output(folder / "a.h5", study);
  for (std::int64_t first = 0; first < study.points; first += rows_each) {
    const IdRange ids{first, first + rows_each};
    write_segment(folder / "a.h5", study, ids, bench_rows(study, ids), {rows_each},
                  Durability::scratch);
  }
  h5::quiet();
  const auto verify = static_cast<Verify>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(scan_segments(folder / "a.h5.d", study, verify));
  }
  state.SetItemsProcessed(state.iterations() * segments);
}
BENCHMARK(scan_small_segments)
    ->ArgName("verify")
    ->Arg(static_cast<int>(Verify::header))
    ->Arg(static_cast<int>(Verify::structure))
    ->Arg(static_cast<int>(Verify::values))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace scalesweep::store
