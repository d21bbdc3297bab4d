#include "study/study.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "columns/roles.hpp"
#include "core/contracts.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "space/axes/together.hpp"
#include "space/model_shape.hpp"
#include "space/read/spec_axes.hpp"
#include "space/stored_rules.hpp"
#include "store/texts/anonymous.hpp"
#include "store/versions/former_names.hpp"
#include "study/columns/schema.hpp"
#include "study/evaluate/range_evaluator.hpp"
#include "study/file/provenance.hpp"
#include "study/file/stored_texts.hpp"
#include "study/identity.hpp"
#include "study/resolve/check_names.hpp"
#include "study/resolve/settle_names.hpp"
#include "study/resolve/unsupported.hpp"
#include "study/resolve/used_entries.hpp"

namespace scalesweep::study {
namespace {

namespace fs = std::filesystem;

// What every file of HDF5 begins with (HDF5 file format specification 3.0, section II.A).
constexpr std::string_view hdf5_signature = "\x89HDF\r\n";

constexpr const char* method =
    "J. Kundu et al., Performance Modeling and Workload Analysis of Distributed Large Language "
    "Model Training and Inference, arXiv:2407.14645";

// What the spec leaves open and the kind of work decides; a former name of a column is the column.
void complete_objectives(space::Spec& spec, const WorkloadKind& kind) {
  for (space::Objective& objective : spec.objectives) {
    objective.column = store::column_now(objective.column);
  }
  if (spec.allocation) {
    spec.allocation->objective.column = store::column_now(spec.allocation->objective.column);
  }
  if (spec.objectives.empty()) {
    for (const std::string_view usual : kind.columns().objectives) {
      spec.objectives.push_back({std::string(usual)});
      spec.objective_positions.push_back({spec.file, 0, 0});
    }
  }
  if (spec.allocation && spec.allocation->objective.column.empty()) {
    spec.allocation->objective = spec.objectives.front();
    spec.allocation->objective_position = spec.allocation->position;
  }
}

void settle_search(space::Spec& spec, const WorkloadKind& kind) {
  if (spec.search) {
    spec.search =
        spec.search->settled(kind.columns().bounds == Bounds::of_time ? space::SearchMethod::bounds
                                                                      : space::SearchMethod::model);
  }
}

// An axis that could not be read: what names it is no second mistake.
bool is_unread_axis(const std::string& name, const space::Spec& spec) {
  const std::vector<std::string>& names = space::axis_names();
  return !space::find_axis(spec.axes, name) &&
         std::find(names.begin(), names.end(), name) != names.end();
}

// Shares move what is measured; an axis is the same for all of them.
std::string allocation_problem(const space::Spec& spec, const WorkloadKind& kind,
                               const store::Schema& schema) {
  const space::Objective& objective = spec.allocation->objective;
  if (space::find_axis(spec.axes, objective.column)) {
    return fmt::format(
        "'{}' is the same for all shares; say in [allocate] what they shall minimize, for example "
        "minimize = \"{}\"",
        objective.column, kind.columns().time.name);
  }
  return objective_problem(objective, spec.axes, schema);
}

// While axes may be missing, what might be one of those is not reported.
void check_objectives(const space::Spec& spec, const WorkloadKind& kind, bool axes_complete,
                      Diagnostics& diagnostics) {
  const store::Schema schema = make_schema(columns_of(kind, spec), spec.axes, spec.strategy);
  const auto report = [&](const std::string& name, const std::string& problem,
                          const SourcePosition& position) {
    if (!problem.empty() && (axes_complete || !is_unread_axis(name, spec))) {
      diagnostics.error(position, problem);
    }
  };
  for (std::size_t i = 0; i < spec.objectives.size(); ++i) {
    report(spec.objectives[i].column, objective_problem(spec.objectives[i], spec.axes, schema),
           spec.objective_positions[i]);
  }
  if (spec.allocation && !spec.allocation->objective.column.empty()) {
    report(spec.allocation->objective.column, allocation_problem(spec, kind, schema),
           spec.allocation->objective_position);
  }
}

// Devices that [search] looks at are evaluated to their end where they cannot be bounded.
bool finds_without_bounds(const space::Spec& spec) {
  return spec.search && spec.search->find == space::SearchFor::best &&
         !spec.search->finds_by(space::SearchMethod::bounds);
}

// Why such a policy does not go with [search], "" if it does.
std::string problem_of_search(const space::Keep& keep, const space::AxisSearch& search) {
  if (!keep.reduces()) {
    return "[search] looks for what a policy keeps: write policy = \"best\" or \"frontier\" in "
           "[keep], or leave [search] out";
  }
  if (search.find == space::SearchFor::transitions) {
    const bool has_axis =
        std::find(keep.per.begin(), keep.per.end(), search.axes.front()) != keep.per.end();
    const bool is_of_each =
        keep.policy == space::KeepPolicy::best && keep.best_count == 1 && has_axis;
    return is_of_each ? ""
                      : fmt::format(
                            "transitions are of the best point at every value of '{0}': "
                            "write best = {{ per = [..., \"{0}\"] }} in [keep]",
                            search.axes.front());
  }
  for (const std::string& axis : search.axes) {
    if (std::find(keep.per.begin(), keep.per.end(), axis) != keep.per.end()) {
      return fmt::format(
          "per = [...] asks for the best at every value of '{}', which [search] does "
          "not go along; leave '{}' out of one of both",
          axis, axis);
    }
  }
  return "";
}

std::string problem_of_counts(const space::Keep& keep, const space::Spec& spec,
                              const WorkloadKind& kind) {
  if (!is_bounded(keep, spec)) {
    return "";
  }
  if (const std::string problem = spec.search ? problem_of_search(keep, *spec.search) : "";
      !problem.empty()) {
    return problem;
  }
  if (spec.search && spec.allocation) {
    return "[search] and [allocate] look for the same; leave one of them out";
  }
  if (finds_without_bounds(spec) && keep.counts == space::Counts::exact) {
    return "";
  }
  const std::string asked = spec.search ? "[search]" : "counts = \"bounded\"";
  const EstimateColumns columns = columns_of(kind, spec);
  const bool proves = spec.search && spec.search->finds_by(space::SearchMethod::bounds);
  if (proves && columns.bounds == Bounds::of_rate) {
    return "method = \"bounds\" does not go with services, of which nothing is known for a box of "
           "devices; write method = \"model\" in [search], or leave it out";
  }
  const std::string problem =
      bounds_problem(asked, deciding(keep, spec.objectives), spec.axes, columns);
  return problem.empty() || !proves ? problem
                                    : problem + ", or write method = \"model\" in [search]";
}

std::map<std::string, std::string> root_attributes(const space::Spec& spec) {
  std::map<std::string, std::string> attributes = {
      {"title", spec.title},
      {"source", fmt::format("scalesweep {}", build_info().version)},
      {"Conventions", "ACDD-1.3"},
      {"references", method},
      {"objectives", space::objectives_json(spec.objectives)},
      {"keep", space::keep_json(spec.keep)}};
  attributes.merge(citation::dataset_attributes(spec.dataset));
  if (spec.search) {
    attributes["search"] = space::search_json(*spec.search);
  }
  if (const space::AxisGroups together = space::groups_together(spec.axes); !together.empty()) {
    attributes["together"] = space::groups_json(together);
  }
  return attributes;
}

}  // namespace

struct Study::Data {
  space::Spec spec;
  const WorkloadKind* kind = nullptr;
  std::shared_ptr<const catalog::Catalog> catalog;
  std::shared_ptr<const EvaluationPlan> plan;
  store::StudyDescription description;
};

namespace {

std::vector<std::string> unverified_of(const Resolver& resolver) {
  std::vector<std::string> names = resolver.extrapolated();
  for (std::string& name : unverified_values(resolver.entries())) {
    names.push_back(std::move(name));
  }
  return names;
}

space::ModelShape shape_of(const Study::Data& data, const std::string& model) {
  return data.kind->shape != nullptr ? data.kind->shape(*data.catalog, model)
                                     : space::ModelShape(data.catalog->model(model));
}

// The first objective is what says how good points may be that [search] did not look at.
void tell_of_not_searched(store::Schema& schema, const space::Spec& spec) {
  if (spec.search && spec.search->find == space::SearchFor::best) {
    std::string& role = schema[column_named(schema, spec.objectives.front().column)].role;
    role += fmt::format("{}nearest:{}", role.empty() ? "" : " ", columns::not_searched_status);
  }
}

std::optional<Search> sieve_of(const space::Spec& spec, const WorkloadKind& kind) {
  const bool sieves =
      !is_bounded(spec.keep, spec) && spec.requirements.empty() && spec.keep.reduces();
  return sieves ? make_sieve(spec.keep, deciding(spec.keep, spec.objectives), spec.axes,
                             columns_of(kind, spec))
                : std::nullopt;
}

// The texts that a study rests on, so that it can be made again.
std::map<std::string, std::string> texts_of(const space::Spec& spec,
                                            const catalog::Catalog& catalog,
                                            const Resolver& resolver) {
  const auto entries = with_bases(catalog, resolver.entries());
  std::map<std::string, std::string> texts = {{"spec", spec.text},
                                              {"spec_file", spec.file},
                                              {"catalog", catalog_text(entries)},
                                              {"unverified", join(unverified_of(resolver), "\n")},
                                              {"estimator", build_info().estimator_hash}};
  if (spec.trace) {
    texts["requests"] = trace_json(*spec.trace, spec.requests);
  }
  if (!spec.load_curve.empty()) {
    texts["load_curve"] = load_curve_json(spec);
  }
  if (std::string overlays = overlays_json(entries); !overlays.empty()) {
    texts["overlays"] = std::move(overlays);
  }
  return texts;
}

// Everything that follows from the spec, so that a changed policy changes all of it.
void describe(Study::Data& data, space::Space space, Resolver resolver) {
  const space::Spec& spec = data.spec;
  const WorkloadKind& kind = *data.kind;
  std::vector<OperatorName> operators;
  if (kind.operators != nullptr) {
    operators = kind.operators(spec, *data.catalog);
  }
  store::StudyDescription& description = data.description;
  description.identity_parts = identity_parts(spec, resolver.entries());
  description.identity = identity_of(description.identity_parts);
  description.points = space.size();
  description.schema = make_schema(columns_of(kind, spec), space.axes(), spec.strategy, operators);
  tell_of_not_searched(description.schema, spec);
  description.axes = axis_values(space.axes());
  store::give_axis_numbers(description.schema, description.axes);
  description.count_names = description.schema[column_named(description.schema, "status")].labels;
  description.root_attributes = root_attributes(spec);
  std::map<std::string, std::string> texts = texts_of(spec, *data.catalog, resolver);
  texts.merge(description.provenance);  // of a run, if there was one
  description.provenance = std::move(texts);
  // How estimates are distributed that were not made nobody knows.
  const bool bounded = is_bounded(spec.keep, spec);
  Distributions distributions = bounded ? Distributions() : Distributions(description.schema);
  description.histograms = distributions.describe();
  description.outcomes = outcome_tables(space.axes(), description.schema, description.count_names);
  KeepRule keep(spec.keep, spec.objectives, space.axes(), description.schema);
  std::optional<KeepRule> allocation_objective;
  std::optional<Search> allocation_search;
  if (spec.allocation) {
    space::Keep one;
    one.policy = space::KeepPolicy::best;
    allocation_search =
        make_search(one, {spec.allocation->objective}, spec.axes, columns_of(kind, spec));
    allocation_objective.emplace(space::Keep{}, std::vector{spec.allocation->objective},
                                 space.axes(), description.schema);
  }
  const auto status_named = [&names = description.count_names](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - names.begin()));
  };
  data.plan = std::make_shared<const EvaluationPlan>(EvaluationPlan{
      kind, std::move(space), std::move(resolver), description.schema, std::move(operators),
      description.count_names.size(), status_named(columns::not_searched_status),
      columns_of(kind, spec).leaves_some ? status_named(columns::pruned_status) : std::nullopt,
      kind.columns().phases.size(), Requirements(spec, description.schema), std::move(keep),
      std::move(distributions), store::OutcomeNumbers(description), spec.allocation,
      std::move(allocation_objective),
      bounded ? make_search(spec.keep, deciding(spec.keep, spec.objectives), spec.axes,
                            columns_of(kind, spec))
              : std::nullopt,
      std::move(allocation_search), sieve_of(spec, kind), spec.search});
}

}  // namespace

