// Where what limits the best strategy changes, and where the best strategy does.
import {capital, words} from '../data.js';
import {clear, h, section} from '../dom.js';
import {crossingText} from '../figures_text.js';
import {percent, plain} from '../numbers.js';
import {columnOf, madeColumn, TableView} from '../table_view.js';

function changeColumn(heading, table, names) {
  const at = (prefix, row) =>
      names.map((name) => table.label(prefix + name, row) ?? plain(table.value(prefix + name, row)))
          .join(' + ');
  return madeColumn(
      `${names.join('_')}_change`, heading, (row) => `${at('from_', row)} \u2192 ${at('to_', row)}`,
      {key: (row) => table.value(`from_${names[0]}`, row)});
}

/** All changes of a table are along the same quantity. */
function crossingHeading(table) {
  const name = table.rows ? table.label('quantity', 0) : null;
  return name && name !== 'none' ? `Crosses at ${words(name)} of` : 'Crosses at';
}

/** What the error bars leave sure. */
function firmText(table, rows) {
  if (!table.has('firm') || rows.every((row) => table.label('firm', row) === 'unknown'))
    return '';
  const firm = rows.filter((row) => table.label('firm', row) === 'yes').length;
  return ' A change is firm where both limits lead by more than the error bar at their values: ' +
      `${firm ? plain(firm) : 'none'} of these ${firm > 1 ? 'are' : 'is'}. ` +
      'Ranges in brackets say where it may be within the error bar.';
}

/** Columns of a table of changes, of those that it has: the change itself before its place. */
export function changeColumns(report, table) {
  const own = (name, heading) => (table.has(name) ? columnOf(table, name, heading) : null);
  const along = report.alongAxes.filter((name) => table.has(`from_${name}`, `to_${name}`));
  const limit = (row, side) => words(table.label(`${side}_limit`, row) ?? '?');
  const hasLimits = table.has('from_limit', 'to_limit');
  const crossingKeys = ['crossing_quantity', 'crossing_value', 'crossing_index'];
  const crossing = (row) =>
      crossingKeys.map((name) => table.value(name, row)).find((value) => value !== null);
  return [
    along.length ? changeColumn('Between', table, along) : null,
    hasLimits ?
        madeColumn(
            'limit', 'Limited by', (row) => `${limit(row, 'from')} \u2192 ${limit(row, 'to')}`) :
        null,
    hasLimits ? madeColumn(
                    'crossing', crossingHeading(table), (row) => crossingText(table, row),
                    {key: crossing}) :
                null,
    own('from_strategy', 'Best before'),
    own('to_strategy', 'Best after'),
    table.has('saving') ? {
      ...columnOf(table, 'saving', 'Saves'),
      text: (row) => percent(table.value('saving', row))
    } :
                          null,
    own('firm', 'Firm'),
    ...report.panels.map((name) => own(name, null)),
    own('level', 'Level'),
    own('second_resource', 'Second then'),
  ].filter((column) => column !== null);
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
                `of the bottleneck.${firmText(first.table, first.view.rows)}` :
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
