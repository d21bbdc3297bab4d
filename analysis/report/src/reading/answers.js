// What the views of improvements and effects read from their tables.
import {capital, distinct, mean, words} from '../data.js';
import {sortedRows} from '../sorting.js';

/** Mean of a column by resource, the largest first. */
export function meanByResource(table, rows, column) {
  const values = new Map();
  for (const row of rows) {
    const resource = table.label('resource', row);
    if (resource === null)
      continue;
    if (!values.has(resource))
      values.set(resource, []);
    values.get(resource).push(table.value(column, row));
  }
  return [...values]
      .map(([resource, some]) => ({resource, value: mean(some) ?? 0}))
      .sort((a, b) => b.value - a.value);
}

/** At how many points each resource is the one that gains most, and of how many. */
export function nextByResource(table, rows) {
  const next = new Map();
  for (const row of rows) {
    const resource = table.label('resource', row);
    const old = next.get(resource) ?? {at: 0, of: 0};
    const [at, of] = table.has('rank') ?
        [Number(table.value('rank', row) === 1), 1] :
        [table.value('next_at', row) ?? 0, table.value('points', row) ?? 0];
    next.set(resource, {at: old.at + at, of: old.of + of});
  }
  return next;
}

/** Factors of a kind, "axis" or "strategy", with what they explain: the largest first. */
export function factorsOf(table, kind) {
  return [...Array(table.rows).keys()]
      .filter((row) => table.label('kind', row) === kind)
      .map((row) => ({
             name: words(table.label('factor', row)),
             words: capital(words(table.label('factor', row))),
             first: table.value('first_order', row),
             total: table.value('total', row),
             levels: table.value('levels', row) ?? 0,
             leftOut: table.value('left_out', row) ?? 0
           }))
      .sort((a, b) => (b.total ?? -1) - (a.total ?? -1));
}

/** Pairs of which something is known, and the factors that are in them. */
export function knownPairs(table) {
  const pairs = [...Array(table.rows).keys()]
                    .map((row) => ({
                           names: [table.label('first', row), table.label('second', row)],
                           value: table.value('second_order', row)
                         }))
                    .filter(({value}) => typeof value === 'number');
  return {pairs, names: [...new Set(pairs.flatMap((pair) => pair.names))]};
}

/** The best row at every value of the axis for each of what is asked: models do not compete. */
export function bestOfEach(report, best, rows) {
  const chosen = new Map();
  const asked = report.varying.filter((name) => report.workloads.includes(name) && best.has(name));
  const axes = [...new Set([...report.alongAxes, ...asked])];
  for (const row of rows) {
    const key = axes.map((name) => best.value(name, row)).join();
    const old = chosen.get(key);
    if (old === undefined || best.value(report.better, row) < best.value(report.better, old))
      chosen.set(key, row);
  }
  return [...chosen.values()];
}

/**
 * The best of some rows, of every question as many as of another and one at least; `most` of all.
 */
export function bestOfQuestions(report, best, rows, most) {
  const asked = report.workloads.filter((name) => best.has(name));
  const questions = distinct(best, asked, rows);
  const each = Math.max(1, Math.floor(most / Math.max(questions.length, 1)));
  const better = (row) => best.value(report.better, row);
  return questions.flatMap((question) => sortedRows(question.rows, better, false).slice(0, each))
      .slice(0, most);
}
