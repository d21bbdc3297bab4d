// The data of the page: tables by columns, as analysis/show/report_data.cpp writes them.
import {Explanations} from './views/point/explanations.js';

/** What people read in place of a name: a page shows one report, whose data say so. */
const wordsOfNames = new Map();

export function learnWords(wordsByName) {
  wordsOfNames.clear();
  for (const [name, text] of Object.entries(wordsByName))
    wordsOfNames.set(name, text);
}

/** "scale_out" -> "scale-out network"; of a name without words the blanks for its underscores. */
export function words(name) { return wordsOfNames.get(name) ?? name.replaceAll('_', ' '); }

/** Units as the program's own texts have them: peaks count operations. */
export function unitsOf(name, units) { return name === 'tensor_peak' ? 'FLOP/s' : units; }

/**
 * A value that says little without its axis is told with it: one that could be of several axes, as
 * "8" and "500 ms", and the name of a device of which something is taken (memory_of).
 */
export function valueText(axis, label) {
  return /^\d/.test(label) || axis.endsWith('_of') ? `${words(axis)} ${label}` : label;
}

/** "a, b and c". */
export function listed(names) {
  return names.length < 2 ? names.join('') :
                            `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

export function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

export class Column {
  constructor(raw, rows, axes) {
    this.name = raw.name;
    this.units = unitsOf(raw.name, raw.units ?? '');
    this.role = raw.role ?? '';
    this.axis = raw.axis ?? '';
    this.labels = this.axis ? axes[this.axis].labels : raw.labels ?? null;
    // A long name that only repeats the name is none.
    this.longName = raw.long_name && raw.long_name !== raw.name ? raw.long_name : words(raw.name);
    this.description = raw.description ?? '';
    this.isConstant = 'all' in raw;
    this.values = this.isConstant ? new Array(rows).fill(raw.all) : raw.values;
  }

  get isNumber() { return this.labels === null; }

  /** Parts of one, which people read in percent. */
  get isShare() { return this.role === 'share'; }

  /** The label, or null where the place has none. */
  label(row) { return this.labels === null ? null : this.labels[this.values[row]] ?? null; }
}

export class Table {
  constructor(name, raw, axes) {
    this.name = name;
    this.title = raw.title ?? capital(words(name));
    this.description = raw.description ?? '';
    this.hasOwnView = raw.own_view === true;
    this.axes = axes;
    this.rows = raw.rows;
    this.allRows = raw.all_rows ?? raw.rows;
    this.isTrimmed = raw.trimmed === true;
    this.columns = new Map(raw.columns.map((c) => [c.name, new Column(c, raw.rows, axes)]));
  }

  has(...names) { return names.every((name) => this.columns.has(name)); }
  column(name) { return this.columns.get(name); }
  value(name, row) { return this.columns.get(name)?.values[row] ?? null; }
  label(name, row) { return this.columns.get(name)?.label(row) ?? null; }

  /** The value as a quantity: of an axis with numbers, what the place stands for. */
  number(name, row, axes) {
    const column = this.columns.get(name);
    if (!column)
      return null;
    const value = column.values[row];
    if (!column.axis)
      return column.labels === null ? value : null;
    return axes[column.axis].values?.[value] ?? null;
  }

  /** Rows for which `keep` holds. */
  where(keep) {
    const rows = [];
    for (let row = 0; row < this.rows; row += 1)
      if (keep(row))
        rows.push(row);
    return rows;
  }
}

export class Report {
  constructor(raw) {
    if (raw.format !== 'scalesweep-report')
      throw new Error('these are no data of a report');
    learnWords(raw.words);  // before the columns that ask for them
    Object.assign(this, {
      study: raw.study,
      program: raw.program,
      along: raw.along,
      panels: raw.panels,
      objectives: raw.objectives,
      maximized: raw.maximized ?? [],
      phaseAxes: raw.phase_axes ?? [],
      time: raw.time,
      better: raw.better,
      betterWords: raw.better_words,
      // Of a service the best is that of another time than the one that is shown in parts.
      bestTime: raw.time === raw.better_words ? `best ${raw.time}` :
                                                `${raw.time} at the best ${raw.better_words}`,
      resources: raw.resources,
      groupOf: raw.group_of,
      groups: raw.groups,
      workloads: raw.workloads,
      axes: raw.axes,
      frontierIsWhole: raw.frontier_is_whole ?? true,
      cellFrontiers: raw.cell_frontiers ?? null,
      explanations: new Explanations(raw.explanations),
      verdict: raw.verdict ?? {aim: '', answers: [], notes: []},
      findings: raw.findings,
      notes: raw.notes,
      spec: raw.spec,
      provenance: raw.provenance,
      commands: raw.commands,
    });
    this.tables = new Map(
        Object.entries(raw.tables).map(([name,
                                         table]) => [name, new Table(name, table, raw.axes)]));
    // A path moves along several axes at once.
    this.alongAxes = raw.along.split(',').map((name) => name.trim()).filter((n) => n in raw.axes);
    this.timeColumn = raw.time.replaceAll(' ', '_');
  }

  /** A table that is there and has rows, else null. */
  table(name, ...columns) {
    const table = this.tables.get(name);
    return table && table.rows > 0 && table.has(...columns) ? table : null;
  }

  /** Axes with more than one value, those along which one reads first. */
  get varying() {
    const names = [...this.alongAxes, ...this.panels];
    const others = Object.keys(this.axes).filter((name) => !names.includes(name));
    return [...names, ...others].filter((name) => this.axes[name]?.labels.length > 1);
  }

  units(name) {
    for (const table of this.tables.values()) {
      const column = table.column(name);
      if (column?.units)
        return column.units;
    }
    return this.axes[name]?.units ?? '';
  }

  longName(name) {
    if (name in this.axes)
      return words(name);
    for (const table of this.tables.values()) {
      const column = table.column(name);
      if (column)
        return column.longName;
    }
    return words(name);
  }
}

/** Distinct values of a few columns of some rows, in the order in which they come. */
export function distinct(table, columns, rows) {
  const found = new Map();
  for (const row of rows) {
    const places = columns.map((name) => table.value(name, row));
    const key = places.join(',');
    if (!found.has(key)) {
      found.set(
          key, {key, places, labels: columns.map((name) => table.label(name, row)), rows: []});
    }
    found.get(key).rows.push(row);
  }
  return [...found.values()];
}

/** A study to rows by the given columns: sorted by places of axes, not by appearance. */
export function sortedGroups(table, columns, rows) {
  return distinct(table, columns, rows).sort((a, b) => {
    for (let i = 0; i < a.places.length; i += 1) {
      if (a.places[i] !== b.places[i])
        return a.places[i] - b.places[i];
    }
    return 0;
  });
}

export function mean(values) {
  const numbers = values.filter((v) => typeof v === 'number' && Number.isFinite(v));
  return numbers.length ? numbers.reduce((sum, v) => sum + v, 0) / numbers.length : null;
}

/**
 * Titles panels by what tells them apart: the axes that do, and what all panels have in common as
 * [axis, label]. `axes` are those of the labels.
 */
export function titled(panels, axes) {
  const width = panels.length ? panels[0].labels.length : 0;
  const isCommon = Array.from(
      {length: width}, (_, i) => panels.every((panel) => panel.labels[i] === panels[0].labels[i]));
  for (const panel of panels)
    panel.title = panel.labels.filter((_, i) => !isCommon[i]).join(', ');
  return {
    telling: axes.filter((_, i) => width && !isCommon[i]),
    common: width ?
        axes.map((axis, i) => [axis, panels[0].labels[i]]).filter((_, i) => isCommon[i]) :
        []
  };
}
