// Values as words, and the numbers beside an axis.
import {unitsOf, words} from './data.js';
import {percent, plain, quantity} from './numbers.js';

/** "5.53 Gb/s" beside "4 Gb/s" and "6.4 Gb/s": an axis of quantities has units of its own. */
function inUnitsOfAxis(axis) {
  const place = axis?.values?.findIndex((value, i) => value > 0 && parseFloat(axis.labels[i]) > 0);
  if (!(place >= 0))
    return null;
  const [number, ...unit] = axis.labels[place].split(' ');
  const factor = Number(number) / axis.values[place];
  return (value) => [plain(value * factor, 3), ...unit].join(' ');
}

/** Whether each row has to say what its quantity is. */
export function hasSeveralQuantities(table) {
  return (table.column('quantity').labels?.length ?? 0) > 1;
}

/** "4.1 TB/s (3.8 to 4.4)": units once where they are the same. */
export function crossingText(table, row) {
  for (const name of ['crossing_quantity', 'crossing_value']) {
    const number = table.value(name, row);
    if (typeof number !== 'number')
      continue;
    const isQuantity = name === 'crossing_quantity';
    const what = isQuantity ? table.label('quantity', row) ?? '' : '';
    const units =
        unitsOf(what, isQuantity ? table.label('quantity_units', row) : table.column(name).units);
    const shown = inUnitsOfAxis(table.axes[what]) ?? ((value) => quantity(value, units, 3));
    const text = shown(number);
    const ends = ['crossing_low', 'crossing_high'].map((end) => table.value(end, row));
    const range = ends.every((end) => typeof end === 'number') ? rangeText(ends, shown, text) : '';
    return text + range + (isQuantity && hasSeveralQuantities(table) ? ` of ${words(what)}` : '');
  }
  const index = table.value('crossing_index', row);
  return typeof index === 'number' ? `${plain(index, 3)} steps along` : '\u2013';
}

/** What is added in brackets; nothing where both ends read alike. */
function rangeText(values, shownAs, text) {
  const ends = values.map(shownAs);
  if (ends[0] === ends[1])
    return '';
  const unit = text.slice(text.indexOf(' ') + 1);
  const isSame = text.includes(' ') && ends.every((end) => end.endsWith(` ${unit}`));
  const shown = isSame ? ends.map((end) => end.slice(0, -unit.length - 1)) : ends;
  return ` (${shown.join(' to ')})`;
}

/** "N2 + 69 % to N1": a place in steps of an axis with these labels. */
export function stepText(index, labels) {
  const from = Math.min(Math.floor(index), labels.length - 1);
  const part = index - from;
  return part < 0.005 || from + 1 >= labels.length ?
      labels[from] :
      `${labels[from]} + ${percent(part)} to ${labels[from + 1]}`;
}

const STEPS = [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]];

/**
 * Round numbers of a logarithmic scale from `low` to `high`: as many steps between tens as make a
 * few of them, every third ten alone where there are many. Evenly spaced where all that is too few.
 */
export function roundNumbers(low, high) {
  const decades = Math.log10(high / low);
  const every = Math.max(1, Math.ceil(decades / 15));
  for (const steps of decades < 5 ? STEPS.slice(1) : STEPS) {
    const found = roundAt(steps, low, high, every);
    if (found.length > 3)
      return found;
  }
  return evenNumbers(low, high);
}

function roundAt(steps, low, high, every) {
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

/** Multiples of 1, 2 or 5 times a power of ten, at least three of them. */
function evenNumbers(low, high) {
  const rough = (high - low) / 3;
  const power = Math.floor(Math.log10(rough));
  const step = [5, 2, 1].find((s) => Number(`${s}e${power}`) <= rough) ?? 1;
  const unit = Number(`${step}e${power}`);
  const found = [];
  for (let i = Math.ceil(low / unit); i * unit <= high; i += 1)
    found.push(Number((i * unit).toPrecision(12)));
  return found;
}
