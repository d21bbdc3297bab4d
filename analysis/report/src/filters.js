// The values of the axes that are chosen. All views ask here what to show, and are told of changes.
import {capital, words} from './data.js';
import {h} from './dom.js';

export class Filters {
  constructor(axes) {
    this.axes = axes;  // [{ name, labels }]
    this.chosen = new Map(axes.map(({name, labels}) => [name, new Set(labels.keys())]));
    this.listeners = [];
  }

  onChange(listener) { this.listeners.push(listener); }
  changed() {
    for (const listener of this.listeners)
      listener();
  }

  allows(axis, place) {
    const chosen = this.chosen.get(axis);
    return chosen === undefined || chosen.has(place);
  }

  get isOpen() {
    return this.axes.every(({name, labels}) => this.chosen.get(name).size === labels.length);
  }

  set(axis, places) {
    this.chosen.set(axis, new Set(places));
    this.changed();
  }

  toggle(axis, place) {
    const chosen = this.chosen.get(axis);
    if (!chosen.delete(place))
      chosen.add(place);
    this.changed();
  }

  reset() {
    for (const {name, labels} of this.axes)
      this.chosen.set(name, new Set(labels.keys()));
    this.changed();
  }

  /** Whether a row of a table is shown. Columns of a change (from_, to_) count like the axis. */
  keeps(table) {
    const checks = [];
    for (const {name} of this.axes) {
      for (const column of [name, `from_${name}`, `to_${name}`]) {
        const found = table.column(column);
        // What is not an axis may have the name of one: quantities have no places.
        if (found && found.axis === name)
          checks.push([name, found.values]);
      }
    }
    return (row) => checks.every(([name, values]) => this.allows(name, values[row]));
  }

  rows(table) { return table.where(this.keeps(table)); }

  /** "memory HBM3 or HBM4; logic node N3": what is left of the axes that are not wide open. */
  text() {
    const parts = this.axes.filter(({name, labels}) => this.chosen.get(name).size < labels.length)
                      .map(({name, labels}) => {
                        const left = labels.filter((_, place) => this.allows(name, place));
                        return `${words(name)} ${left.length ? left.join(' or ') : '(none)'}`;
                      });
    return parts.join('; ');
  }
}

function chips(filters, {name, labels}) {
  const boxes = labels.map((label, place) => {
    const box = h('input', {
      type: 'checkbox',
      checked: true,
      'data-axis': name,
      'data-place': place,
      onchange: () => filters.toggle(name, place)
    });
    return h('label', {}, box, h('span', {}, label));
  });
  const setAll = (text, places) =>
      h('button', {
        type: 'button',
        class: 'plain',
        'aria-label': `${text} of ${words(name)}`,
        onclick: () => filters.set(name, places())
      },
        text);
  return h(
      'fieldset', {class: 'chips'}, h('legend', {}, capital(words(name))),
      h('div', {class: labels.length > 24 ? 'many' : ''}, boxes),
      h('span', {class: 'all-or-none'}, setAll('all', () => labels.keys()), ' ',
        setAll('none', () => [])));
}

function statusText(filters, isEmpty) {
  if (filters.isOpen)
    return 'everything is shown';
  return `shown: ${filters.text()}${isEmpty ? '. Nothing feasible is left of this choice.' : ''}`;
}

/** `isEmpty` says whether nothing feasible is left of what is chosen. */
export function filterBar(filters, isEmpty = () => false) {
  const status = h('p', {class: 'filter-status', 'aria-live': 'polite'});
  const reset = h('button', {type: 'button', onclick: () => filters.reset()}, 'Show everything');
  const body = h('div', {class: 'filter-body'}, filters.axes.map((axis) => chips(filters, axis)));
  const bar =
      h('details', {class: 'filters'}, h('summary', {}, h('b', {}, 'Filter'), ' ', status), body,
        reset);
  const refresh = () => {
    status.textContent = statusText(filters, isEmpty());
    reset.hidden = filters.isOpen;
    bar.classList.toggle('active', !filters.isOpen);
    for (const box of bar.querySelectorAll('input')) {
      box.checked = filters.allows(box.dataset.axis, Number(box.dataset.place));
    }
  };
  filters.onChange(refresh);
  refresh();
  return bar;
}
