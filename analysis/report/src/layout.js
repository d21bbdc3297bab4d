// How much room words take on a chart, from their letters: before anything is drawn.

const LETTER = 6.8;        // pixels, of 12 px text
const SMALL_LETTER = 6.5;  // of 11 px text
const SMALL_CAPITAL = 8.3;
const LEGEND_ENTRY = 36;  // the mark, its gap, and the gap to the next entry
const GAP = 5;            // at least, between two labels

function smallWidth(text) {
  const capitals = (text.match(/[A-Z]/g) ?? []).length;
  return SMALL_CAPITAL * capitals + SMALL_LETTER * (text.length - capitals);
}

/** Lines that a legend of these entries takes; an entry stays on one line. */
export function legendRows(names, width) {
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const entry = LEGEND_ENTRY + LETTER * name.length;
    if (used > 0 && used + entry > width) {
      rows += 1;
      used = 0;
    }
    used += entry;
  }
  return rows;
}

/** Whether labels under cells of a width would run into each other: some two neighbours do. */
export function isCrowded(labels, cellWidth) {
  return labels.slice(1).some(
      (label, i) => (smallWidth(label) + smallWidth(labels[i])) / 2 > cellWidth - GAP);
}

/** Pixels below an axis for its labels: aslant where they are crowded. */
export function labelHeight(labels, crowded) {
  const longest = Math.max(...labels.map((label) => label.length), 1);
  return crowded ? Math.min(110, 16 + 5.6 * longest) : 28;
}
