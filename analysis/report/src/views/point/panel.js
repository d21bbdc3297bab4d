// The panel that explains one point: opened by any mark, row or link, closed by Escape.
import {capital, valueText, words} from '../../data.js';
import {clear, copyButton, h} from '../../dom.js';
import {plain} from '../../numbers.js';
import {pointPairs} from '../frontier.js';

import {grouped, rowOf} from './explanations.js';
import {idOfFragment} from './links.js';
import {stepPicture} from './step.js';

/** Sheets that are unfolded at first: what a person asks before all else. */
const OPEN = ['result', 'resources', 'phases', 'memory'];
const TITLES = {
  point: 'Configuration'
};

function cells(sheet, columns, row) {
  return row.map(
      (text, i) =>
          h(i === 0 ? 'th' : 'td',
            {scope: i === 0 ? 'row' : null, class: columns[i].number ? 'number' : ''}, text));
}

function sheetTable(sheet) {
  const groups = grouped(sheet);
  const columns = groups[0]?.group === null ? sheet.columns : sheet.columns.slice(1);
  const hasHeads = columns.slice(1).some(({header}) => header !== '');
  return h(
      'div', {class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': sheet.title},
      h('table', {},
        hasHeads ? h('thead', {},
                     h('tr', {},
                       columns.map(
                           ({header, number}) =>
                               h('th', {scope: 'col', class: number ? 'number' : ''}, header)))) :
                   null,
        groups.map(
            ({group, rows}) =>
                h('tbody', {},
                  group === null ? null :
                                   h('tr', {class: 'group'},
                                     h('th', {colspan: columns.length, scope: 'rowgroup'}, group)),
                  rows.map((row) => h('tr', {}, cells(sheet, columns, row)))))));
}

function sheetView(sheet) {
  const title = sheet.title || TITLES[sheet.name] || capital(words(sheet.name));
  return h(
      'details', {open: OPEN.includes(sheet.name), 'data-sheet': sheet.name, class: 'table-view'},
      h('summary', {}, title), sheetTable(sheet));
}

/** What tells a point from the others, in short; "" where no table has it. */
function nameOf(report, id) {
  const found = rowOf(report, id);
  if (!found)
    return '';
  const {table, row} = found;
  const values = report.varying.filter((name) => table.has(name) && table.label(name, row) !== null)
                     .map((name) => valueText(name, table.label(name, row)));
  return [...values, table.label('strategy', row)].filter((part) => part).join(', ');
}

/** What the tables say of a point that the page does not explain, and why it does not. */
function shortView(report, id) {
  const found = rowOf(report, id);
  const pairs = found ? pointPairs(report, found.table, found.row) : [];
  const strategy = found?.table.label('strategy', found.row);
  const {problem, points} = report.explanations;
  return [
    pairs.length ? h('dl', {},
                     [...pairs, ...(strategy ? [['Strategy', strategy]] : [])].map(
                         ([name, value]) => [h('dt', {}, name), h('dd', {}, value)])) :
                   h('p', {}, 'No table of this page has this point.'),
    h('p', {class: 'absent'},
      problem ? `This page explains no points: ${problem}.` :
                `This page explains the ${plain(points.size)} points that matter most; this one ` +
              'is explained by the command below.')
  ];
}

function contents(report, id) {
  const {explanations} = report;
  const picture = explanations.picture(id);
  const drawn = picture ? h('details', {open: true, 'data-sheet': 'step'},
                            h('summary', {}, 'How the step runs'), stepPicture(picture)) :
                          null;
  const sheets = explanations.sheets(id);
  // What was asked for stands behind what came of it.
  const isAsked = ({name}) => name === 'point';
  const views = [...sheets.filter((sheet) => !isAsked(sheet)), ...sheets.filter(isAsked)].map(
      (sheet) => (sheet.name === 'phases' ? [sheetView(sheet), drawn] : sheetView(sheet)));
  const command = explanations.commandFor(id);
  return [
    explanations.has(id) ? [h('p', {class: 'status'}, nameOf(report, id)), views] :
                           shortView(report, id),
    command === null ? null :
                       h('p', {class: 'point-command'}, 'In a terminal: ', h('code', {}, command),
                         ' ', copyButton(() => command, 'the command'))
  ];
}

/** The panel, hidden until the page's address names a point. */
export function pointPanel(report) {
  const title = h('h2', {id: 'point-title'});
  const body = h('div', {class: 'point-body'});
  const shut = h('button', {type: 'button', onclick: close}, 'Close');
  const element =
      h('aside', {
        class: 'point-panel',
        id: 'point-panel',
        role: 'dialog',
        'aria-labelledby': 'point-title',
        tabindex: -1,
        hidden: true
      },
        h('div', {class: 'point-head'}, title, shut), body);
  let before = null;  // what had the focus

  function close() {
    window.history.pushState(null, '', window.location.href.split('#')[0]);
    follow();
  }

  /** Shows what the address says. */
  function follow() {
    const id = idOfFragment(window.location.hash);
    if (id === null) {
      if (!element.hidden) {
        element.hidden = true;
        before?.focus?.({preventScroll: true});
      }
      return;
    }
    if (element.hidden)
      before = document.activeElement;
    title.textContent = `Point ${id}`;
    clear(body, contents(report, id));
    element.hidden = false;
    element.scrollTop = 0;
    element.focus({preventScroll: true});
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !element.hidden)
      close();
  });
  window.addEventListener('hashchange', follow);
  return {element, follow};
}
