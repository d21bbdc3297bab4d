// Frontiers and knees of rows, as src/reduce finds them for the program: a page finds those of what
// a filter leaves by itself.

function isComplete(columns, row) {
  return columns.every((column) => typeof column[row] === 'number' && !Number.isNaN(column[row]));
}

/** By the first column, then the next, ..., then the row: who dominates a row comes before it. */
function byColumns(columns) {
  return (a, b) => {
    for (const column of columns) {
      if (column[a] !== column[b])
        return column[a] - column[b];
    }
    return a - b;
  };
}

/** Of two columns: the second has to fall, from one row to the next. */
function swept(sorted, [, second]) {
  let least = Infinity;
  return sorted.filter((row, i) => {
    const isKept = i === 0 || second[row] < least;
    least = isKept ? second[row] : least;
    return isKept;
  });
}

/** How many of some rising numbers are at most `value`. */
function countUpTo(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Of three columns: the steps of the rows before each one, of which the third falls. */
function steppedOver(sorted, [, second, third]) {
  const seconds = [], thirds = [];  // steps: rising, falling
  return sorted.filter((row) => {
    const after = countUpTo(seconds, second[row]);
    if (after > 0 && thirds[after - 1] <= third[row])
      return false;
    // Steps that the new one covers end with it.
    const from = after > 0 && seconds[after - 1] === second[row] ? after - 1 : after;
    let to = from;
    while (to < thirds.length && thirds[to] >= third[row])
      to += 1;
    seconds.splice(from, to - from, second[row]);
    thirds.splice(from, to - from, third[row]);
    return true;
  });
}

/** Whether the values at `base` are nowhere more than those of a row; the first never are. */
function covers(kept, base, values) {
  for (let i = 1; i < values.length; i += 1) {
    if (kept[base + i] > values[i])
      return false;
  }
  return true;
}

/** Each row against those that are kept; the one that dominated last is asked first. */
function compared(sorted, columns) {
  const size = columns.length;
  const kept = new Float64Array(sorted.length * size);
  let end = 0;
  return sorted.filter((row) => {
    const values = columns.map((column) => column[row]);
    for (let base = 0; base < end; base += size) {
      if (covers(kept, base, values)) {
        const dominator = kept.slice(base, base + size);
        kept.copyWithin(base, 0, size);
        kept.set(dominator, 0);
        return false;
      }
    }
    kept.set(values, end);
    end += size;
    return true;
  });
}

const FINDERS = [(sorted) => sorted.slice(0, 1), swept, steppedOver];  // of 1, 2 and 3 columns

/**
 * Of some rows those that no other dominates, ascending. All columns are minimised; rows that are
 * equal in all are represented by the first, and a row without a number in one takes no part.
 */
export function nondominated(columns, rows) {
  const sorted = rows.filter((row) => isComplete(columns, row)).sort(byColumns(columns));
  const find = FINDERS[columns.length - 1] ?? compared;
  return find(sorted, columns).sort((a, b) => a - b);
}

function leastOf(values) { return values.reduce((a, b) => Math.min(a, b), Infinity); }
function mostOf(values) { return values.reduce((a, b) => Math.max(a, b), -Infinity); }

/** From 0, the best of the values, to 1, the worst; of logarithms where all have one sign. */
function normalised(values) {
  const scaled = values.every((value) => value > 0) ? values.map((value) => Math.log(value)) :
      values.every((value) => value < 0)            ? values.map((value) => -Math.log(-value)) :
                                                      values;
  const finite = scaled.filter((value) => Number.isFinite(value));
  const least = leastOf(finite) / 2, most = mostOf(finite) / 2;
  const place = (value) => (most > least ? (value / 2 - least) / (most - least) : 0);
  return scaled.map((value) => (Number.isFinite(value) ? place(value) : Number(value > 0)));
}

/** The member at the greatest distance below the plane through the worst of each; null: none. */
export function kneeOf(columns, members) {
  const places = columns.map((column) => normalised(members.map((row) => column[row])));
  const varying = places.filter((column) => column.some((value) => value !== 0));
  if (members.length < 3 || varying.length < 2)
    return null;
  const sums = members.map((_, i) => places.reduce((sum, column) => sum + column[i], 0));
  return members[sums.indexOf(leastOf(sums))];
}
