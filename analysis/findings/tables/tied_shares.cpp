#include <algorithm>
#include <array>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/ties.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

// What a group or resource has of the time of the layouts that tie with a best point.
struct TiedShare {
  std::int64_t point_id = -1;
  std::int64_t layouts = 0;
  std::size_t level = 0;
  std::size_t limit = 0;  // of the names of all levels, behind each other
  ShareRange share;
  bool leads = false;
};

// One row per best point with which others tie, and group and resource.
ResultTable tied_share_table(const TableInputs& in) {
  if (!in.reading.ties_are_known) {
    return {};
  }
  std::vector<std::string> limits = in.resources.groups;
  for (const std::string& name : in.resources.names) {
    add_once(limits, name);
  }
  const std::array<const std::vector<std::string>*, level_count> names = {&in.resources.groups,
                                                                          &in.resources.names};
  const auto ids = integers(in.best.table, in.best.schema, std::string(point_id_column));
  std::vector<TiedShare> rows;
  for (std::size_t row = 0; row < in.reading.ties.size(); ++row) {
    const Ties& ties = in.reading.ties[row];
    for (std::size_t level = 0; ties.layouts > 1 && level < level_count; ++level) {
      for (std::size_t i = 0; i < names[level]->size(); ++i) {
        const auto limit = std::find(limits.begin(), limits.end(), (*names[level])[i]);
        rows.push_back({ids[row], static_cast<std::int64_t>(ties.layouts), level,
                        static_cast<std::size_t>(limit - limits.begin()), ties.shares[level][i],
                        (ties.leaders[level] >> i & 1) != 0});
      }
    }
  }
  const std::string& time = in.reading.shown.time.words;
  TableOf<TiedShare> table(
      "what the layouts within 1 % of the best points are limited by: of each group and resource "
      "the least and the most that one of them has");
  table
      .column(count_column("point_id", "best point", "of which these are the ties"),
              &TiedShare::point_id)
      .column(count_column("layouts", "layouts that tie", "the best included; the nearest 65"),
              &TiedShare::layouts)
      .column(name_column("level", "level", "single resources, or groups of them",
                          {"group", "resource"}),
              &TiedShare::level)
      .column(name_column("limit", "limit", "the group or resource", limits), &TiedShare::limit)
      .column(share_column("share_least", "least share", "of the " + time + ", of one of them"),
              [](const TiedShare& row) { return row.share.least; })
      .column(share_column("share_most", "largest share", "of the " + time + ", of one of them"),
              [](const TiedShare& row) { return row.share.most; })
      .column(yes_no_column("leads", "leads", "has the largest share in one of them"),
              &TiedShare::leads);
  return table.of(rows);
}

}  // namespace

extern constinit const TableSpec tied_shares_spec = {tables::tied_shares, SeenIn::own_views,
                                                     tied_share_table};

}  // namespace scalesweep::analysis
