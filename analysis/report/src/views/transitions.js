// Where what limits the best strategy changes, and where the best strategy does.
import {words} from '../data.js';
import {choice, clear, h, section} from '../dom.js';
import {crossingText, hasSeveralQuantities} from '../figures_text.js';
import {percent, plain} from '../numbers.js';
import {columnOf, madeColumn, TableView} from '../table_view.js';

const SAME = 'What limits the best strategy is the same at all values.';

function changeColumn(heading, table, names) {
  const at = (prefix, row) =>
      names.map((name) => table.label(prefix + name, row) ?? plain(table.value(prefix + name, row)))
          .join(' + ');
  return madeColumn(
      `${names.join('_')}_change`, heading, (row) => `${at('from_', row)} \u2192 ${at('to_', row)}`,
      {key: (row) => table.value(`from_${names[0]}`, row)});
}

function crossingHeading(table) {
  const name = table.rows && !hasSeveralQuantities(table) ? table.label('quantity', 0) : null;
  return name && name !== 'none' ? `Crosses at ${words(name)} of` : 'Crosses at';
}

/**
 * A change from one group of resources to another is one between resources as well: rows of one
 * level are counted and shown at a time, where the table tells levels apart.
 */
export function rowsOfLevel(table, rows, level) {
  return table.has('level') ? rows.filter((row) => table.label('level', row) === level) : rows;
}

/** Groups first, but resources where no group changes. */
export function firstLevel(table) {
  const all = [...Array(table.rows).keys()];
  return rowsOfLevel(table, all, 'group').length ? 'group' : 'resource';
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

function statusText({table, view}) {
  const many = view.rows.length;
  return `${plain(many)} change${many === 1 ? '' : 's'} of the bottleneck.` +
      firmText(table, view.rows);
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
    own('second_resource', 'Next in line'),
    own('from_point_id', 'Point before'),
    own('to_point_id', 'Point after'),
  ].filter((column) => column !== null);
}

/** Which changes are shown; nothing to choose where all are of one level. */
function levelChoice(state, table, update) {
  const all = [...Array(table.rows).keys()];
  const found = ['group', 'resource'].filter((name) => rowsOfLevel(table, all, name).length);
  const titles = {group: 'Groups', resource: 'Resources'};
  return table.has('level') && found.length > 1 ?
      h('div', {class: 'controls'},
        choice(
            'Changes between', found.map((name) => [name, titles[name]]), state.level,
            (level) => {
              state.level = level;
              update();
            })) :
      null;
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
  const state = {level: firstLevel(first.table)};
  function update() {
    for (const {table, view} of views)
      view.show(rowsOfLevel(table, filters.rows(table), state.level));
    clear(status, isLimits ? statusText(first) : SAME);
  }
  const element = section(
      'transitions', 'Where the bottleneck moves',
      isLimits ? levelChoice(state, first.table, update) : null, status,
      isLimits ? first.view.element : null,
      (isLimits ? others : views)
          .map(
              ({table, view}) =>
                  h('details', {}, h('summary', {}, `${table.title} (${plain(table.rows)})`),
                    view.element)));
  return {element, update};
}