std::optional<Study> Study::load(const fs::path& spec_file, const fs::path& nodes_folder,
                                 Diagnostics& diagnostics, WorkloadKinds kinds) {
  return load(spec_file, catalog::Places{nodes_folder}, diagnostics, kinds);
}

std::optional<Study> Study::load(const fs::path& spec_file, const catalog::Places& places,
                                 Diagnostics& diagnostics, WorkloadKinds kinds) {
  StudySource source;
  if (auto catalog = catalog::Catalog::load(places, diagnostics)) {
    source.catalog = std::make_shared<const catalog::Catalog>(std::move(*catalog));
  }
  source.file = spec_file.string();
  source.spec = read_file(spec_file);
  if (source.spec.starts_with(hdf5_signature)) {
    diagnostics.error({source.file, 0, 0},
                      fmt::format("is a study that has run (HDF5) and no spec; 'scalesweep analyze "
                                  "{}' reads it, a spec is the .toml file that it was made from",
                                  source.file));
    return std::nullopt;
  }
  return of(source, diagnostics, kinds);
}

std::optional<Study> Study::of(const StudySource& source, Diagnostics& diagnostics,
                               WorkloadKinds kinds) {
  auto data = std::make_shared<Data>();
  data->catalog = source.catalog;
  space::SpecCheck check;
  check.trace = source.trace;
  check.names = [&](std::vector<space::Axis>& axes) {
    if (data->catalog) {
      settle_names(axes, *data->catalog, diagnostics);
    }
  };
  check.spec = [&](const space::Spec& partial) {
    const WorkloadKind& kind = kind_of(partial, kinds);
    if (data->catalog) {
      check_spec(partial, kind, *data->catalog, diagnostics);
    }
    check_objectives(partial, kind, false, diagnostics);
  };
  space::WorkloadForms forms;
  for (const WorkloadKind* kind : kinds) {
    forms.push_back(&kind->form);
  }
  std::optional<space::Spec> spec =
      space::read_spec(source.file, source.spec, diagnostics, check, forms);
  if (!spec || !data->catalog) {
    return std::nullopt;
  }
  data->spec = std::move(*spec);
  data->kind = &kind_of(data->spec, kinds);
  complete_objectives(data->spec, *data->kind);
  settle_search(data->spec, *data->kind);
  check_objectives(data->spec, *data->kind, true, diagnostics);
  check_requirements(
      data->spec,
      make_schema(columns_of(*data->kind, data->spec), data->spec.axes, data->spec.strategy),
      diagnostics);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  if (const std::string problem = problem_of_counts(data->spec.keep, data->spec, *data->kind);
      !problem.empty()) {
    diagnostics.error(data->spec.search ? data->spec.search->position : data->spec.counts_position,
                      problem);
  }
  std::optional<space::Space> space = space::Space::build(
      data->spec, [&](const std::string& name) { return shape_of(*data, name); }, diagnostics);
  if (!space || diagnostics.has_errors()) {
    return std::nullopt;
  }
  Resolver resolver(data->spec, *data->kind, data->catalog);
  warn_of_unsupported(data->spec, *space, resolver, diagnostics);
  describe(*data, std::move(*space), std::move(resolver));
  Study study;
  study.data_ = std::move(data);
  return study;
}

