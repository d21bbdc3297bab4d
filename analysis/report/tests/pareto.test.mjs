import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Table} from '../src/data.js';
import {frontierFinder} from '../src/reading/cell_frontiers.js';
import {kneeOf, nondominated} from '../src/reading/pareto.js';

/** Numbers in [0, 1) that are the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function dominates(columns, a, b) {
  return columns.every((column) => column[a] <= column[b]) &&
      columns.some((column) => column[a] < column[b]);
}

/** The definition: nobody dominates a member, and nobody before it is equal. */
function oracle(columns, rows) {
  const isEqual = (a, b) => columns.every((column) => column[a] === column[b]);
  const complete = rows.filter((row) => columns.every((column) => column[row] !== null));
  return complete.filter(
      (row) => !complete.some(
          (other) => dominates(columns, other, row) || (other < row && isEqual(other, row))));
}

/** Few values, so that many are equal; some are missing. */
function randomColumns(random, objectives, rows, values) {
  const value = () => (random() < 0.02 ? null : Math.floor(random() * values) - values / 4);
  return Array.from({length: objectives}, () => Array.from({length: rows}, value));
}

test('a frontier is what the definition says, in one to five objectives', () => {
  const random = randomNumbers(20261125);
  let members = 0;
  for (let trial = 0; trial < 400; trial += 1) {
    const objectives = 1 + (trial % 5);
    const values = [4, 30, 1e6][trial % 3];
    const columns = randomColumns(random, objectives, Math.floor(random() * 90), values);
    const rows = columns[0].map((_, row) => row).filter(() => random() < 0.8);
    const found = nondominated(columns, rows);
    assert.deepEqual(found, oracle(columns, rows), `trial ${trial}`);
    members += found.length;
  }
  assert.ok(members > 2000, `${members} members say little`);
});

test('of rows that are equal the first stands for all, whatever their order', () => {
  assert.deepEqual(nondominated([[1, 1, 2], [3, 3, 1]], [2, 1, 0]), [0, 2]);
  assert.deepEqual(nondominated([[1, 1], [3, 3], [2, 2]], [1, 0]), [0]);
  assert.deepEqual(nondominated([[2, 1, 1]], [0, 1, 2]), [1]);
  assert.deepEqual(nondominated([[Infinity, 1], [1, Infinity]], [0, 1]), [0, 1]);
});

test('the knee is farthest from the line through the ends, on scales of factors', () => {
  // Logarithms 0 1 4, and 4 1 0: the one in the middle is nearest to the best of both.
  const columns = [[1, 10, 1e4], [1e4, 10, 1]];
  assert.equal(kneeOf(columns, [0, 1, 2]), 1);
  assert.equal(kneeOf(columns, [0, 2]), null);  // two ends and nothing between them
  assert.equal(kneeOf([[1, 2, 3], [5, 5, 5]], [0, 1, 2]), null);
  // Signs that differ have no logarithm: 0 is half of the way from -1 to 1.
  assert.equal(kneeOf([[-1, 0, 1], [1, -0.9, -1]], [0, 1, 2]), 1);
  // What is maximised comes negative: from the best, -1e4, one step of three.
  assert.equal(kneeOf([[-1e4, -1e3, -1], [1e4, 10, 1]], [0, 1, 2]), 1);
});

const axes = {
  logic: {labels: ['N7', 'N5', 'N3']},
  power: {labels: ['300 W', '700 W', '1 kW'], values: [300, 700, 1000], units: 'W'},
  model: {labels: ['small', 'large']},
};

function randomStudy(random, rows) {
  const column = (name, axis, value) =>
      ({name, axis, values: Array.from({length: rows}, () => value())});
  const place = (name) => () => Math.floor(random() * axes[name].labels.length);
  return new Table(
      'points', {
        rows,
        columns: [
          ...Object.keys(axes).map((name) => column(name, name, place(name))),
          column('time', undefined, () => Math.floor(random() * 40)),
          column('rate', undefined, () => Math.floor(random() * 40))
        ]
      },
      axes);
}

/** The rows of one table in another, so that only the members of each cell are left. */
function membersOfCells(table, find, cellAxes) {
  const all = Array.from({length: table.rows}, (_, row) => row);
  const cells = new Map();
  for (const row of all) {
    const key = cellAxes.map((name) => table.value(name, row)).join();
    cells.set(key, [...(cells.get(key) ?? []), row]);
  }
  return [...cells.values()].flatMap((rows) => find(rows).rows).sort((a, b) => a - b);
}

test('the frontier of any filter is among the members of the cells that it leaves', () => {
  const random = randomNumbers(7);
  const report = {objectives: ['time', 'rate', 'power'], maximized: ['rate'], axes};
  for (let trial = 0; trial < 60; trial += 1) {
    const table = randomStudy(random, 300);
    const find = frontierFinder(report, table, ['model']);
    const members = membersOfCells(table, find, Object.keys(axes));
    assert.ok(members.length < table.rows);
    const chosen = new Map(
        Object.entries(axes).map(([name, {labels}]) => [name, labels.map(() => random() < 0.6)]));
    const passes = (row) => [...chosen].every(([name, are]) => are[table.value(name, row)]);
    const all = Array.from({length: table.rows}, (_, row) => row);
    const found = find(members.filter(passes));
    const columns = [
      all.map((row) => table.value('time', row)), all.map((row) => -table.value('rate', row)),
      all.map((row) => axes.power.values[table.value('power', row)])
    ];
    const wanted = [0, 1].flatMap(
        (model) => oracle(
            columns, all.filter((row) => passes(row) && table.value('model', row) === model)));
    assert.deepEqual(found.rows, wanted, `trial ${trial}`);
    assert.deepEqual(found, find(all.filter(passes)), 'the whole study gives the same');
    assert.ok([...found.knees].every((row) => found.rows.includes(row)));
  }
});
