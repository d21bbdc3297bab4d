#include "analysis/frontier/member_table.hpp"

#include "analysis/file/result_columns.hpp"

namespace scalesweep::analysis {

store::Schema member_schema(std::int32_t ranks, bool error_bars) {
  store::Schema schema;
  if (ranks > 1) {
    schema.push_back({"rank",
                      store::ColumnType::i32,
                      "1",
                      "dominance rank",
                      "1 on the frontier, 2 on the frontier of what is left without it, and so on",
                      {}});
  }
  if (error_bars) {
    schema.push_back(yes_no_column("beyond_doubt", "beyond doubt",
                                   "no other point dominates it, whatever is true within the error "
                                   "bars of the time"));
  }
  schema.push_back(yes_no_column("knee", "knee", "the point that trades objectives off best"));
  schema.push_back(
      number_column("crowding", "crowding distance",
                    "distance between its neighbours, summed over objectives, each as "
                    "a share of its range on the frontier, a logarithmic one where its values "
                    "have one sign"));
  return schema;
}

store::Table member_table(const FrontierResult& frontiers) {
  const store::Schema schema = member_schema(frontiers.ranks, frontiers.has_error_bars);
  store::Table table(schema);
  std::size_t column = 0;
  const auto fill = [&]<typename T>(std::vector<T> FrontierGroup::*values) {
    std::vector<T>& target = table.values<T>(column++);
    for (const FrontierGroup& group : frontiers.groups) {
      target.insert(target.end(), (group.*values).begin(), (group.*values).end());
    }
  };
  if (frontiers.ranks > 1) {
    fill(&FrontierGroup::ranks);
  }
  if (frontiers.has_error_bars) {
    fill(&FrontierGroup::beyond_doubt);
  }
  fill(&FrontierGroup::knee);
  fill(&FrontierGroup::crowding);
  return table;
}

}  // namespace scalesweep::analysis
