// The answers in words, and what a reader must know before believing them.
import {capital, words} from '../data.js';
import {h} from '../dom.js';
import {percent, plain} from '../numbers.js';
import {meanByResource, nextByResource} from '../reading/answers.js';
import {feasibleShare, statusSentences} from '../reading/statuses.js';

import {firstLevel, rowsOfLevel} from './transitions.js';

const MOST_FINDINGS = 16;

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

/** Changes of the bottleneck, each once. */
function changeFigure(table) {
  const level = firstLevel(table);
  const many = rowsOfLevel(table, table.where(() => true), level).length;
  // Of a table that is cut short nobody can count one level.
  return figure(
      table.rows < table.allRows ? plain(table.allRows) : plain(many),
      `bottleneck change${many === 1 ? '' : 's'}`);
}

/** The resource of which more saves most, and how often it is the one. */
function improvementFigure(report) {
  const table = report.table('improvements', 'resource', 'mean_gain', 'next_at', 'points');
  if (!table)
    return null;
  const rows = table.where(() => true);
  const [best] = meanByResource(table, rows, 'mean_gain');
  const {at, of} = nextByResource(table, rows).get(best.resource);
  if (of === 0)
    return null;
  return figure(
      capital(words(best.resource)),
      `to improve next: 10\u202f% more saves ${percent(best.value)} on average, ` +
          `most at ${plain(at)} of ${plain(of)} best points`);
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
  const statuses = statusSentences(study.counts);
  const frontier = report.table('frontier'), transitions = report.table('transitions');
  const element =
      h('section', {id: 'summary', 'aria-labelledby': 'summary-title'},
        notes.length ? h('div', {class: 'callout', role: 'note'}, h('b', {}, 'Before you read on'),
                         h('ul', {}, notes.map((note) => h('li', {}, note)))) :
                       null,
        h('h2', {id: 'summary-title'}, 'Summary'),
        h('div', {class: 'figures'}, figure(plain(study.points), 'points'),
          figure(percent(feasibleShare(study)), 'feasible'),
          frontier ? figure(plain(frontier.allRows), 'on the frontier') : null,
          transitions ? changeFigure(transitions) : null, improvementFigure(report)),
        findingsList(report.findings), statuses ? h('p', {}, statuses) : null);
  return {element, update: () => {}};
}
