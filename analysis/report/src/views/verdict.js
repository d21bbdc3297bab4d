// What the study answers, question by question, before anything else: the lines of the terminal.
import {h, section} from '../dom.js';
import {plain} from '../numbers.js';

import {pointLink} from './point/links.js';

const MOST_OPEN = 8;

function lineItems({label, texts}) {
  return [h('dt', {}, label), h('dd', {}, texts.map((text) => h('p', {}, text)))];
}

/** From an answer to its points: links that open what `explain` says of them. */
function pointItems(points = []) {
  const named = (what) => points.filter((point) => point.what === what);
  const shown = [...named('taken'), ...named('best'), ...named('next')];
  if (!shown.length)
    return null;
  return [
    h('dt', {}, 'explain'),
    h('dd', {class: 'point-links'}, shown.map(({id, words}) => pointLink(id, words || id)))
  ];
}

function answer({question, choice, lines, points}) {
  return h(
      'article', {class: 'verdict'},
      h('h3', {}, question, question && choice ? ': ' : '', h('strong', {}, choice)),
      h('dl', {}, lines.map(lineItems), pointItems(points)));
}

/** Each question with its answer; those after the first few folded away. */
export function verdictView(report) {
  const {aim, answers, notes} = report.verdict;
  if (!answers.length)
    return null;
  const others = answers.slice(MOST_OPEN);
  const count = answers.length > 1 ? `, for each of ${plain(answers.length)} questions` : '';
  const element = section(
      'verdict', 'Verdict',
      h('p', {}, `The ${aim}${count}. Filters do not change it: it is of the whole study.`),
      notes.map((note) => h('p', {class: 'status'}, note)), answers.slice(0, MOST_OPEN).map(answer),
      others.length ?
          h('details', {}, h('summary', {}, `${plain(others.length)} more`), others.map(answer)) :
          null);
  return {element, update: () => {}};
}
