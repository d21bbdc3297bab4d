// Values as words, and the numbers beside an axis.
import {words} from './data.js';
import {plain, quantity} from './numbers.js';

/** "4.1 TB/s (3.8 TB/s to 4.4 TB/s)". */
export function crossingText(table, row) {
  for (const [value, name] of [['crossing_quantity', 'quantity'], ['crossing_value', null]]) {
    const number = table.value(value, row);
    if (typeof number !== 'number')
      continue;
    const what = name ? table.label(name, row) ?? '' : '';
    const units = table.column(value).units;
    const low = table.value('crossing_low', row), high = table.value('crossing_high', row);
    const range = typeof low === 'number' && typeof high === 'number' ?
        ` (${quantity(low, units, 3)} to ${quantity(high, units, 3)})` :
        '';
    return `${quantity(number, units, 3)}${what ? ` of ${words(what)}` : ''}${range}`;
  }
  const index = table.value('crossing_index', row);
  return typeof index === 'number' ? `${plain(index, 3)} steps along` : '\u2013';
}

/**
 * 1, 2, 5, 10, ... from `low` to `high`; the tens alone, or every third of them, where that is
 * much.
 */
export function roundNumbers(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades < 5 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / 15));
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    if (power % every !== 0)
      continue;
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= low && value <= high)
        found.push(value);
    }
  }
  return found;
}
