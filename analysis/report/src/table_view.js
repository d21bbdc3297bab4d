// A table that sorts by its headings, shows a page of its rows at a time and copies as CSV.
import {capital, words} from './data.js';
import {copyButton, h} from './dom.js';
import {percent, plain, quantity} from './numbers.js';
import {csvBlob, download, fileName} from './paper/save.js';
import {csvOf, sortedRows} from './sorting.js';
import {pointLink} from './views/point/links.js';

const PAGE = 25;

function numberText(column, value) {
  return column.isShare ? percent(value) : quantity(value, column.units);
}

/** How a column of a result is headed, shown, sorted and copied. */
export function columnOf(table, name, heading = null) {
  const column = table.column(name);
  // Values of axes and strategies are names of their own; other labels are words with underscores.
  const isName = column.axis !== '' || name.endsWith('strategy');
  const shownLabel = (label) => (label === null || isName ? label : words(label));
  const shown = (row) => shownLabel(column.label(row)) ??
      (column.isNumber ? numberText(column, column.values[row]) : '\u2013');
  const isId = ['point_id', 'knee_id'].includes(name) || name.endsWith('_point_id');
  const idLink = (row) => pointLink(column.values[row]);
  return {
    name,
    heading: heading ?? capital(column.axis ? words(name) : column.longName),
    title: column.description,
    isNumber: column.isNumber,
    text: isId ? idLink : shown,
    key: (row) => column.values[row],
    exact: (row) =>
        column.label(row) ?? (column.values[row] === null ? '' : String(column.values[row])),
  };
}

/** A column that is made up from others. */
export function madeColumn(
    name, heading, text, {key = text, exact = text, isNumber = false, title = ''} = {}) {
  return {name, heading, title, isNumber, text, key, exact};
}

/** "25 of 84 rows". */
function rowsText(shown, total) {
  if (total === 0)
    return 'no rows for this choice';
  const all = `${plain(total)} row${total === 1 ? '' : 's'}`;
  return shown < total ? `${shown} of ${all}` : all;
}

export class TableView {
  constructor(name, columns, caption = '') {
    this.columns = columns;
    this.rows = [];
    this.sortedBy = null;
    this.isDescending = false;
    this.most = PAGE;
    this.body = h('tbody');
    this.headings = h('tr');
    this.status = h('span', {class: 'table-status', 'aria-live': 'polite'});
    this.more = h('button', {type: 'button', onclick: () => this.showMore()}, 'Show all rows');
    this.element =
        h('div', {class: 'table-view', id: `table-${name}`},
          h('div', {class: 'table-tools'}, this.status,
            h('span', {class: 'control'}, copyButton(() => this.csv(), 'as CSV'),
              h('button', {
                type: 'button',
                class: 'save-table',
                onclick: () => download(csvBlob(this.csv()), fileName(name, 'csv'))
              },
                'Save as CSV'))),
          h('div', {
            class: 'table-scroll',
            tabindex: 0,
            role: 'region',
            'aria-label': caption || words(name)
          },
            h('table', {}, caption ? h('caption', {}, caption) : null,
              h('thead', {}, this.headings), this.body)),
          this.more);
    this.drawHeadings();
  }

  csv() { return csvOf(this.columns, this.ordered()); }

  drawHeadings() {
    this.headings.replaceChildren(...this.columns.map((column) => {
      const isSorted = this.sortedBy === column;
      const mark = isSorted ? (this.isDescending ? ' \u25be' : ' \u25b4') : '';
      return h(
          'th', {
            scope: 'col',
            class: column.isNumber ? 'number' : '',
            title: column.title,
            'aria-sort': isSorted ? (this.isDescending ? 'descending' : 'ascending') : 'none'
          },
          h('button', {
            type: 'button',
            class: 'plain',
            'data-column': column.name,
            onclick: () => this.sortBy(column)
          },
            column.heading, h('span', {'aria-hidden': 'true'}, mark)));
    }));
  }

  sortBy(column) {
    this.isDescending = this.sortedBy === column && !this.isDescending;
    this.sortedBy = column;
    const focused = document.activeElement?.dataset?.column;
    this.drawHeadings();
    if (focused)
      this.headings.querySelector(`[data-column="${focused}"]`)?.focus();
    this.drawRows();
  }

  ordered() {
    return this.sortedBy ? sortedRows(this.rows, this.sortedBy.key, this.isDescending) : this.rows;
  }

  showMore() {
    this.most = this.most === PAGE ? Infinity : PAGE;
    this.drawRows();
  }

  setColumns(columns) {
    this.columns = columns;
    this.sortedBy = columns.find((column) => column.name === this.sortedBy?.name) ?? null;
    this.drawHeadings();
    this.drawRows();
  }

  /** Other rows, and columns where they are of another table. */
  show(rows, columns = null) {
    this.rows = rows;
    if (columns)
      this.setColumns(columns);
    else
      this.drawRows();
  }

  drawRows() {
    const shown = this.ordered().slice(0, this.most);
    this.body.replaceChildren(...shown.map(
        (row) =>
            h('tr', {'data-row': row},
              this.columns.map(
                  (column, i) =>
                      h(i === 0 && !column.isNumber ? 'th' : 'td', {
                        class: column.isNumber ? 'number' : '',
                        scope: i === 0 && !column.isNumber ? 'row' : null
                      },
                        column.text(row))))));
    const total = this.rows.length;
    this.status.textContent = rowsText(shown.length, total);
    this.more.hidden = total <= PAGE;
    this.more.textContent =
        this.most === PAGE ? `Show all ${plain(total)} rows` : 'Show fewer rows';
  }
}
