// The answers in words, and what a reader must know before believing them.
import {words} from '../data.js';
import {h} from '../dom.js';
import {percent, plain} from '../numbers.js';

const MOST_FINDINGS = 8;

function figure(value, text) {
  return h('div', {class: 'figure'}, h('b', {}, value), h('span', {}, text));
}

/** All of them, those after the first few folded away. */
function findingsList(findings) {
  if (!findings.length)
    return null;
  const list = (some) => h('ul', {class: 'findings'}, some.map((finding) => h('li', {}, finding)));
  const others = findings.slice(MOST_FINDINGS);
  return [
    list(findings.slice(0, MOST_FINDINGS)),
    others.length ? h('details', {}, h('summary', {}, `${others.length} more`), list(others)) :
                    null,
  ];
}

/** What the page leaves out, where that can be seen. */
function thinnedNotes(report) {
  return [...report.tables.values()]
      .filter((table) => table.rows < table.allRows)
      .map(
          (table) => `this page has ${plain(table.rows)} of ${plain(table.allRows)} rows of the ` +
              `table '${table.name}': charts of it have gaps, the analysis tables have all`);
}

export function summaryView(report) {
  const notes = [...report.notes, ...thinnedNotes(report)];
  const {study} = report;
  const feasible = study.counts.ok ?? 0;
  const infeasible = Object.entries(study.counts)
                         .filter(([name, n]) => name !== 'ok' && n > 0)
                         .sort((a, b) => b[1] - a[1]);
  const frontier = report.table('frontier'), transitions = report.table('transitions');
  const element =
      h('section', {id: 'summary', 'aria-labelledby': 'summary-title'},
        notes.length ? h('div', {class: 'callout', role: 'note'}, h('b', {}, 'Before you read on'),
                         h('ul', {}, notes.map((note) => h('li', {}, note)))) :
                       null,
        h('h2', {id: 'summary-title'}, 'Summary'),
        h('div', {class: 'figures'}, figure(plain(study.points), 'points'),
          figure(percent(feasible / Math.max(study.points, 1)), 'feasible'),
          frontier ? figure(plain(frontier.allRows), 'on the frontier') : null,
          transitions ? figure(plain(transitions.allRows), 'bottleneck changes') : null),
        findingsList(report.findings),
        infeasible.length ?
            h('p', {},
              `Not feasible: ${
                  infeasible.map(([name, n]) => `${words(name)} ${plain(n)}`).join(', ')}.`) :
            null);
  return {element, update: () => {}};
}
