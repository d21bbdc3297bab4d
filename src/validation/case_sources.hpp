// What the files of measured cases do not say and the model needs: chosen once for each source, for
// all of its rows. A cell that says otherwise wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "validation/row_reader.hpp"

namespace scalesweep::validation {

struct CaseSource {
  std::string_view name;
  std::string_view framework;           // entry of the catalog
  std::optional<bool> flash_attention;  // where it is not what the device's generation usually runs
  bool plain_gpt = true;  // models without a gated MLP have biases, dropout and learned positions
  // Key and value heads that the source ran llama-3-405b with, 0: as published.
  int llama_405b_kv_heads = 0;
};

// Told by the text of `source`; for files without one by what only they have.
const CaseSource& source_of(const RowReader& row);

}  // namespace scalesweep::validation
