// The functions of scalesweep.h: arguments, messages and codes; what they do is OpenedStudy's.
#include <fmt/format.h>

#include <scalesweep/scalesweep.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "core/version.hpp"
#include "library/opened_study.hpp"
#include "space/keys/spec_book.hpp"

using scalesweep::ExitCode;
using scalesweep::Failure;
using scalesweep::library::Choice;
using scalesweep::library::OpenedCatalog;
using scalesweep::library::OpenedStudy;
using scalesweep::library::Parameter;
namespace library = scalesweep::library;
namespace space = scalesweep::space;
namespace store = scalesweep::store;

struct scalesweep_catalog {
  OpenedCatalog opened;
};

// With what callers see of it as C has it: pointers into the study.
struct scalesweep_study {
  explicit scalesweep_study(std::unique_ptr<OpenedStudy> of);

  std::unique_ptr<OpenedStudy> opened;
  std::vector<std::vector<const char*>> words;  // labels, a list each
  std::vector<scalesweep_column> columns;
  std::vector<scalesweep_parameter> parameters;
  std::vector<scalesweep_objective> objectives;
};

namespace {

std::vector<const char*> pointers_to(const std::vector<std::string>& labels) {
  std::vector<const char*> pointers;
  for (const std::string& label : labels) {
    pointers.push_back(label.c_str());
  }
  return pointers;
}

// Files have all axes of numbers as real ones; those that are counts are told here.
bool is_count(const store::Column& column, const std::vector<space::Axis>& axes) {
  const std::optional<std::size_t> axis = space::find_axis(axes, column.name);
  return axis && axes[*axis].kind == space::AxisKind::integer;
}

scalesweep_type type_of(const store::Column& column, const std::vector<space::Axis>& axes) {
  if (!column.labels.empty() && !column.numbers) {
    return SCALESWEEP_LABEL;
  }
  if (is_count(column, axes)) {
    return SCALESWEEP_INTEGER;
  }
  const store::ColumnType type = store::stored_type(column);
  const bool is_real = type == store::ColumnType::f64 || type == store::ColumnType::f32;
  return is_real ? SCALESWEEP_NUMBER : SCALESWEEP_INTEGER;
}

scalesweep_choice choice_of(Choice choice) {
  switch (choice) {
    case Choice::axis:
      return SCALESWEEP_AXIS;
    case Choice::together:
      return SCALESWEEP_TOGETHER;
    case Choice::layout:
      return SCALESWEEP_LAYOUT;
    case Choice::derived:
      break;
  }
  return SCALESWEEP_DERIVED;
}

void set_message(char** message, const std::string& text) {
  if (message != nullptr && !text.empty()) {
    *message = ::strdup(text.c_str());
  }
}

[[noreturn]] void misuse(const char* what) {
  throw Failure(ExitCode::usage, what);
}

// What `body` returns, or the code of what it throws; `message` is set in any case.
template <typename Body>
int guarded(char** message, Body body) noexcept {
  if (message != nullptr) {
    *message = nullptr;
  }
  try {
    return body();
  } catch (const library::NoPoint& none) {
    set_message(message, none.what());
    return SCALESWEEP_NO_POINT;
  } catch (const Failure& failure) {
    set_message(message, failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    set_message(message, std::string("internal error: ") + error.what());
  } catch (...) {
    set_message(message, "internal error");
  }
  return SCALESWEEP_INTERNAL;
}

// What open(catalog, text) gives, with the given catalog or the default one where that is null.
template <typename Open>
int opened_by(Open open, const scalesweep_catalog* catalog, scalesweep_study** study,
              char** message) {
  *study = nullptr;
  std::string text;
  std::optional<OpenedCatalog> own;
  if (catalog == nullptr) {
    own = library::open_catalog("", text);
  }
  std::unique_ptr<OpenedStudy> opened;
  if (catalog != nullptr || own) {
    opened = open(own ? *own : catalog->opened, text);
  }
  set_message(message, text);
  if (!opened) {
    return SCALESWEEP_BAD_INPUT;
  }
  *study = std::make_unique<scalesweep_study>(std::move(opened)).release();
  return SCALESWEEP_OK;
}

template <typename Item>
const Item* item_at(const std::vector<Item>& items, size_t place) {
  return place < items.size() ? &items[place] : nullptr;
}

}  // namespace

scalesweep_study::scalesweep_study(std::unique_ptr<OpenedStudy> of) : opened(std::move(of)) {
  const store::Schema& schema = opened->study().description().schema;
  words.reserve(schema.size() + opened->parameters().size());
  for (const store::Column& column : schema) {
    const scalesweep_type type = type_of(column, opened->study().space().axes());
    const bool is_named = type == SCALESWEEP_LABEL;
    const auto& labels =
        words.emplace_back(is_named ? pointers_to(column.labels) : std::vector<const char*>{});
    columns.push_back({column.name.c_str(), column.units.c_str(), column.long_name.c_str(),
                       column.description.c_str(), column.better.c_str(), column.role.c_str(), type,
                       labels.size(), labels.data()});
  }
  for (const Parameter& parameter : opened->parameters()) {
    const auto& labels = words.emplace_back(pointers_to(parameter.labels));
    parameters.push_back({parameter.name.c_str(), parameter.units.c_str(),
                          parameter.description.c_str(), parameter.follows.c_str(),
                          choice_of(parameter.choice), labels.size(), labels.data(),
                          parameter.values.empty() ? nullptr : parameter.values.data()});
  }
  for (const space::Objective& objective : opened->study().spec().objectives) {
    objectives.push_back(
        {objective.column.c_str(), objective.direction == space::Direction::maximize ? 1 : 0});
  }
}

int scalesweep_interface_version(void) {
  return SCALESWEEP_INTERFACE_VERSION;
}

const char* scalesweep_version(void) {
  return scalesweep::build_info().version.c_str();
}

void scalesweep_free_text(char* text) {
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): as strdup made it, for callers in C
}

