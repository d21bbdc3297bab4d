// Where what limits the best strategy changes, and where the best strategy does.
import { capital, words } from "../data.js";
import { clear, h, section } from "../dom.js";
import { plain, quantity } from "../numbers.js";
import { columnOf, madeColumn, TableView } from "../table_view.js";

const UNITS = [["bandwidth", "B/s"], ["throughput", "FLOP/s"], ["flop", "FLOP/s"], ["power", "W"],
  ["capacity", "B"], ["latency", "s"], ["area", "m2"]];

/** Units of what varies, where the column itself cannot have any: rows differ in them. */
export function unitsOfQuantity(name) {
  return UNITS.find(([part]) => name.includes(part))?.[1] ?? "";
}

/** "4.1 TB/s (3.8 TB/s to 4.4 TB/s)". */
export function crossingText(table, row) {
  for (const [value, name] of [["crossing_quantity", "quantity"], ["crossing_value", null]]) {
    const number = table.value(value, row);
    if (typeof number !== "number") continue;
    const what = name ? table.label(name, row) ?? "" : "";
    const units = what ? unitsOfQuantity(what) || table.column(value).units
      : table.column(value).units;
    const low = table.value("crossing_low", row), high = table.value("crossing_high", row);
    const range = typeof low === "number" && typeof high === "number"
      ? ` (${quantity(low, units, 3)} to ${quantity(high, units, 3)})` : "";
    return `${quantity(number, units, 3)}${what ? ` of ${words(what)}` : ""}${range}`;
  }
  const index = table.value("crossing_index", row);
  return typeof index === "number" ? `${plain(index, 3)} steps along` : "\u2013";
}

function changeColumn(heading, table, names) {
  const at = (prefix, row) => names.map((name) => table.label(prefix + name, row) ??
    plain(table.value(prefix + name, row))).join(" + ");
  return madeColumn(`${names.join("_")}_change`, heading,
    (row) => `${at("from_", row)} \u2192 ${at("to_", row)}`,
    { key: (row) => table.value(`from_${names[0]}`, row) });
}

/** Columns of a table of changes, of those that it has. */
export function changeColumns(report, table) {
  const columns = report.panels.filter((name) => table.has(name))
    .map((name) => columnOf(table, name));
  const along = report.alongAxes.filter((name) => table.has(`from_${name}`, `to_${name}`));
  if (along.length) columns.push(changeColumn("Between", table, along));
  if (table.has("level")) columns.push(columnOf(table, "level", "Level"));
  if (table.has("from_limit", "to_limit")) {
    columns.push(madeColumn("limit", "Limited by", (row) =>
      `${words(table.label("from_limit", row) ?? "?")} \u2192 ${words(table.label("to_limit", row) ?? "?")}`));
    columns.push(madeColumn("crossing", "Crosses at", (row) => crossingText(table, row),
      { key: (row) => table.value("crossing_quantity", row) ?? table.value("crossing_value", row) ??
          table.value("crossing_index", row) }));
  }
  for (const name of ["second_resource", "firm"]) {
    if (table.has(name)) columns.push(columnOf(table, name));
  }
  if (table.has("from_strategy", "to_strategy")) {
    columns.push(columnOf(table, "from_strategy", "Best before"));
    columns.push(columnOf(table, "to_strategy", "Best after"));
  }
  return columns;
}

export function transitionView(report, filters) {
  const views = [];
  const add = (name, caption) => {
    const table = report.table(name);
    if (table) views.push({ table, view: new TableView(name, changeColumns(report, table), caption) });
  };
  add("transitions", "Changes of what limits the best strategy");
  add("strategy_changes", "Changes of the best strategy");
  if (!views.length) return null;
  const status = h("p", { class: "status", id: "transitions-status" });
  const [first, ...others] = views;
  const isLimits = first.table.name === "transitions";
  function update() {
    for (const { table, view } of views) view.show(filters.rows(table));
    clear(status, isLimits ? `${plain(first.view.rows.length)} changes of the bottleneck` +
      (first.table.has("firm") ? "; firm ones stay within the error bars of the estimates." : ".")
      : "What limits the best strategy is the same at all values.");
  }
  const element = section("transitions", "Where the bottleneck moves", status,
    isLimits ? first.view.element : null,
    (isLimits ? others : views).map(({ table, view }) => h("details", {},
      h("summary", {}, `${capital(words(table.name))} (${plain(table.rows)})`), view.element)));
  return { element, update };
}