const space::Spec& Study::spec() const {
  return data_->spec;
}
const WorkloadKind& Study::kind() const {
  return *data_->kind;
}
const space::Space& Study::space() const {
  return data_->plan->space;
}
const catalog::Catalog& Study::catalog() const {
  return *data_->catalog;
}
const std::vector<const catalog::Entry*>& Study::entries() const {
  return data_->plan->resolver.entries();
}
std::vector<std::string> Study::unverified() const {
  return unverified_of(data_->plan->resolver);
}
const store::StudyDescription& Study::description() const {
  return data_->description;
}

bool Study::rows_are_final() const {
  return !data_->plan->keep.is_global();
}

std::string Study::objective_units() const {
  const store::Schema& schema = data_->description.schema;
  return schema[column_named(schema, data_->spec.objectives.front().column)].units;
}

std::string Study::counts_problem(const space::Keep& keep) const {
  return problem_of_counts(keep, data_->spec, *data_->kind);
}

void Study::set_keep(const space::Keep& keep) {
  data_->spec.keep = keep;
  space::Space space = data_->plan->space;
  Resolver resolver = data_->plan->resolver;
  describe(*data_, std::move(space), std::move(resolver));
}

void Study::describe_run(const std::string& command, int ranks, Names names) {
  store::StudyDescription& description = data_->description;
  for (auto& [name, text] : run_provenance(command, ranks)) {
    description.provenance[name] = text;
  }
  description.root_attributes["history"] = fmt::format("{} {}", utc_now(), command);
  if (names == Names::left_out) {
    store::make_anonymous(description);
  }
}

