// The answers in words, and what a reader must know before believing them.
import {words} from '../data.js';
import {h} from '../dom.js';
import {percent, plain} from '../numbers.js';

function figure(value, text) {
  return h('div', {class: 'figure'}, h('b', {}, value), h('span', {}, text));
}

export function summaryView(report) {
  const {study} = report;
  const feasible = study.counts.ok ?? 0;
  const infeasible = Object.entries(study.counts)
                         .filter(([name, n]) => name !== 'ok' && n > 0)
                         .sort((a, b) => b[1] - a[1]);
  const frontier = report.table('frontier'), transitions = report.table('transitions');
  const element =
      h('section', {id: 'summary', 'aria-labelledby': 'summary-title'},
        report.notes.length ?
            h('div', {class: 'callout', role: 'note'}, h('b', {}, 'Before you read on'),
              h('ul', {}, report.notes.map((note) => h('li', {}, note)))) :
            null,
        h('h2', {id: 'summary-title'}, 'Summary'),
        h('div', {class: 'figures'}, figure(plain(study.points), 'points'),
          figure(percent(feasible / Math.max(study.points, 1)), 'feasible'),
          frontier ? figure(plain(frontier.allRows), 'on the frontier') : null,
          transitions ? figure(plain(transitions.allRows), 'bottleneck changes') : null),
        report.findings.length ?
            h('ul', {class: 'findings'}, report.findings.map((finding) => h('li', {}, finding))) :
            null,
        infeasible.length ?
            h('p', {},
              `Not feasible: ${
                  infeasible.map(([name, n]) => `${words(name)} ${plain(n)}`).join(', ')}.`) :
            null);
  return {element, update: () => {}};
}
