#include "estimator/recommendation/tables.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace scalesweep::estimator {
namespace {

using parallel::TableSharding;
using workload::TableGroup;

struct Sizes {
  double devices = 1.0;
  double samples = 1.0;  // of a step
  // Of all tables: elements that are stored, that a sample looks up, and of its pooled rows.
  double elements = 0.0;
  double looked_up = 0.0;
  double columns = 0.0;
};

// How one table is placed: a copy everywhere, its rows over all devices, or parts that are dealt
// out.
struct Place {
  enum class Way { copy, everywhere, parts };
  Way way = Way::parts;
  double column_parts = 1.0;
  double row_parts = 1.0;
};

double most_column_parts(const TableGroup& group, double devices) {
  return std::clamp(std::floor(static_cast<double>(group.dim) / least_columns), 1.0, devices);
}

// Parts none of which is more than an even share of what is stored, looked up or sent; of columns
// as long as these are wide enough, since each part of the rows has sums of its own to send.
Place in_even_parts(const TableGroup& group, const Sizes& sizes) {
  const auto dim = static_cast<double>(group.dim);
  const double share = std::max({static_cast<double>(group.rows) * dim / sizes.elements,
                                 group.pooling * dim / sizes.looked_up, dim / sizes.columns});
  constexpr double rounded =
      1.0 - 1e-12;  // one of as many alike as devices is no more than a share
  const double parts = std::ceil(rounded * share * sizes.devices);
  Place place;
  place.column_parts = std::min(parts, most_column_parts(group, sizes.devices));
  place.row_parts =
      std::min(std::ceil(parts / place.column_parts), static_cast<double>(group.rows));
  return place;
}

Place place_of(const TableGroup& group, TableSharding sharding, const Sizes& sizes) {
  switch (sharding) {
    case TableSharding::table:
      return {};
    case TableSharding::column:
      return {Place::Way::parts, most_column_parts(group, sizes.devices), 1.0};
    case TableSharding::row:
      return {Place::Way::everywhere};
    case TableSharding::data:
      return {Place::Way::copy};
    case TableSharding::mixed:
      break;
  }
  // Gradients of a copy are no more than the pooled rows that would travel instead.
  return static_cast<double>(group.rows) <= sizes.samples / sizes.devices
             ? Place{Place::Way::copy}
             : in_even_parts(group, sizes);
}

// A table, or a part of it, that one device has.
struct Item {
  std::size_t group = 0;
  double rows = 0.0;
  double dim = 0.0;
  double pooling = 0.0;  // rows of a sample that are here
  double weight = 0.0;   // by which items are dealt out

  // Columns that are sent of a sample: of a sum, none where it has no row here, or of all rows.
  double sent_columns(bool adds_rows) const {
    return dim * (adds_rows ? std::min(1.0, pooling) : pooling);
  }
};

// Deals items out; the device of each.
std::vector<std::size_t> deal(const std::vector<Item>& items, std::size_t devices) {
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return items[a].weight > items[b].weight; });
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  for (std::size_t device = 0; device < devices; ++device) {
    least.emplace(0.0, device);
  }
  std::vector<std::size_t> device_of(items.size());
  for (const std::size_t item : order) {
    const auto [load, device] = least.top();
    least.pop();
    device_of[item] = device;
    least.emplace(load + items[item].weight, device);
  }
  return device_of;
}

// What devices have of items that are dealt out.
struct Shares {
  std::vector<double> elements, rows, looked_up, columns;

  explicit Shares(std::size_t devices)
      : elements(devices), rows(devices), looked_up(devices), columns(devices) {}
};

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum;
}

class Placing {
 public:
  Placing(const workload::RecommendationModel& model, TableSharding sharding, const Sizes& sizes)
      : model_(model), sharding_(sharding), sizes_(sizes) {}

  PlacedTables run() {
    for (std::size_t i = 0; i < model_.tables.size(); ++i) {
      place(i);
    }
    deal_out();
    placed_.holds_all = sizes_.devices == 1.0 || placed_.sent_indices == 0.0;
    return std::move(placed_);
  }