Point Study::point_at(PointId id) const {
  return make_points()(id);
}

std::function<Point(PointId)> Study::make_points() const {
  auto plan = data_->plan;
  // Where nothing is allocated or required there is nothing to find out but the system itself.
  auto evaluator = plan->allocation || !plan->requirements.empty()
                       ? std::make_shared<RangeEvaluator>(plan)
                       : nullptr;
  return [plan, evaluator](PointId id) {
    SCALESWEEP_EXPECT(id >= 0 && id < plan->space.size());
    const space::Run run = plan->space.run_at(id);
    Point point;
    point.id = id;
    point.axis_index = run.axis_index;
    point.strategy =
        run.strategies[static_cast<std::size_t>(run.first_strategy + (id - run.ids.first))];
    point.job = plan->resolver.job(run.axis_index);
    point.accelerators = plan->resolver.accelerators(run.axis_index);
    point.system =
        evaluator ? evaluator->system(run) : plan->resolver.system(run.axis_index, point.job);
    point.filtered = !plan->space.accepts(point.axis_index, point.strategy);
    if (!plan->requirements.empty()) {
      point.requirements_met = evaluator->requirements_met(id);
    }
    return point;
  };
}

namespace {

// Ids that are searched together, at most.
std::int64_t largest_searched(const space::Space& space) {
  std::int64_t largest = 0;
  for (PointId id = 0; id < space.size();) {
    const IdRange ids = space.searched_ids(space.run_at(id));
    largest = std::max(largest, ids.size());
    id = ids.last;
  }
  return largest;
}

}  // namespace

