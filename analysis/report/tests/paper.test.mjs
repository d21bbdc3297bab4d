import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Table} from '../src/data.js';
import {framed, framedSvg, stemOf} from '../src/paper/save.js';
import {bestOfQuestions} from '../src/reading/answers.js';

test('files are called after the study', () => {
  assert.equal(stemOf('/data/runs/quick.h5'), 'quick');
  assert.equal(stemOf('quick'), 'quick');
  assert.equal(stemOf('.h5'), 'report');
});

test('a figure that is alone says what its colours mean and where it is from', () => {
  const size = {width: 200, height: 100};
  const plain = framed(size, [], 'quick.h5');
  assert.deepEqual([plain.top, plain.marks.length, plain.texts.length], [0, 0, 1]);
  assert.ok(plain.texts[0].y > 100 && plain.texts[0].y < plain.height);
  const key = [{colour: '#0072B2', text: 'compute: tensor compute'}, {text: 'memory HBM2E'}];
  const two = framed(size, key, 'quick.h5');
  // Both do not fit side by side in 200 pixels; what has no colour has no mark.
  assert.deepEqual([two.marks.length, two.texts.length], [1, 3]);
  assert.ok(two.texts[1].y > two.texts[0].y && two.top >= two.texts[1].y);
  assert.equal(two.height - two.top, plain.height - plain.top);
  assert.equal(framed({width: 900, height: 100}, key, '').top, two.top / 2);
});

test('texts of a study are texts in a drawing', () => {
  const frame = framed({width: 200, height: 100}, [{text: '<b> & "c"'}], 'a<script>');
  const svg = framedSvg(frame, '<svg/>', '\'Segoe UI\', "x"');
  assert.ok(svg.includes('&lt;b> &amp; &quot;c&quot;') && svg.includes('a&lt;script>'));
  assert.ok(!svg.includes('<script') && !svg.includes('"x"'));
});

test('the best of every question, one at least, the best first', () => {
  const report = {workloads: ['model'], better: 'time'};
  const table = new Table(
      'best', {
        rows: 6,
        columns: [
          {name: 'model', axis: 'model', values: [0, 0, 0, 1, 1, 1]},
          {name: 'time', values: [3, 1, 2, null, 9, 8]},
        ]
      },
      {model: {labels: ['small', 'large']}});
  const rows = [0, 1, 2, 3, 4, 5];
  assert.deepEqual(bestOfQuestions(report, table, rows, 4), [1, 2, 5, 4]);
  assert.deepEqual(bestOfQuestions(report, table, rows, 2), [1, 5]);
  assert.deepEqual(bestOfQuestions(report, table, rows, 1), [1]);
  assert.deepEqual(bestOfQuestions(report, table, [], 4), []);
});
