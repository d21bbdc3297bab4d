// What a reader prints: two pages. The verdict and the frontier are on the first, what limits and
// the best points on the second; all else stays on the screen. It follows the filter, as the page
// does.
import {setPaper} from '../charts.js';
import {h} from '../dom.js';
import {plain} from '../numbers.js';
import {bestOfQuestions} from '../reading/answers.js';
import {TableView} from '../table_view.js';
import {shortColumns} from '../views/points.js';

// Pixels between the margins of a page: Letter is the lower one, A4 the narrower one (style.css).
const PAGE_HEIGHT = 930;
const LOWEST_FIGURE = 190;
const MOST_ROWS = 18;
const LEFT_OUT = ['dominant_share', 'relative_uncertainty'];  // columns, so that names keep whole

/** The table of the second page, and where the study is to be found; not on the screen. */
export function bestOnPaper(report, filters) {
  const best = report.table('best');
  const columns = best ? shortColumns(report, best) : [];
  const view =
      best ? new TableView('paper', columns.filter(({name}) => !LEFT_OUT.includes(name))) : null;
  const {study} = report;
  const sha = study.sha256 ? `, SHA-256 ${study.sha256}` : '';
  const element =
      h('section', {id: 'paper', 'aria-hidden': 'true'},
        view ? [h('h2', {}, `Best by ${report.betterWords}`), view.element] : null,
        h('p', {class: 'status'},
          `${study.file}: ${plain(study.points)} points${sha}. ${report.program}; ` +
              `${report.commands.join('; ')}. The page on a screen has all tables and figures.`));
  return {
    element,
    update: () => view?.show(bestOfQuestions(report, best, filters.rows(best), MOST_ROWS))
  };
}

/**
 * Pixels from the top of the first to the bottom of the last: where a page is scrolled to moves.
 */
function heightOf(elements) {
  const boxes =
      elements.map((element) => element.getBoundingClientRect()).filter(({height}) => height > 0);
  return boxes.length ?
      Math.max(...boxes.map(({bottom}) => bottom)) - Math.min(...boxes.map(({top}) => top)) :
      0;
}

/** Hides what may be left out, from the last on, until a page has room for what is left. */
function fit(elements, droppable) {
  const dropped = [];
  while (droppable.length && heightOf(elements) > PAGE_HEIGHT) {
    const last = droppable.pop();
    last.hidden = true;
    dropped.push(last);
  }
  return dropped;
}

/** Draws the figure of the first page lower by as much as the verdict beside it is too high. */
function lowerFigure(elements, update) {
  const style = document.documentElement.style;
  const most = Number(getComputedStyle(document.documentElement).getPropertyValue('--printed'));
  const over = heightOf(elements) - PAGE_HEIGHT;
  if (over > 0) {
    style.setProperty('--printed', Math.max(LOWEST_FIGURE, Math.floor(most - over)));
    update();
  }
  return () => style.removeProperty('--printed');
}

/** Hides what the pages have no room for; how to show it again. */
function fitPages(root, update) {
  const all = (selector) => [...root.querySelectorAll(selector)];
  const answers = all('#verdict .verdict');
  const note = h('p', {class: 'status'});
  root.querySelector('#verdict')?.append(note);
  const first = all('header, #verdict, #summary, #frontier');
  // The last is the first to go, but an answer goes only where a lower figure does not help.
  const dropped = fit(first, answers.slice(2));
  const higher = lowerFigure(first, update);
  dropped.push(...fit(first, [
    ...all('#summary .callout li').slice(1), ...all('#summary .figures'), ...answers.slice(1, 2)
  ]));
  const isMissing = (answer) => dropped.includes(answer) || answer.closest('details') !== null;
  const missing = answers.filter(isMissing).length;
  if (missing)
    note.textContent =
        `${plain(missing)} more ${missing === 1 ? 'answer is' : 'answers are'} on the screen.`;
  dropped.push(...fit(all('#bottlenecks, #paper'), all('#paper tbody tr')));
  return () => {
    higher();
    note.remove();
    for (const element of dropped)
      element.hidden = false;
  };
}

/**
 * Light, as wide as paper and no longer than two pages for the printer, and back again. `update`
 * draws all views anew.
 */
export function watchPrinting(root, update) {
  let restore = () => {};
  window.addEventListener('beforeprint', () => {
    setPaper('pages');
    update();
    restore = fitPages(root, update);
  });
  window.addEventListener('afterprint', () => {
    restore();
    setPaper(null);
    update();
  });
}
