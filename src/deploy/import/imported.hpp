// What a configuration of another program comes to here: a spec of one point and entries of the
// catalog, with a list of what could not be carried over.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "config/toml_text.hpp"
#include "deploy/import/given_keys.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::deploy {

// What the files themselves do not say.
struct ImportQuestion {
  std::string name;          // of the entries; "" for what the files say, or "imported"
  std::string device;        // of the catalog, that a run is on; "" if not given
  std::string like;          // that a device of a file is like; "" if not given
  std::string model;         // of the catalog; "" for that of the files
  std::int64_t devices = 0;  // of a run; 0 if not given
  std::int64_t vocab = 0;    // of a model; 0 if not given
};

// Keys of a table of a spec with their values as TOML writes them.
using SpecTable = std::map<std::string, std::string, std::less<>>;

struct Imported {
  std::string origin;  // "a command of Megatron-LM"
  SpecTable workload, system, strategy;
  std::string entries;                // a file of the catalog; "" where all of it is there already
  std::vector<std::string> notes;     // what was assumed
  std::vector<std::string> left_out;  // keys as they were written, with their values

  bool has_spec() const { return !workload.empty(); }
};

// A spec of a single point.
std::string spec_text(const Imported& imported);

using config::toml_text;

// Says of the workload what it runs: the entry of the catalog with this shape, or a new one.
// `model.vocab` 0: not known. Throws Failure(bad_input) where a new entry lacks it.
void set_model(Imported& imported, workload::TransformerModel model,
               const catalog::Catalog& catalog, const ImportQuestion& question);

// The device of a run and how many; throw Failure(usage) where neither the files nor somebody says.
void set_system(Imported& imported, std::int64_t devices, const ImportQuestion& question);

// Keys that nobody read, with the file where there are several.
void leave_out(Imported& imported, const GivenKeys& keys);

}  // namespace scalesweep::deploy
