#include "store/read/table_file.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/hdf5_lock.hpp"
#include "store/seal/open.hpp"
#include "store/segments/partial_file.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::check;
using h5::Hid;

constexpr std::int64_t longest_chunk_rows = 16384;

void refuse_foreign(const fs::path& path, const std::string& format) {
  std::error_code code;
  if (!fs::exists(fs::symlink_status(path, code))) {
    return;
  }
  std::string found = "it is not an HDF5 file";
  if (fs::is_regular_file(path, code) && H5Fis_hdf5(path.c_str()) > 0) {
    try {
      const Hid file = open_checked(path);
      found = h5::read_text_attribute_or(file.get(), "format", "");
      if (found == format) {
        return;
      }
      found = found.empty() ? "it is another kind of HDF5 file" : fmt::format("it is a {}", found);
    } catch (const h5::Hdf5Error& error) {
      found = error.what();
    }
  }
  throw Failure(ExitCode::cannot_create,
                fmt::format("{}: a file that is no {} stands here ({}); it is left as it is",
                            path.string(), format, found));
}

// Columns that are being written.
class OpenTable {
 public:
  OpenTable(hid_t file, const std::string& name, const Schema& schema, std::int64_t chunk_rows)
      : schema_(schema), group_(h5::create_group(file, name)) {
    NamedTypes types(file);
    for (const Column& column : schema) {
      Hid dataset = create_column(group_.get(), column, types.type_of(column), 0, chunk_rows);
      annotate_column(dataset.get(), column);
      writers_.emplace_back(std::move(dataset), column.name, stored_bytes(column), chunk_rows);
    }
  }

  void add(const Table& table, ChunkEncoder& encoder) {
    SCALESWEEP_EXPECT(table.columns() == schema_.size() && table.rectangular());
    rows_ += table.rows();
    const hsize_t extent = rows_;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      check(H5Dset_extent(writers_[c].dataset(), &extent),
            fmt::format("cannot lengthen '{}'", schema_[c].name));
      writers_[c].append(stored_values(table, c, schema_[c], numbers_), encoder);
    }
  }

  // Says where its chunks lie.
  void finish(const TextAttributes& attributes, ChunkEncoder& encoder,
              std::vector<SealedChunk>& chunks) {
    std::vector<std::string> order;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      writers_[c].finish(encoder);
      writers_[c].add_chunks_to(chunks);
      order.push_back(schema_[c].name);
    }
    for (const auto& [name, text] : attributes) {
      h5::write_text_attribute(group_.get(), name, text);
    }
    h5::write_texts_attribute(group_.get(), "columns", order);
    const std::string what = "cannot attach the dimension scale";
    for (std::size_t c = 1; c < writers_.size(); ++c) {
      if (c == 1) {
        check(H5DSset_scale(writers_[0].dataset(), schema_[0].name.c_str()), what);
      }
      check(H5DSattach_scale(writers_[c].dataset(), writers_[0].dataset(), 0), what);
    }
  }

 private:
  Schema schema_;
  Hid group_;
  std::vector<ColumnWriter> writers_;
  std::vector<double> numbers_;
  hsize_t rows_ = 0;
};

}  // namespace

struct TableFile::Impl {
  explicit Impl(const fs::path& path) : file(path) {}
  PartialFile file;
  ChunkEncoder encoder;
  std::vector<SealedChunk> chunks;
  std::optional<OpenTable> table;  // between begin_table and end_table; closed before the file
};

TableFile::TableFile(const fs::path& path, const std::string& format, std::int64_t version,
                     const TextAttributes& attributes) {
  h5::quiet();
  refuse_foreign(path, format);
  impl_ = std::make_unique<Impl>(path);
  h5::with_file(impl_->file.path(), ExitCode::io, [&] {
    const hid_t root = impl_->file.id();
    TextAttributes all = attributes;
    all.try_emplace("created", timestamp());
    all["format"] = format;
    for (const auto& [name, text] : all) {
      h5::write_text_attribute(root, name, text);
    }
    h5::write_int_attribute(root, "format_version", version);
  });
}

TableFile::~TableFile() = default;
TableFile::TableFile(TableFile&&) noexcept = default;
TableFile& TableFile::operator=(TableFile&&) noexcept = default;

void TableFile::add_table(const std::string& group, const Schema& schema, const Table& table,
                          const TextAttributes& attributes) {
  SCALESWEEP_EXPECT(impl_ && !impl_->table);
  h5::with_file(impl_->file.path(), ExitCode::io, [&] {
    const auto rows = static_cast<std::int64_t>(table.rows());
    OpenTable open(impl_->file.id(), group, schema,
                   std::clamp<std::int64_t>(rows, 1, longest_chunk_rows));
    open.add(table, impl_->encoder);
    open.finish(attributes, impl_->encoder, impl_->chunks);
  });
}

void TableFile::begin_table(const std::string& group, const Schema& schema) {
  SCALESWEEP_EXPECT(impl_ && !impl_->table);
  h5::with_file(impl_->file.path(), ExitCode::io,
                [&] { impl_->table.emplace(impl_->file.id(), group, schema, longest_chunk_rows); });
}

void TableFile::add_rows(const Table& rows) {
  SCALESWEEP_EXPECT(impl_ && impl_->table);
  const h5::LibraryTurn turn;
  h5::with_file(impl_->file.path(), ExitCode::io, [&] { impl_->table->add(rows, impl_->encoder); });
}

void TableFile::end_table(const TextAttributes& attributes) {
  SCALESWEEP_EXPECT(impl_ && impl_->table);
  h5::with_file(impl_->file.path(), ExitCode::io,
                [&] { impl_->table->finish(attributes, impl_->encoder, impl_->chunks); });
  impl_->table.reset();
}

void TableFile::add_text(const std::string& name, std::string_view text) {
  SCALESWEEP_EXPECT(impl_);
  h5::with_file(impl_->file.path(), ExitCode::io,
                [&] { h5::write_text(impl_->file.id(), name, text); });
}

void TableFile::commit() {
  SCALESWEEP_EXPECT(impl_ && !impl_->table);
  impl_->file.commit(Existing::replace, Durability::synced, std::move(impl_->chunks));
}

NamedTable read_table(const fs::path& path, const std::string& group) {
  h5::quiet();
  std::error_code code;
  if (!fs::exists(path, code)) {
    throw Failure(ExitCode::no_input, fmt::format("{}: there is no such file", path.string()));
  }
  return h5::with_file(path, ExitCode::bad_input, [&] {
    const Hid file = open_checked(path);
    const Hid source = h5::open_group(file.get(), group);
    Schema schema;
    std::vector<Hid> datasets;
    for (const std::string& name : h5::read_texts_attribute(source.get(), "columns")) {
      datasets.push_back(h5::open_dataset(source.get(), name));
      schema.push_back(describe_column(datasets.back().get(), name));
    }
    NamedTable result{schema, Table(schema), h5::read_text_attributes(source.get())};
    for (std::size_t c = 0; c < schema.size(); ++c) {
      const std::int64_t rows = shape_of(datasets[c].get(), schema[c].name).rows;
      if (c == 0) {
        result.table.resize(static_cast<std::size_t>(rows));
      }
      if (rows != static_cast<std::int64_t>(result.table.rows())) {
        throw h5::Hdf5Error(fmt::format("the columns of '{}' differ in length", group));
      }
      read_rows(datasets[c].get(), schema[c], 0, rows, result.table.data(c));
    }
    return result;
  });
}

}  // namespace scalesweep::store
