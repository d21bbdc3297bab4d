// Layouts of a study as an answer tells them, read from its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/query/query.hpp"
#include "analysis/verdict/verdict.hpp"
#include "core/documents/json.hpp"
#include "store/read/reader.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct Layout {
  std::int64_t id = -1;
  std::string words;                // "TP4 PP4 DP2 b1 no-rc Z1 SP CP2"
  std::vector<std::string> choice;  // labels of ToldOf::chosen: "h100-sxm", "2048"
  // The same, the strategy and axes of the question that vary, by their names in a spec: which
  // point it is.
  Json::Members fields;
  double value = analysis::nothing_known;        // of the objective, SI
  double uncertainty = analysis::nothing_known;  // relative, of the time
  std::vector<analysis::Figure> figures;
  double first_token_s = analysis::nothing_known;   // of serving
  double memory_bytes = analysis::nothing_known;    // of the fullest device
  double capacity_bytes = analysis::nothing_known;  // of one
  double devices = analysis::nothing_known;         // without those that prompts alone have
  std::string limit;                                // the group of resources with most of the time
  double limit_share = analysis::nothing_known;     // of it
  // Of a whole run, where one is asked for; its time and cost are among the figures.
  double run_goodput = analysis::nothing_known;
  double run_device_hours = analysis::nothing_known;
  double run_energy_j = analysis::nothing_known;
  double run_reached_s = analysis::nothing_known;  // as labs reached: the middle, and its bar
  double run_reached_low_s = analysis::nothing_known;
  double run_reached_high_s = analysis::nothing_known;
  double run_reported = analysis::nothing_known;  // share of it
};

// NaN where the layout has no such figure.
double figure(const Layout& layout, analysis::FigureKind kind);

// Of a point that has a system; else null.
const technology::Device* device_of(const study::Point& point);

// What is told of a layout beside its strategy and its figures.
struct ToldOf {
  std::vector<std::string> per;     // columns that tell questions apart
  std::vector<std::string> chosen;  // axes that vary and are no question
  std::string objective;            // a column
};

// The values of `per`: those of an axis are numbers of StudyLayout::axes.
using LayoutKey = std::vector<std::int64_t>;

class LayoutReader {
 public:
  LayoutReader(const store::StudyReader& reader, const study::Study& study,
               const analysis::StudyLayout& layout, ToldOf told);

  // The rows that are asked for, by their keys, in the order of the query.
  std::map<LayoutKey, std::vector<Layout>> read(analysis::QueryOptions options) const;
  // The layout of one point.
  Layout one(std::int64_t id) const;

 private:
  void add(const std::vector<std::string>& names);
  LayoutKey key_of(const analysis::QueryPlan& plan, const store::Table& rows,
                   std::size_t row) const;
  std::string label(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                    const std::string& name) const;
  bool varies(const std::string& axis) const;
  void add_strategy(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                    Layout& layout) const;
  void add_limit(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                 Layout& layout) const;
  Layout layout_of(const analysis::QueryPlan& plan, const store::Table& rows,
                   std::size_t row) const;

  const store::StudyReader& reader_;
  const study::Study& study_;
  const analysis::StudyLayout& layout_;
  ToldOf told_;
  std::vector<std::string> columns_;
  std::string uncertainty_;
};

}  // namespace scalesweep::cli
