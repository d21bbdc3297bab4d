// Where what limits the best strategy changes, and where the best strategy does.
import {capital, words} from '../data.js';
import {clear, h, section} from '../dom.js';
import {crossingText} from '../figures_text.js';
import {plain} from '../numbers.js';
import {columnOf, madeColumn, TableView} from '../table_view.js';

function changeColumn(heading, table, names) {
  const at = (prefix, row) =>
      names.map((name) => table.label(prefix + name, row) ?? plain(table.value(prefix + name, row)))
          .join(' + ');
  return madeColumn(
      `${names.join('_')}_change`, heading, (row) => `${at('from_', row)} \u2192 ${at('to_', row)}`,
      {key: (row) => table.value(`from_${names[0]}`, row)});
}

/** Columns of a table of changes, of those that it has. */
export function changeColumns(report, table) {
  const columns =
      report.panels.filter((name) => table.has(name)).map((name) => columnOf(table, name));
  const along = report.alongAxes.filter((name) => table.has(`from_${name}`, `to_${name}`));
  if (along.length)
    columns.push(changeColumn('Between', table, along));
  if (table.has('level'))
    columns.push(columnOf(table, 'level', 'Level'));
  if (table.has('from_limit', 'to_limit')) {
    columns.push(madeColumn(
        'limit', 'Limited by',
        (row) => `${words(table.label('from_limit', row) ?? '?')} \u2192 ${
            words(table.label('to_limit', row) ?? '?')}`));
    columns.push(madeColumn('crossing', 'Crosses at', (row) => crossingText(table, row), {
      key: (row) => table.value('crossing_quantity', row) ?? table.value('crossing_value', row) ??
          table.value('crossing_index', row)
    }));
  }
  for (const name of ['second_resource', 'firm']) {
    if (table.has(name))
      columns.push(columnOf(table, name));
  }
  if (table.has('from_strategy', 'to_strategy')) {
    columns.push(columnOf(table, 'from_strategy', 'Best before'));
    columns.push(columnOf(table, 'to_strategy', 'Best after'));
  }
  return columns;
}

export function transitionView(report, filters) {
  const views = [];
  const add = (name, caption) => {
    const table = report.table(name);
    if (table)
      views.push({table, view: new TableView(name, changeColumns(report, table), caption)});
  };
  add('transitions', 'Changes of what limits the best strategy');
  add('strategy_changes', 'Changes of the best strategy');
  if (!views.length)
    return null;
  const status = h('p', {class: 'status', id: 'transitions-status'});
  const [first, ...others] = views;
  const isLimits = first.table.name === 'transitions';
  function update() {
    for (const {table, view} of views)
      view.show(filters.rows(table));
    clear(
        status,
        isLimits ?
            `${plain(first.view.rows.length)} change${first.view.rows.length === 1 ? '' : 's'} ` +
                'of the bottleneck' +
                (first.table.has('firm') ?
                     '; firm ones stay within the error bars of the estimates.' :
                     '.') :
            'What limits the best strategy is the same at all values.');
  }
  const element = section(
      'transitions', 'Where the bottleneck moves', status, isLimits ? first.view.element : null,
      (isLimits ? others : views)
          .map(
              ({table, view}) =>
                  h('details', {},
                    h('summary', {}, `${capital(words(table.name))} (${plain(table.rows)})`),
                    view.element)));
  return {element, update};
}
