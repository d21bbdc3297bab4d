import assert from 'node:assert/strict';
import {test} from 'node:test';

import {learnWords, Table} from '../src/data.js';
import * as statuses from '../src/reading/statuses.js';

learnWords({ok: 'feasible'});

const counts = {
  does_not_fit: 30,
  filtered: 50,
  ok: 10,
  too_few_replicas: 0
};

test('what a filter of the spec left out is neither feasible nor infeasible', () => {
  assert.equal(statuses.feasibleShare({counts}), 0.25);
  assert.equal(
      statuses.statusSentences(counts),
      'Not feasible: does not fit 30. Left out by filters of the spec: 50.');
  assert.equal(statuses.statusSentences({ok: 3}), '');
  assert.equal(statuses.feasibleShare({counts: {does_not_fit: 1, not_searched: 60, ok: 3}}), 0.75);
  assert.equal(
      statuses.statusSentences({does_not_fit: 1, not_searched: 60, ok: 3}),
      'Not feasible: does not fit 1. Left out by [search]: 60.');
  assert.equal(statuses.feasibleShare({counts: {filtered: 5}}), 0);
  assert.equal(statuses.statusSentences({ok: 3, pruned: 7}), 'Pruned, as others are better: 7.');
});

test('a file that keeps some rows says nothing by value, an unfinished one does', () => {
  assert.equal(statuses.computedPoints({counts}), 90);
  assert.ok(statuses.keepsAll({rows: 90, points: 1000, counts}));
  assert.ok(!statuses.keepsAll({rows: 12, points: 90, counts}));
  assert.ok(!statuses.coversAll({rows: 12, points: 90, counts, coverage_is_whole: false}));
  assert.ok(statuses.coversAll({rows: 90, points: 90, counts, coverage_is_whole: false}));
});

test('a file that counted what it does not keep says what became of it by value', () => {
  assert.ok(statuses.coversAll({rows: 12, points: 90, counts, coverage_is_whole: true}));
});

test('statuses are those that some point has, feasible first, each in a colour of its own', () => {
  const table = new Table(
      'coverage', {
        rows: 2,
        columns: [
          {name: 'rows_does_not_fit', values: [1, 2]},
          {name: 'rows_filtered', values: [9, 0]},
          {name: 'rows_misses_limits', all: 0},
          {name: 'rows_ok', values: [0, 1]},
        ]
      },
      {});
  const found = statuses.statusesOf(table);
  assert.deepEqual(found.map((status) => status.words), ['feasible', 'filtered', 'does not fit']);
  assert.equal(new Set(found.map(({colour}) => colour)).size, 3);
});

test('the bar of a study counts all points', () => {
  const {statuses: found, bars} = statuses.barOfStudy({rows: 1, points: 90, counts});
  assert.deepEqual(found.map((status) => status.words), ['feasible', 'filtered', 'does not fit']);
  assert.deepEqual(bars, [{name: 'all points', sums: [10, 50, 30]}]);
  const none = statuses.barOfStudy({counts: {does_not_fit: 3, filtered: 1}}).statuses;
  assert.ok(none.every(({colour}) => colour !== undefined));
});
