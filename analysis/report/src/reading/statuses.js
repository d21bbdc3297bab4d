// What became of the points of a study.
import {words} from '../data.js';
import {plain} from '../numbers.js';
import {statusColour} from '../palette.js';

const PREFIX = 'rows_';

/** Points that have a status: of an unfinished study those that are computed so far. */
export function computedPoints({counts}) {
  return Object.values(counts).reduce((sum, many) => sum + many, 0);
}

/** Whether the file has a row for every computed point: only then can rows be counted by value. */
export function keepsAll(study) { return study.rows >= computedPoints(study); }

/** Whether the table of coverage is of all points, because the file keeps them or counted them. */
export function coversAll(study) { return study.coverage_is_whole || keepsAll(study); }

// What was never computed is neither feasible nor infeasible.
const LEFT_OUT = ['filtered', 'not_searched', 'pruned'];

/** The part of the points that is feasible, of those that no filter nor search left out. */
export function feasibleShare(study) {
  const leftOut = LEFT_OUT.reduce((sum, name) => sum + (study.counts[name] ?? 0), 0);
  const asked = computedPoints(study) - leftOut;
  return (study.counts.ok ?? 0) / Math.max(asked, 1);
}

/** Statuses that some point has, feasible first, the commonest of the others next. */
function ordered(totals) {
  const isFeasible = (name) => Number(name === 'ok');
  const found = [...totals]
                    .filter(([, total]) => total > 0)
                    .sort((a, b) => isFeasible(b[0]) - isFeasible(a[0]) || b[1] - a[1]);
  const first = found.length ? isFeasible(found[0][0]) : 0;
  return found.map(([name, total], i) => ({
                     column: PREFIX + name,
                     total,
                     words: words(name),
                     colour: isFeasible(name) ? '#009E73' : statusColour(i - first)
                   }));
}

export function statusesOf(table) {
  const total = (name) => table.column(name).values.reduce((sum, value) => sum + value, 0);
  const names = [...table.columns.keys()].filter((name) => name.startsWith(PREFIX));
  return ordered(new Map(names.map((name) => [name.slice(PREFIX.length), total(name)])));
}

/** The whole study as one bar: its counts are of all points, whatever rows its file keeps. */
export function barOfStudy(study) {
  const statuses = ordered(Object.entries(study.counts));
  return {statuses, bars: [{name: 'all points', sums: statuses.map(({total}) => total)}]};
}

/** Points by what became of them; what a filter or a search left out is no failure. */
export function statusSentences(counts) {
  const others = Object.entries(counts)
                     .filter(([name]) => name !== 'ok' && !LEFT_OUT.includes(name))
                     .filter(([, many]) => many > 0)
                     .sort((a, b) => b[1] - a[1])
                     .map(([name, many]) => `${words(name)} ${plain(many)}`);
  return [
    others.length ? `Not feasible: ${others.join(', ')}.` : '',
    counts.filtered > 0 ? `Left out by filters of the spec: ${plain(counts.filtered)}.` : '',
    counts.not_searched > 0 ? `Left out by [search]: ${plain(counts.not_searched)}.` : '',
    counts.pruned > 0 ? `Pruned, as others are better: ${plain(counts.pruned)}.` : ''
  ].filter((text) => text)
      .join(' ');
}
