// What the page holds of single points: the sheets of `scalesweep explain`, as src/cli/report wrote
// them, and pictures of training steps.

export class Explanations {
  constructor(raw) {
    this.command = raw?.command ?? null;
    this.problem = raw?.problem ?? 'whoever wrote this page had no estimator';
    this.texts = raw?.texts ?? [];
    this.columns = raw?.columns ?? [];
    this.heads = raw?.heads ?? [];
    this.points = new Map(Object.entries(raw?.points ?? {}));
    this.pictures = new Map(Object.entries(raw?.pictures ?? {}));
  }

  has(id) { return this.points.has(String(id)); }

  /** The sheets of a point: {name, title, columns: [{name, header, number}], rows: texts}. */
  sheets(id) {
    return (this.points.get(String(id)) ?? []).map(([head, title, ...places]) => {
      const columns = places.map((place) => this.columns[place]);
      const rows = (columns[0] ?? []).map((_, row) => columns.map((c) => this.texts[c[row]]));
      return {...this.heads[head], title: this.texts[title], rows};
    });
  }

  /** The picture of a step, {problem} where it is not drawn, or null. */
  picture(id) { return this.pictures.get(String(id)) ?? null; }

  /** What to type for a point. */
  commandFor(id) { return this.command === null ? null : `${this.command} ${id}`; }
}

/** Rows under the values of a first column that is named "group": [group, rows without it]. */
export function grouped(sheet) {
  if (sheet.columns[0]?.name !== 'group')
    return [{group: null, rows: sheet.rows}];
  const groups = [];
  for (const [group, ...cells] of sheet.rows) {
    if (groups[groups.length - 1]?.group !== group)
      groups.push({group, rows: []});
    groups[groups.length - 1].rows.push(cells);
  }
  return groups;
}

/** What the tables of the analysis have of a point, where nothing more is held: [words, text]. */
export function rowOf(report, id) {
  for (const name of ['best', 'frontier', 'cloud']) {
    const table = report.table(name, 'point_id');
    const row = table?.column('point_id').values.findIndex((v) => String(v) === String(id)) ?? -1;
    if (row >= 0)
      return {table, row};
  }
  return null;
}