int scalesweep_spec_schema(char** schema, char** message) {
  return guarded(message, [&] {
    if (schema == nullptr) {
      misuse("scalesweep_spec_schema: schema is null");
    }
    *schema = ::strdup(space::spec_schema().c_str());
    return SCALESWEEP_OK;
  });
}

int scalesweep_open_catalog(const char* folder, scalesweep_catalog** catalog, char** message) {
  return guarded(message, [&] {
    if (catalog == nullptr) {
      misuse("scalesweep_open_catalog: catalog must not be null");
    }
    *catalog = nullptr;
    std::string text;
    auto opened = library::open_catalog(folder == nullptr ? "" : folder, text);
    set_message(message, text);
    if (!opened) {
      return static_cast<int>(SCALESWEEP_BAD_INPUT);
    }
    *catalog =
        std::make_unique<scalesweep_catalog>(scalesweep_catalog{std::move(*opened)}).release();
    return static_cast<int>(SCALESWEEP_OK);
  });
}

void scalesweep_close_catalog(scalesweep_catalog* catalog) {
  const std::unique_ptr<scalesweep_catalog> owned(catalog);
}

int scalesweep_open_file(const char* path, const scalesweep_catalog* catalog,
                         scalesweep_study** study, char** message) {
  return guarded(message, [&] {
    if (path == nullptr || study == nullptr) {
      misuse("scalesweep_open_file: path and study must not be null");
    }
    return opened_by([&](const OpenedCatalog& found,
                         std::string& text) { return OpenedStudy::of_file(path, found, text); },
                     catalog, study, message);
  });
}

int scalesweep_open_text(const char* text, const char* name, const scalesweep_catalog* catalog,
                         scalesweep_study** study, char** message) {
  return guarded(message, [&] {
    if (text == nullptr || study == nullptr) {
      misuse("scalesweep_open_text: text and study must not be null");
    }
    return opened_by(
        [&](const OpenedCatalog& found, std::string& told) {
          return OpenedStudy::of_text(text, name == nullptr ? "spec" : name, found, told);
        },
        catalog, study, message);
  });
}

void scalesweep_close(scalesweep_study* study) {
  const std::unique_ptr<scalesweep_study> owned(study);
}

int64_t scalesweep_size(const scalesweep_study* study) {
  return study == nullptr ? 0 : study->opened->study().space().size();
}

const char* scalesweep_title(const scalesweep_study* study) {
  return study == nullptr ? "" : study->opened->study().spec().title.c_str();
}

