// The best points as a table, and every other table of the analysis.
import {checkbox, h, section} from '../dom.js';
import {percent, plain} from '../numbers.js';
import {columnOf, TableView} from '../table_view.js';

const STRATEGY_WORDS = 'Strategies: TP, PP, DP, CP, EP are the sizes of the tensor-, pipeline-, ' +
    'data-, context- and expert-parallel groups; v chunks of a pipeline stage; b the ' +
    'micro-batch; no-rc, sel-rc, full-rc what is recomputed; Z the ZeRO stage; SP sequence ' +
    'parallelism.';

function shareColumn(table, name, heading) {
  return {...columnOf(table, name, heading), text: (row) => percent(table.value(name, row))};
}

/** What tells best points apart and what they are judged by, but no axis of a single value. */

function namesOfShort(report, table) {
  const isTelling = (name) => !(name in report.axes && table.column(name).isConstant);
  const names = [
    ...report.panels, ...report.alongAxes, report.better, report.timeColumn, ...report.objectives,
    'strategy'
  ];
  return [...new Set(names)].filter((name) => table.has(name) && isTelling(name));
}

export function shortColumns(report, table) {
  const columns = namesOfShort(report, table).map((name) => columnOf(table, name));
  if (table.has('dominant_resource', 'dominant_share')) {
    columns.push(
        columnOf(table, 'dominant_resource', 'Limited by'),
        shareColumn(table, 'dominant_share', 'Share'));
  }
  if (table.has('relative_uncertainty'))
    columns.push(shareColumn(table, 'relative_uncertainty', 'Error bar'));
  if (table.has('point_id'))
    columns.push(columnOf(table, 'point_id', 'Point'));
  return columns;
}

export function bestView(report, filters) {
  const best = report.table('best');
  if (!best)
    return null;
  const short = shortColumns(report, best);
  const all = [...best.columns.keys()].map((name) => columnOf(best, name));
  const view = new TableView('best', short, 'Best points');
  const element = section(
      'best', 'Best points',
      h('p', {},
        `The feasible point with the least ${report.betterWords} for every combination. ` +
            'Headings sort; numbers that are copied have all their digits.'),
      h('p', {class: 'absent'}, STRATEGY_WORDS),
      h('div', {class: 'controls'},
        checkbox(`all ${all.length} columns`, false, (on) => view.setColumns(on ? all : short))),
      view.element);
  return {element, update: () => view.show(filters.rows(best))};
}

export function otherTablesView(report, filters) {
  const tables = [...report.tables.values()].filter((table) => !table.hasOwnView && table.rows > 0);
  if (!tables.length)
    return null;
  const views =
      tables.map((table) => ({
                   table,
                   view: new TableView(
                       table.name, [...table.columns.keys()].map((name) => columnOf(table, name)),
                       table.description)
                 }));
  const element = section(
      'tables', 'More tables',
      views.map(
          ({table, view}) =>
              h('details', {},
                h('summary', {},
                  `${table.title}: ${table.description || 'table'} (${plain(table.allRows)} row${
                      table.allRows === 1 ? '' : 's'})`),
                view.element)));
  return {
    element,
    update: () => {
      for (const {table, view} of views)
        view.show(filters.rows(table));
    }
  };
}
