import assert from 'node:assert/strict';
import {test} from 'node:test';

import {learnWords, Table} from '../src/data.js';
import {crossingText, roundNumbers, stepText} from '../src/figures_text.js';
import {elasticityText} from '../src/numbers.js';
import {bestOfEach, factorsOf, knownPairs, nextByResource} from '../src/reading/answers.js';
import {csvOf} from '../src/sorting.js';
import {colourings} from '../src/views/colourings.js';
import {firstLevel, rowsOfLevel} from '../src/views/transitions.js';

learnWords({logic: 'logic node', zero: 'ZeRO stage', dram_bandwidth: 'DRAM bandwidth'});

const table = new Table(
    'transitions', {
      rows: 3,
      columns: [
        {name: 'quantity', labels: ['dram_bandwidth'], all: 0},
        {name: 'quantity_units', labels: ['B s-1'], all: 0},
        {name: 'crossing_quantity', units: 'B s-1', values: [4.1e12, null, 2e12]},
        {name: 'crossing_low', values: [3.8e12, null, null]},
        {name: 'crossing_high', values: [4.4e12, null, null]},
        {name: 'crossing_index', values: [1.5, 2.25, 3]},
      ]
    },
    {});

test('a crossing is a quantity with its range, or else a place along the axis', () => {
  assert.equal(crossingText(table, 0), '4.1 TB/s (3.8 to 4.4)');
  assert.equal(crossingText(table, 1), '2.25 steps along');
  assert.equal(crossingText(table, 2), '2 TB/s');
});

test('where the quantity is not the same for all changes, each says its own', () => {
  const mixed = new Table(
      'transitions', {
        rows: 2,
        columns: [
          {name: 'quantity', labels: ['tensor_peak', 'dram_bandwidth'], values: [1, 0]},
          {name: 'quantity_units', labels: ['s-1', 'B s-1'], values: [1, 0]},
          {name: 'crossing_quantity', values: [4.1e12, 2e15]},
          {name: 'crossing_low', values: [3.8e12, null]},
          {name: 'crossing_high', values: [4.4e12, null]},
        ]
      },
      {});
  assert.equal(crossingText(mixed, 0), '4.1 TB/s (3.8 to 4.4) of DRAM bandwidth');
  assert.equal(crossingText(mixed, 1), '2 PFLOP/s of tensor peak');
});

test('a peak counts operations, and ends of a range keep units of their own', () => {
  const peaks = new Table(
      'transitions', {
        rows: 1,
        columns: [
          {name: 'quantity', labels: ['tensor_peak'], all: 0},
          {name: 'quantity_units', labels: ['s-1'], all: 0},
          {name: 'crossing_quantity', units: 's-1', all: 1.458e15},
          {name: 'crossing_low', all: 9e14},
          {name: 'crossing_high', all: 1.65e15},
        ]
      },
      {});
  assert.equal(crossingText(peaks, 0), '1.46 PFLOP/s (900 TFLOP/s to 1.65 PFLOP/s)');
  peaks.column('crossing_low').values = peaks.column('crossing_high').values = [1.4581e15];
  assert.equal(crossingText(peaks, 0), '1.46 PFLOP/s');
});

test('a place in steps of an axis names the values around it', () => {
  assert.equal(stepText(1.25, ['N7', 'N5', 'N3']), 'N5 + 25\u202f% to N3');
  assert.equal(stepText(1, ['N7', 'N5', 'N3']), 'N5');
  assert.equal(stepText(2, ['N7', 'N5', 'N3']), 'N3');
});

test('effects are told by kind, the largest first, unknown ones last', () => {
  const effects = new Table(
      'effects', {
        rows: 3,
        columns: [
          {name: 'factor', labels: ['memory', 'logic', 'zero'], values: [0, 1, 2]},
          {name: 'kind', labels: ['axis', 'strategy'], values: [0, 0, 1]},
          {name: 'first_order', values: [null, 0.8, 0.1]},
          {name: 'total', values: [null, 0.9, 0.2]},
          {name: 'levels', values: [1, 7, 2]},
          {name: 'left_out', values: [3, 0, 0]},
        ]
      },
      {});
  assert.deepEqual(
      factorsOf(effects, 'axis').map((one) => [one.words, one.total, one.levels, one.leftOut]),
      [['Logic node', 0.9, 7, 0], ['Memory', null, 1, 3]]);
  assert.deepEqual(factorsOf(effects, 'strategy').map((one) => one.words), ['ZeRO stage']);
  // Within a sentence.
  assert.deepEqual(factorsOf(effects, 'axis').map((one) => one.name), ['logic node', 'memory']);
});

