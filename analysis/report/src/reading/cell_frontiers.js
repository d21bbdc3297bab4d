// The frontier of what a filter leaves, found again among the members of the frontiers of all
// combinations of axis values (cell_frontiers of analysis/findings says why these are enough).
import {sortedGroups} from '../data.js';

import {kneeOf, nondominated} from './pareto.js';

/** Values of the objectives, to be minimised. */
function objectiveColumns(report, table) {
  return report.objectives.map((name) => {
    const sign = report.maximized.includes(name) ? -1 : 1;
    return Array.from({length: table.rows}, (_, row) => {
      const value = table.number(name, row, report.axes);
      return value === null ? null : sign * value;
    });
  });
}

/**
 * Makes of `rows` of a table their frontiers: {rows, knees}, in the order of groups and then of
 * ids, which is that of the rows. `per` names the columns whose values do not compete.
 */
export function frontierFinder(report, table, per) {
  const columns = objectiveColumns(report, table);
  const known = per.filter((name) => table.has(name));
  return (rows) => {
    const members = sortedGroups(table, known, rows).map((group) => {
      return nondominated(columns, group.rows);
    });
    const knees = members.map((some) => kneeOf(columns, some)).filter((row) => row !== null);
    return {rows: members.flat(), knees: new Set(knees)};
  };
}
