// Numbers as people read them: few digits, SI prefixes, units that are spelled out.

const PREFIXES = [
  [1e18, 'E'],
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, '\u00b5'],
  [1e-9, 'n'],
  [1e-12, 'p'],
];
// Units that take a prefix, as the study writes them and as people do.
const PREFIXED = new Map([
  ['s', 's'],
  ['B', 'B'],
  ['J', 'J'],
  ['W', 'W'],
  ['Hz', 'Hz'],
  ['B/s', 'B/s'],
  ['B s-1', 'B/s'],
  ['FLOP/s', 'FLOP/s'],
  ['FLOP s-1', 'FLOP/s'],
  ['FLOP', 'FLOP'],
  ['s-1', '/s'],
  ['b/s', 'b/s'],
  ['1/s', '/s'],
]);
const MINUS = '\u2212';

/** `digits` significant digits, without an exponent where that can be read. */
export function plain(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value))
    return '\u2013';
  if (!Number.isFinite(value))
    return value > 0 ? '\u221e' : MINUS + '\u221e';
  if (value === 0)
    return '0';
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e15) {
    text = size >= 10000 ? grouped(String(size)) : String(size);
  } else if (size >= 1e7 || size < 1e-4) {
    text = exponential(size, digits);
  } else {
    const rounded = Number(size.toPrecision(digits));
    const whole = String(rounded);
    text = rounded >= 10000 ? grouped(whole) : whole;
  }
  return (value < 0 ? MINUS : '') + text;
}

function grouped(digits) {
  const [whole, rest] = digits.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return rest === undefined ? groups : `${groups}.${rest}`;
}

function exponential(size, digits) {
  const [mantissa, power] = size.toExponential(digits - 1).split('e');
  return `${Number(mantissa)}e${Number(power)}`;
}

/** A prefix such that `size` has one to three digits before the point. */
export function prefixFor(size) {
  const found = PREFIXES.find(([factor]) => size >= factor * 0.9999995);
  return found ?? PREFIXES[PREFIXES.length - 1];
}

/** 4.1e12, "B/s" -> "4.1 TB/s"; "1" and "" are numbers alone. */
export function quantity(value, units, digits = 4) {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return plain(value, digits);
  if (!units || units === '1')
    return plain(value, digits);
  if (units === 'm2')
    return `${plain(value * 1e6, digits)} mm\u00b2`;
  const symbol = PREFIXED.get(units);
  if (symbol === undefined || value === 0)
    return `${plain(value, digits)} ${unitText(units)}`;
  const rounded = Number(Math.abs(value).toPrecision(digits));
  // Long times stay seconds: nobody reads kiloseconds.
  const [factor, prefix] = units === 's' && rounded >= 1 ? [1, ''] : prefixFor(rounded);
  return `${plain((value < 0 ? -1 : 1) * rounded / factor, digits)} ${prefix}${symbol}`;
}

/** Units for the title of an axis. */
export function unitText(units) {
  if (!units || units === '1')
    return '';
  return PREFIXED.get(units) ?? units.replace('m2', 'm\u00b2');
}

/** 0.523 -> "52 %"; small shares keep a digit. */
export function percent(share) {
  if (typeof share !== 'number' || !Number.isFinite(share))
    return '\u2013';
  const value = 100 * share;
  if (value > 0 && value < 0.05)
    return '<0.1\u202f%';
  const text = Math.abs(value) < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
  return `${text.replace('-', MINUS)}\u202f%`;
}

/** 1234567 -> "1,234,567". */
export function count(value) { return plain(Math.round(value)); }

/** Of a number that two places do not show, that there is one. */
export function elasticityText(value) {
  const isSmall = value > 0 && value < 0.005;
  return isSmall ? '<0.01' : value === 0 ? '0' : value.toFixed(2);
}