const char* scalesweep_identity(const scalesweep_study* study) {
  return study == nullptr ? "" : study->opened->study().description().identity.c_str();
}

size_t scalesweep_column_count(const scalesweep_study* study) {
  return study == nullptr ? 0 : study->columns.size();
}

const scalesweep_column* scalesweep_column_at(const scalesweep_study* study, size_t column) {
  return study == nullptr ? nullptr : item_at(study->columns, column);
}

size_t scalesweep_find_column(const scalesweep_study* study, const char* name) {
  for (size_t c = 0; study != nullptr && name != nullptr && c < study->columns.size(); ++c) {
    if (std::strcmp(study->columns[c].name, name) == 0) {
      return c;
    }
  }
  return SCALESWEEP_NONE;
}

size_t scalesweep_objective_count(const scalesweep_study* study) {
  return study == nullptr ? 0 : study->objectives.size();
}

const scalesweep_objective* scalesweep_objective_at(const scalesweep_study* study,
                                                    size_t objective) {
  return study == nullptr ? nullptr : item_at(study->objectives, objective);
}

int scalesweep_evaluate(const scalesweep_study* study, const int64_t* ids, size_t count,
                        const size_t* columns, size_t column_count, int threads, double* values,
                        char** message) {
  return scalesweep_evaluate_until(study, ids, count, columns, column_count, threads, nullptr,
                                   values, message);
}

int scalesweep_evaluate_until(const scalesweep_study* study, const int64_t* ids, size_t count,
                              const size_t* columns, size_t column_count, int threads, int* stop,
                              double* values, char** message) {
  return guarded(message, [&] {
    if (study == nullptr || (count > 0 && (ids == nullptr || values == nullptr))) {
      misuse("scalesweep_evaluate: study, ids and values must not be null");
    }
    if (threads < 0) {
      misuse("scalesweep_evaluate: threads must be 0 (all processors) or more");
    }
    std::vector<std::size_t> chosen;
    if (columns == nullptr) {
      chosen.resize(study->columns.size());
      std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    } else {
      chosen.assign(columns, columns + column_count);
    }
    const auto is_stopped = [stop] {
      return stop != nullptr && std::atomic_ref<int>(*stop).load(std::memory_order_relaxed) != 0;
    };
    return study->opened->evaluate({ids, count}, chosen, static_cast<std::size_t>(threads), values,
                                   is_stopped)
               ? SCALESWEEP_OK
               : SCALESWEEP_STOPPED;
  });
}

int scalesweep_evaluate_point(const scalesweep_study* study, int64_t id, double* values,
                              char** message) {
  return scalesweep_evaluate(study, &id, 1, nullptr, 0, 1, values, message);
}

size_t scalesweep_parameter_count(const scalesweep_study* study) {
  return study == nullptr ? 0 : study->parameters.size();
}

const scalesweep_parameter* scalesweep_parameter_at(const scalesweep_study* study,
                                                    size_t parameter) {
  return study == nullptr ? nullptr : item_at(study->parameters, parameter);
}

int scalesweep_choices_of(const scalesweep_study* study, int64_t id, int32_t* choices,
                          char** message) {
  return guarded(message, [&] {
    if (study == nullptr || choices == nullptr) {
      misuse("scalesweep_choices_of: study and choices must not be null");
    }
    if (id < 0 || id >= scalesweep_size(study)) {
      throw library::NoPoint(
          fmt::format("there is no point {}; ids are 0 to {}", id, scalesweep_size(study) - 1));
    }
    const auto found = library::choices_of(study->opened->study(), study->opened->parameters(), id);
    std::copy(found.begin(), found.end(), choices);
    return SCALESWEEP_OK;
  });
}

int scalesweep_id_of(const scalesweep_study* study, const int32_t* choices, int64_t* id,
                     char** message) {
  return guarded(message, [&] {
    if (study == nullptr || choices == nullptr || id == nullptr) {
      misuse("scalesweep_id_of: study, choices and id must not be null");
    }
    const std::vector<Parameter>& parameters = study->opened->parameters();
    *id = library::id_of(study->opened->study(), parameters, {choices, parameters.size()});
    return SCALESWEEP_OK;
  });
}