 private:
  void place(std::size_t index) {
    const TableGroup& group = model_.tables[index];
    const auto count = static_cast<double>(group.count);
    const auto rows = static_cast<double>(group.rows);
    const auto dim = static_cast<double>(group.dim);
    const Place place = place_of(group, sharding_, sizes_);
    switch (place.way) {
      case Place::Way::parts:
        add_items(index, place);
        break;
      case Place::Way::everywhere:
        everywhere(
            {count, rows / sizes_.devices, dim, group.pooling / sizes_.devices, sizes_.samples});
        placed_.sent_indices += count * group.pooling;
        if (group.pooling < sizes_.devices || !model_.adds_rows()) {
          placed_.unpooled_columns += count * group.pooling * dim;
        } else {
          placed_.summed_columns += count * dim;
        }
        break;
      case Place::Way::copy:
        everywhere({count, rows, dim, group.pooling, sizes_.samples / sizes_.devices});
        placed_.copied_elements += count * rows * dim;
        placed_.copied_columns += count * group.pooling * dim;
        placed_.copied_lookups += count * group.pooling;
        break;
    }
  }

  void everywhere(DeviceTables tables) {
    tables.adds_rows = model_.adds_rows();
    placed_.busiest.push_back(tables);
    placed_.elements += tables.count * tables.rows * tables.dim;
    placed_.rows += tables.count * tables.rows;
    even_ += tables.lookups() * tables.dim;
  }

  void add_items(std::size_t index, const Place& place) {
    const TableGroup& group = model_.tables[index];
    const Item item = {index, static_cast<double>(group.rows) / place.row_parts,
                       static_cast<double>(group.dim) / place.column_parts,
                       group.pooling / place.row_parts};
    const double parts = static_cast<double>(group.count) * place.column_parts * place.row_parts;
    items_.insert(items_.end(), static_cast<std::size_t>(parts), item);
    placed_.sent_indices += static_cast<double>(group.count) * place.column_parts * group.pooling;
  }

  static double stored(const Item& item) { return item.rows * item.dim; }
  double looked_up(const Item& item) const { return sizes_.samples * item.pooling * item.dim; }

  void weigh() {
    double all_stored = 0.0;
    double all_looked_up = 0.0;
    for (const Item& item : items_) {
      all_stored += stored(item);
      all_looked_up += looked_up(item);
    }
    for (Item& item : items_) {
      item.weight = stored(item) / all_stored + looked_up(item) / all_looked_up;
    }
  }

  void deal_out() {
    if (items_.empty()) {
      return;
    }
    weigh();
    const auto devices = static_cast<std::size_t>(sizes_.devices);
    const std::vector<std::size_t> device_of = deal(items_, devices);
    Shares shares(devices);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::size_t device = device_of[i];
      shares.elements[device] += stored(items_[i]);
      shares.rows[device] += items_[i].rows;
      shares.looked_up[device] += looked_up(items_[i]);
      shares.columns[device] += items_[i].sent_columns(model_.adds_rows());
    }
    const std::size_t fullest = largest(shares.elements);
    placed_.elements += shares.elements[fullest];
    placed_.rows += shares.rows[fullest];
    placed_.widest_columns = shares.columns[largest(shares.columns)];
    placed_.mean_columns = sum_of(shares.columns) / sizes_.devices;
    const std::size_t busiest = largest(shares.looked_up);
    const double mean = sum_of(shares.looked_up) / sizes_.devices;
    placed_.imbalance = (even_ + shares.looked_up[busiest]) / (even_ + mean);
    add_tables_of(busiest, device_of);
  }

  // Neighbours that are alike are one entry.
  void add_tables_of(std::size_t device, const std::vector<std::size_t>& device_of) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (device_of[i] != device) {
        continue;
      }
      const Item& item = items_[i];
      DeviceTables tables = {1.0,          item.rows,      item.dim,
                             item.pooling, sizes_.samples, model_.adds_rows()};
      DeviceTables* last = placed_.busiest.empty() ? nullptr : &placed_.busiest.back();
      if (last != nullptr) {
        tables.count = last->count;
      }
      if (last != nullptr && *last == tables) {
        last->count += 1.0;
      } else {
        tables.count = 1.0;
        placed_.busiest.push_back(tables);
      }
    }
  }

  const workload::RecommendationModel& model_;
  TableSharding sharding_;
  Sizes sizes_;
  std::vector<Item> items_;
  double even_ = 0.0;  // elements that every device looks up
  PlacedTables placed_;
};

}  // namespace

PlacedTables place_tables(const workload::RecommendationModel& model, TableSharding sharding,
                          std::int64_t devices, std::int64_t samples) {
  Sizes sizes;
  sizes.devices = static_cast<double>(devices);
  sizes.samples = static_cast<double>(samples);
  sizes.elements = model.table_parameters();
  sizes.columns = model.pooled_width();
  for (const TableGroup& group : model.tables) {
    sizes.looked_up +=
        static_cast<double>(group.count) * group.pooling * static_cast<double>(group.dim);
  }
  return Placing(model, sharding, sizes).run();
}

}  // namespace scalesweep::estimator
