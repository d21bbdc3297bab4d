#include "analysis/frontier/frontier.hpp"

#include "analysis/frontier/search.hpp"
#include "core/host/parallel.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {

FrontierResult find_frontier(const store::StudyReader& reader, const FrontierRequest& request) {
  const FrontierSearch search(reader.schema(), reader.axes(), request);
  const store::ColumnBlocks blocks = reader.blocks(search.columns());
  std::vector<FrontierSearch::Part> parts(thread_count(request.reading.threads), search.part());
  Pass pass(request.reading, "looking for frontiers", blocks.size());
  for_each_parallel(parts, blocks.size(), [&](FrontierSearch::Part& part, std::size_t block) {
    search.add(part, blocks.read(block), blocks.schema(), blocks.rows(block).first);
    pass.step();
  });
  return search.finish(parts);
}

}  // namespace scalesweep::analysis