test('pairs of which nothing is known are left out, with axes that are in no other', () => {
  const interactions = new Table(
      'interactions', {
        rows: 2,
        columns: [
          {name: 'first', labels: ['a', 'b', 'c'], values: [0, 0]},
          {name: 'second', labels: ['a', 'b', 'c'], values: [1, 2]},
          {name: 'second_order', values: [null, 0.1]},
        ]
      },
      {});
  assert.deepEqual(knownPairs(interactions).names, ['a', 'c']);
});

test('the next improvement is counted from points or from panels', () => {
  const columns =
      (more) => [{name: 'resource', labels: ['dram', 'l2'], values: [0, 1, 0, 1]}, ...more];
  const points = new Table(
      'sensitivity', {rows: 4, columns: columns([{name: 'rank', values: [1, 2, 2, 1]}])}, {});
  assert.deepEqual(nextByResource(points, [0, 1, 2, 3]).get('dram'), {at: 1, of: 2});
  const panels = new Table(
      'panel_improvements', {
        rows: 4,
        columns: columns([{name: 'next_at', values: [5, 2, 7, 0]}, {name: 'points', all: 7}])
      },
      {});
  assert.deepEqual(nextByResource(panels, [0, 1, 2, 3]).get('dram'), {at: 12, of: 14});
});

test('round numbers of a logarithmic scale', () => {
  assert.deepEqual(roundNumbers(0.9, 25), [1, 2, 5, 10, 20]);
  assert.deepEqual(roundNumbers(0.28, 0.62), [0.3, 0.4, 0.5, 0.6]);
  assert.deepEqual(roundNumbers(51, 59), [52, 54, 56, 58]);
  assert.deepEqual(roundNumbers(1, 1e6), [1, 10, 100, 1000, 10000, 100000, 1000000]);
});

test('CSV quotes what needs it and keeps all digits', () => {
  const columns = [
    {name: 'a', exact: (row) => ['x,y', 'say "so"'][row]},
    {name: 'b', exact: (row) => String([0.1 + 0.2, 2][row])}
  ];
  assert.equal(csvOf(columns, [0, 1]), 'a,b\n"x,y",0.30000000000000004\n"say ""so""",2\n');
});

test('changes are counted once, between groups where there are any', () => {
  const changes = (values) => new Table(
      'transitions',
      {rows: values.length, columns: [{name: 'level', labels: ['group', 'resource'], values}]}, {});
  const both = changes([0, 1, 1]), single = changes([1, 1]);
  assert.equal(firstLevel(both), 'group');
  assert.deepEqual(rowsOfLevel(both, [0, 1, 2], 'resource'), [1, 2]);
  assert.equal(firstLevel(single), 'resource');
  const other = new Table('strategy_changes', {rows: 2, columns: []}, {});
  assert.deepEqual(rowsOfLevel(other, [0, 1], 'group'), [0, 1]);
});

test('models do not compete for the best at a value of the axis', () => {
  const best = new Table(
      'best', {
        rows: 4,
        columns: [
          {name: 'model', labels: ['small', 'large'], values: [0, 0, 1, 1]},
          {name: 'memory', labels: ['HBM3', 'HBM4'], values: [0, 1, 0, 1]},
          {name: 'logic', labels: ['N7'], all: 0},
          {name: 'step_time', values: [2, 1, 30, 40]},
        ]
      },
      {});
  const report = {
    alongAxes: ['logic'],
    varying: ['model', 'memory'],
    workloads: ['model'],
    better: 'step_time'
  };
  assert.deepEqual(bestOfEach(report, best, [0, 1, 2, 3]), [1, 2]);
  assert.deepEqual(bestOfEach({...report, varying: ['memory']}, best, [0, 1, 2, 3]), [1]);
});

test('colours of a frontier say what they are of where there is nothing to choose', () => {
  const axes = {batch: {labels: ['1024', '4096']}, model: {labels: ['small', 'large']}};
  const members = (columns) => new Table('frontier', {rows: 2, columns}, axes);
  const report = {
    axes,
    alongAxes: [],
    varying: ['batch', 'model'],
    workloads: ['batch', 'model'],
    tables: new Map()
  };
  const batch = {name: 'batch', axis: 'batch', values: [0, 1]};
  const model = {name: 'model', axis: 'model', values: [0, 1]};
  const alone = colourings(report, members([batch]));
  assert.deepEqual(alone.map(({labels}) => labels), [['batch 1024', 'batch 4096']]);
  assert.deepEqual(axes.batch.labels, ['1024', '4096']);
  const both = colourings(report, members([batch, model]));
  assert.deepEqual(both.map((one) => one.words), ['Batch and model', 'Batch', 'Model']);
  assert.deepEqual(both[0].labels, ['1024, small', '4096, large']);
});

test('an elasticity too small for two places is not nothing', () => {
  assert.deepEqual([0.614, 0.005, 0.001, 0].map(elasticityText), ['0.61', '0.01', '<0.01', '0']);
});
