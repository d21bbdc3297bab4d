import assert from 'node:assert/strict';
import {test} from 'node:test';

// clang-format off
import {
  distinct, learnWords, listed, mean, Report, sortedGroups, Table, titled, valueText, words,
} from '../src/data.js';
// clang-format on
import {Filters} from '../src/filters.js';
import {inkOn, ordered, orderedColours} from '../src/palette.js';
import {sortedRows} from '../src/sorting.js';

const axes = {
  logic: {labels: ['N7', 'N5', 'N3']},
  memory: {labels: ['HBM2', 'HBM3']},
  power: {labels: ['300 W', '700 W'], values: [300, 700], units: 'W'},
  model: {labels: ['gpt3']},
};
const best = {
  description: 'best',
  rows: 4,
  all_rows: 9,
  trimmed: true,
  columns: [
    {name: 'logic', axis: 'logic', values: [2, 0, 1, 0]},
    {name: 'memory', axis: 'memory', values: [1, 0, 0, 1]},
    {name: 'power', axis: 'power', all: 1},
    {name: 'step_time', units: 's', long_name: 'step time', values: [1.5, null, 3, 4]},
    {name: 'bound', labels: ['compute', 'memory'], values: [0, 1, 1, 0]},
  ]
};
const transitions = {
  rows: 2,
  columns: [
    {name: 'memory', axis: 'memory', values: [0, 1]},
    {name: 'from_logic', axis: 'logic', values: [0, 1]},
    {name: 'to_logic', axis: 'logic', values: [1, 2]},
  ]
};
const raw = {
  format: 'scalesweep-report',
  study: {},
  along: 'logic',
  panels: ['memory'],
  objectives: [],
  time: 'step time',
  better: 'step_time',
  better_words: 'step time',
  resources: [],
  group_of: {},
  groups: [],
  words: {step_time: 'time of a step', logic: 'logic node'},
  workloads: [],
  axes,
  findings: [],
  notes: [],
  spec: '',
  provenance: {},
  commands: [],
  tables: {best, transitions}
};

test('columns give labels of their axis, labels of their own, or numbers', () => {
  const table = new Table('best', best, axes);
  assert.equal(table.label('logic', 0), 'N3');
  assert.equal(table.label('bound', 1), 'memory');
  assert.equal(table.label('step_time', 0), null);
  assert.equal(table.value('step_time', 1), null);
  assert.equal(table.value('absent', 1), null);
  assert.deepEqual([table.rows, table.allRows, table.isTrimmed], [4, 9, true]);
});

test('an axis of quantities has numbers, one of names has none', () => {
  const table = new Table('best', best, axes);
  assert.equal(table.number('power', 3, axes), 700);
  assert.equal(table.number('logic', 0, axes), null);
  assert.equal(table.number('bound', 0, axes), null);
  assert.equal(table.number('step_time', 2, axes), 3);
});

test('a constant column is spread over the rows', () => {
  assert.deepEqual(new Table('best', best, axes).column('power').values, [1, 1, 1, 1]);
});

test('parts of one are read in percent, a long name that repeats the name is none', () => {
  const column = (name, role) =>
      new Table('t', {rows: 0, columns: [{name, role, long_name: name, values: []}]}, {})
          .column(name);
  assert.ok(column('mean_gain', 'share').isShare);
  assert.ok(!column('share_dram').isShare, 'its data say so, and not its name');
  assert.equal(column('mean_gain', 'share').longName, 'mean gain');
});

test('a table is headed by its title or its name, and says whether a view shows it', () => {
  const plain = new Table('frontier_groups', {rows: 0, columns: []}, {});
  assert.deepEqual([plain.title, plain.hasOwnView], ['Frontier groups', false]);
  const own = new Table('x', {title: 'What it is', own_view: true, rows: 0, columns: []}, {});
  assert.deepEqual([own.title, own.hasOwnView], ['What it is', true]);
});

test('where the best is that of another time, the time that is shown says so', () => {
  const named = (time, better) => new Report({...raw, time, better_words: better}).bestTime;
  assert.equal(named('step time', 'step time'), 'best step time');
  assert.equal(
      named('time per output token', 'device time'),
      'time per output token at the best device time');
});

test('data that are no report are refused', () => {
  assert.throws(() => new Report({format: 'other'}), /no data of a report/);
});

test('names are read as the data say, others with blanks', () => {
  const report = new Report(raw);
  assert.equal(words('logic'), 'logic node');
  assert.equal(report.longName('logic'), 'logic node');
  assert.equal(words('scale_out'), 'scale out');
  // A second report has words of its own.
  assert.ok(new Report({...raw, words: {scale_out: 'scale-out network'}}));
  assert.equal(words('scale_out'), 'scale-out network');
  assert.equal(words('logic'), 'logic');
});

