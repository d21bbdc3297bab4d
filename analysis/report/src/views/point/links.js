// From a mark of a chart or an id in a table to the explanation of that point. A link is the
// fragment of the page's address, so that it can be sent, and the back button closes it again.
import {h} from '../../dom.js';

const FRAGMENT = /^#point=(\d+)$/;

/** The id in the fragment of an address, as text, else null. */
export function idOfFragment(fragment) { return FRAGMENT.exec(fragment)?.[1] ?? null; }

export function fragmentOf(id) { return `#point=${id}`; }

/** Whether a value of a table is the id of a point: places without one have -1 or nothing. */
export function isId(value) { return /^\d+$/.test(String(value)); }

/** The id as a link, or a dash where there is none. */
export function pointLink(id, text = String(id)) {
  return isId(id) ? h('a', {class: 'point-link', href: fragmentOf(id)}, text) : '\u2013';
}

/** The marks of a chart that stand for points, those drawn last first, each point once. */
export function marksOf(series, idOf) {
  const known = new Set();
  const marks = [];
  for (const [seriesIndex, one] of [...series.entries()].reverse()) {
    for (const [dataIndex, item] of (one.data ?? []).entries()) {
      const id = idOf(item);
      if (!isId(id) || known.has(String(id)))
        continue;
      known.add(String(id));
      marks.push({id, seriesIndex, dataIndex});
    }
  }
  return marks;
}

/** Where a key leads among so many marks; -1 is before the first. */
export function markAfter(key, place, count) {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(place + 1, count - 1);
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(place - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return place;
  }
}

/**
 * Opens the point of a mark by a click, and by Enter at the mark that arrow keys choose. `idOf`
 * gives the point of an item of the chart's data, or null.
 */
export function linkMarks(chart, idOf) {
  let place = -1;
  const open = (id) => {
    window.location.hash = fragmentOf(id);
  };
  chart.on('click', ({data}) => {
    const id = data ? idOf(data) : null;
    if (isId(id))
      open(id);
  });
  const {element} = chart;
  element.tabIndex = 0;
  element.setAttribute('role', 'application');
  element.setAttribute(
      'aria-roledescription', 'chart; arrow keys choose a mark, Enter explains it');
  element.addEventListener('keydown', (event) => {
    if (chart.instance === null || event.target !== element)
      return;
    const marks = marksOf(chart.instance.getOption().series, idOf);
    if (event.key === 'Enter' && marks[place]) {
      open(marks[place].id);
    } else if (/^(Arrow\w+|Home|End)$/.test(event.key) && marks.length) {
      event.preventDefault();
      place = markAfter(event.key, Math.min(place, marks.length - 1), marks.length);
      chart.instance.dispatchAction({type: 'showTip', ...marks[place]});
    }
  });
}
