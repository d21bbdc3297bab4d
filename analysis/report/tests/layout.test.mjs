import assert from 'node:assert/strict';
import {test} from 'node:test';

import {isCrowded, labelHeight, legendRows} from '../src/layout.js';

test('a legend takes a line for every entry that does not fit beside the one before', () => {
  const names = Array.from({length: 5}, (_, i) => `deepseek-v3, 500 ms, ${i}0 ms`);
  assert.equal(legendRows(names, 330), 5);
  assert.equal(legendRows(names, 440), 3);
  assert.equal(legendRows(names, 4000), 1);
  assert.equal(legendRows(['an entry that is wider than the page'], 50), 1);
});

test('labels are crowded if two neighbours have no room beside each other', () => {
  assert.ok(isCrowded(['a100-sxm-80gb', 'h100-sxm', 'h200-sxm'], 60));
  assert.ok(!isCrowded(['a100-sxm-80gb', 'h100-sxm', 'h200-sxm'], 79));
  assert.ok(!isCrowded(['N12', 'N10', 'N7'], 60));
  assert.ok(isCrowded(['HBM2E', 'HBM3E'], 39) && !isCrowded(['hbm2e', 'hbm3e'], 39));
  assert.ok(!isCrowded(['one that stands alone'], 10));
  assert.ok(!isCrowded([], 60));
});

test('labels that stand aslant take the height of the longest, but not more than there is', () => {
  assert.equal(labelHeight(['N12', 'a100-sxm-80gb'], false), 28);
  assert.ok(labelHeight(['a100-sxm-80gb'], true) > labelHeight(['h100-sxm'], true));
  assert.equal(labelHeight(['x'.repeat(99)], true), 110);
});
