import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Table} from '../src/data.js';
import {Explanations, grouped, rowOf} from '../src/views/point/explanations.js';
import {idOfFragment, isId, markAfter, marksOf} from '../src/views/point/links.js';
// clang-format off
import {
  bandsOf, levelsIn, panesOf, partsByPhase, passAt, passesOf, peakBytes, placeIn, timeAt,
} from '../src/views/point/step_picture.js';
// clang-format on

const raw = {
  command: 'scalesweep explain quick.h5 --point',
  problem: '',
  texts: ['forward', 'backward', '1 s', '2 s', 'layers', 'Time'],
  columns: [[0, 1], [2, 3], [4, 4], [3, 2]],
  heads: [
    {name: 'phases', columns: [{name: 'name'}, {name: 'time', number: true}]},
    {name: 'terms', columns: [{name: 'group'}, {name: 'name'}, {name: 'once_s'}]}
  ],
  points: {7: [[0, 5, 0, 1], [1, 5, 2, 0, 3]], 9: [[0, 5, 0, 3]]},
  pictures: {7: {problem: 'dual'}}
};

test('sheets of a point come back from what points share', () => {
  const explanations = new Explanations(raw);
  assert.deepEqual(explanations.sheets(7)[0].rows, [['forward', '1 s'], ['backward', '2 s']]);
  assert.equal(explanations.sheets(7)[0].title, 'Time');
  assert.equal(explanations.sheets('7')[1].name, 'terms');
  assert.deepEqual(explanations.sheets(9)[0].rows, [['forward', '2 s'], ['backward', '1 s']]);
  assert.deepEqual(explanations.sheets(8), []);
  assert.ok(explanations.has(9) && !explanations.has(8));
  assert.equal(explanations.commandFor(8), 'scalesweep explain quick.h5 --point 8');
  assert.equal(explanations.picture(9), null);
});

test('a page without explanations has none and says why', () => {
  const none = new Explanations(null);
  assert.ok(none.problem && !none.has(1) && none.commandFor(1) === null);
  assert.equal(new Explanations({problem: 'old file', command: 'x'}).problem, 'old file');
});

test('terms stand under their groups', () => {
  const [phases, terms] = new Explanations(raw).sheets(7);
  assert.deepEqual(grouped(phases), [{group: null, rows: phases.rows}]);
  assert.deepEqual(
      grouped(terms), [{group: 'layers', rows: [['forward', '2 s'], ['backward', '1 s']]}]);
});

test('a point that is not explained is found in a table', () => {
  const table = new Table(
      'frontier', {rows: 2, columns: [{name: 'point_id', values: [4, '90071992547409931']}]}, {});
  const report = {table: (name) => (name === 'frontier' ? table : null)};
  assert.equal(rowOf(report, '90071992547409931').row, 1);
  assert.equal(rowOf(report, '5'), null);
});

test('the fragment of an address names a point by digits alone', () => {
  assert.equal(idOfFragment('#point=12'), '12');
  for (const other of ['', '#frontier', '#point=', '#point=-1', '#point=1x'])
    assert.equal(idOfFragment(other), null);
  assert.ok(isId(0) && isId('12') && !isId(-1) && !isId(null) && !isId(undefined));
});

test('keys go through the marks that stand for points, each point once', () => {
  const series = [
    {data: [{id: 1}, {id: 2}, {id: null}]},
    {data: [{id: 2}, 5]},
    {},
  ];
  const marks = marksOf(series, (item) => item.id);
  assert.deepEqual(marks.map(({id}) => id), [2, 1]);
  assert.deepEqual(
      marks[1], {id: 1, seriesIndex: 0, dataIndex: 0});  // that of the last series comes first
  assert.equal(markAfter('ArrowRight', -1, 2), 0);
  assert.equal(markAfter('ArrowDown', 1, 2), 1);
  assert.equal(markAfter('ArrowLeft', 0, 2), 0);
  assert.equal(markAfter('End', 0, 2), 1);
  assert.equal(markAfter('Home', 1, 2), 0);
});

const picture = {
  end_s: 2,
  units: 100,
  windows: [[0, 40], [80, 100]],
  phases: ['forward', 'backward', 'optimizer'],
  stages: [{
    kinds: 'FB',
    starts: [0, 30],
    micro_batches: [0, 0],
    pieces: {F: [[0, 20]], B: [[0, 5], [1, 30]]}
  }],
  once: [[2, 90, 10]]
};

test('windows stand side by side on one scale', () => {
  const panes = panesOf(picture.windows, 130, 10);
  assert.deepEqual(panes.map(({left, width}) => [left, width]), [[0, 80], [90, 40]]);
  assert.equal(placeIn(panes[0], 10), 20);
  assert.equal(placeIn(panes[1], 120), 130);  // what goes on beyond a pane ends there
  assert.equal(timeAt(panes, 20), 10);
  assert.equal(timeAt(panes, 85), null);
  assert.equal(timeAt(panes, 130), 100);
});

test('passes are made of their pieces one after another', () => {
  const [forward, backward] = passesOf(picture, 0);
  assert.deepEqual(
      forward, {kind: 'F', microBatch: 0, chunk: null, begin: 0, end: 20, parts: [[0, 0, 20]]});
  assert.deepEqual(backward.parts, [[0, 30, 35], [1, 35, 65]]);
  assert.deepEqual(partsByPhase(picture, 0), [[[0, 20], [30, 35]], [[35, 65]], [[90, 100]]]);
  assert.equal(passAt(picture, 0, 64).kind, 'B');
  assert.equal(passAt(picture, 0, 25), null);
});

test('memory is what stays and what micro-batches in flight keep', () => {
  const memory = {
    weights: 10,
    gradients: 20,
    optimizer: 30,
    beside: 5,
    kept: 8,
    peak: 2,
    starts: [0, 10, 60, 95],
    held: [1, 2, 1, 0]
  };
  assert.equal(peakBytes(memory), 10 + 20 + 30 + 5 + 2 * 8);
  assert.deepEqual(
      bandsOf(memory).map(([name]) => name),
      ['weights', 'gradients', 'optimizer', 'beside', 'activations']);
  const [first, last] = panesOf(picture.windows, 130, 10);
  assert.deepEqual(levelsIn(memory, first), [[0, 10, 1], [10, 40, 2]]);
  assert.deepEqual(levelsIn(memory, last), [[80, 95, 1], [95, 100, 0]]);
});
