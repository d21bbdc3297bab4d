import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Table} from '../src/data.js';
import {crossingText, roundNumbers} from '../src/figures_text.js';
import {csvOf} from '../src/sorting.js';

const table = new Table(
    'transitions', {
      rows: 3,
      columns: [
        {name: 'quantity', labels: ['dram_bandwidth'], all: 0},
        {name: 'crossing_quantity', units: 'B/s', values: [4.1e12, null, 2e12]},
        {name: 'crossing_low', values: [3.8e12, null, null]},
        {name: 'crossing_high', values: [4.4e12, null, null]},
        {name: 'crossing_index', values: [1.5, 2.25, 3]},
      ]
    },
    {});

test('a crossing is a quantity with its range, or else a place along the axis', () => {
  assert.equal(crossingText(table, 0), '4.1 TB/s of dram bandwidth (3.8 TB/s to 4.4 TB/s)');
  assert.equal(crossingText(table, 1), '2.25 steps along');
  assert.equal(crossingText(table, 2), '2 TB/s of dram bandwidth');
});

test('round numbers of a logarithmic scale', () => {
  assert.deepEqual(roundNumbers(0.9, 25), [1, 2, 5, 10, 20]);
  assert.deepEqual(roundNumbers(0.3, 0.6), [0.5]);
  assert.deepEqual(roundNumbers(1, 1e6), [1, 10, 100, 1000, 10000, 100000, 1000000]);
});

test('CSV quotes what needs it and keeps all digits', () => {
  const columns = [
    {name: 'a', exact: (row) => ['x,y', 'say "so"'][row]},
    {name: 'b', exact: (row) => String([0.1 + 0.2, 2][row])}
  ];
  assert.equal(csvOf(columns, [0, 1]), 'a,b\n"x,y",0.30000000000000004\n"say ""so""",2\n');
});
