import assert from 'node:assert/strict';
import {test} from 'node:test';

import {count, percent, plain, prefixFor, quantity, unitText} from '../src/numbers.js';

test('quantities get the prefix that leaves one to three digits before the point', () => {
  assert.equal(quantity(4.1e12, 'B/s'), '4.1 TB/s');
  assert.equal(quantity(0.36621514, 'J'), '366.2 mJ');
  assert.equal(quantity(1376541300, 'Hz'), '1.377 GHz');
  assert.equal(quantity(2.5e-6, 's'), '2.5 \u00b5s');
  assert.equal(quantity(799922.6, 's-1', 3), '800 k/s');
  assert.equal(quantity(-2e3, 'W'), '\u22122 kW');
});

test('rounding reaches the next prefix', () => {
  assert.equal(quantity(999999, 'B', 4), '1 MB');
  assert.deepEqual(prefixFor(1e3), [1e3, 'k']);
  assert.deepEqual(prefixFor(1e-15), [1e-12, 'p']);
});

test('long times stay seconds, areas are of dies, money and numbers have no prefix', () => {
  assert.equal(quantity(27324.4, 's'), '27,320 s');
  assert.equal(quantity(826e-6, 'm2'), '826 mm\u00b2');
  assert.equal(quantity(89168000, 'USD'), '89,168,000 USD');
  assert.equal(quantity(1024, '1'), '1024');
  assert.equal(quantity(0, 'J'), '0 J');
});

test('numbers keep their digits and lose their noise', () => {
  assert.equal(plain(3.932540354555398), '3.933');
  assert.equal(plain(1088640), '1,088,640');
  assert.equal(plain(0.00001234), '1.234e-5');
  assert.equal(plain(12345678.9), '1.235e7');
  assert.equal(plain(54321.987), '54,320');
  assert.equal(plain(NaN), '\u2013');
  assert.equal(plain(null), '\u2013');
  assert.equal(plain(-Infinity), '\u2212\u221e');
  assert.equal(count(1234567.2), '1,234,567');
});

test('shares are percentages', () => {
  assert.equal(percent(0.523), '52\u202f%');
  assert.equal(percent(0.0312), '3.1\u202f%');
  assert.equal(percent(0.0004), '<0.1\u202f%');
  assert.equal(percent(0), '0\u202f%');
  assert.equal(percent(0.05), '5\u202f%');
  assert.equal(percent(null), '\u2013');
});

test('units are written as people write them', () => {
  assert.equal(unitText('s-1'), '/s');
  assert.equal(unitText('1'), '');
  assert.equal(unitText('kg'), 'kg');
});