test('axes that vary come in the order of reading; tables without rows are absent', () => {
  const report = new Report({...raw, tables: {...raw.tables, empty: {rows: 0, columns: []}}});
  assert.deepEqual(report.varying, ['logic', 'memory', 'power']);
  assert.equal(report.table('empty'), null);
  assert.equal(report.table('best', 'no_such_column'), null);
  assert.equal(report.units('step_time'), 's');
  assert.equal(report.units('power'), 'W');
});

test('a path runs along several axes', () => {
  const report = new Report({...raw, along: 'logic, memory'});
  assert.deepEqual(report.alongAxes, ['logic', 'memory']);
});

test('groups of rows are sorted by places of axes', () => {
  const table = new Table('best', best, axes);
  const rows = [0, 1, 2, 3];
  assert.deepEqual(distinct(table, ['memory'], rows).map((g) => g.labels[0]), ['HBM3', 'HBM2']);
  assert.deepEqual(
      sortedGroups(table, ['memory'], rows).map((g) => [g.labels[0], g.rows]),
      [['HBM2', [1, 2]], ['HBM3', [0, 3]]]);
  assert.equal(sortedGroups(table, [], rows).length, 1);
});

test('means leave out what is missing', () => {
  assert.equal(mean([1, null, 3]), 2);
  assert.equal(mean([null]), null);
});

test('filters keep rows of tables and of changes', () => {
  const filters = new Filters(
      [{name: 'logic', labels: axes.logic.labels}, {name: 'memory', labels: axes.memory.labels}]);
  const table = new Table('best', best, axes);
  const changes = new Table('transitions', transitions, axes);
  let told = 0;
  filters.onChange(() => {
    told += 1;
  });
  assert.ok(filters.isOpen);
  assert.deepEqual(filters.rows(table), [0, 1, 2, 3]);
  filters.toggle('logic', 2);
  assert.deepEqual(filters.rows(table), [1, 2, 3]);
  assert.deepEqual(filters.rows(changes), [0]);
  filters.set('memory', [1]);
  assert.deepEqual(filters.rows(table), [3]);
  assert.equal(filters.text(), 'logic node N7 or N5; memory HBM3');
  filters.set('memory', []);
  assert.equal(filters.text(), 'logic node N7 or N5; memory (none)');
  filters.reset();
  assert.ok(filters.isOpen);
  assert.equal(told, 4);
});

test('rows sort by numbers and by names with numbers, what is missing last both ways', () => {
  const numbers = [3, null, 1, 2];
  assert.deepEqual(sortedRows([0, 1, 2, 3], (row) => numbers[row], false), [2, 3, 0, 1]);
  assert.deepEqual(sortedRows([0, 1, 2, 3], (row) => numbers[row], true), [0, 3, 2, 1]);
  const names = ['N12', 'N5', 'N7'];
  assert.deepEqual(sortedRows([0, 1, 2], (row) => names[row], false), [1, 2, 0]);
});

test('colours are in order, and text on them can be read', () => {
  assert.equal(ordered(0), '#440154');
  assert.equal(ordered(1), '#fde725');
  assert.equal(new Set(orderedColours(7, false)).size, 7);
  assert.equal(inkOn('#0072B2'), '#ffffff');
  assert.equal(inkOn('#F0E442'), '#000000');
});

test('panels are titled by what tells them apart', () => {
  const panels = [{labels: ['gpt3', 'HBM2', 'NDR']}, {labels: ['gpt3', 'HBM3', 'NDR']}];
  assert.deepEqual(
      titled(panels, ['model', 'memory', 'scale_out']),
      {telling: ['memory'], common: [['model', 'gpt3'], ['scale_out', 'NDR']]});
  assert.deepEqual(panels.map((panel) => panel.title), ['HBM2', 'HBM3']);
  assert.deepEqual(titled([], ['model']), {telling: [], common: []});
});

test('values that begin with a digit are told with their axis', () => {
  learnWords({scale_up_domain: 'scale-up domain', memory_of: 'memory taken from'});
  assert.equal(valueText('scale_up_domain', '8'), 'scale-up domain 8');
  assert.equal(valueText('memory_of', 'h100-sxm'), 'memory taken from h100-sxm');
  assert.equal(valueText('memory', 'HBM4'), 'HBM4');
});

test('names are listed as in a sentence', () => {
  assert.equal(listed(['model', 'batch', 'limit']), 'model, batch and limit');
  assert.equal(listed(['model']), 'model');
  assert.equal(listed([]), '');
});