engine::Evaluator Study::make_evaluator() const {
  auto evaluator = std::make_shared<RangeEvaluator>(data_->plan);
  auto plan = data_->plan;
  engine::Evaluator functions;
  functions.evaluate = [evaluator](IdRange ids, engine::RangeResult& result) {
    evaluator->evaluate(ids, result);
  };
  functions.reduce = [evaluator](engine::RangeResult& result) { evaluator->reduce(result); };
  if (plan->grid_search) {
    functions.together = largest_searched(plan->space);
  }
  if (plan->keep.is_global()) {
    functions.select = [plan](const store::Table& rows) { return plan->keep.select(rows); };
  }
  return functions;
}

engine::Evaluator Study::make_row_evaluator() const {
  EvaluationPlan plan = *data_->plan;
  plan.keep = KeepRule({}, data_->spec.objectives, plan.space.axes(), plan.schema);
  plan.distributions = {};
  plan.search.reset();
  plan.sieve.reset();
  plan.grid_search.reset();
  auto evaluator =
      std::make_shared<RangeEvaluator>(std::make_shared<const EvaluationPlan>(std::move(plan)));
  engine::Evaluator functions;
  functions.evaluate = [evaluator](IdRange ids, engine::RangeResult& result) {
    evaluator->evaluate(ids, result);
  };
  functions.reduce = [](engine::RangeResult&) {};
  return functions;
}

}  // namespace scalesweep::study
