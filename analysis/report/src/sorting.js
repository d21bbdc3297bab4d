// Orders of rows, and rows as CSV.

export function compare(a, b) {
  if (a === b)
    return 0;
  if (a === null || a === undefined)
    return 1;  // what is missing comes last
  if (b === null || b === undefined)
    return -1;
  return typeof a === 'string' || typeof b === 'string' ?
      String(a).localeCompare(String(b), 'en', {numeric: true}) :
      a - b;
}

export function sortedRows(rows, key, isDescending) {
  const missing = (row) => key(row) === null || key(row) === undefined;
  const there = rows.filter((row) => !missing(row));
  there.sort((a, b) => (isDescending ? -1 : 1) * compare(key(a), key(b)) || a - b);
  return [...there, ...rows.filter(missing)];
}

function csvField(text) { return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; }

export function csvOf(columns, rows) {
  const lines = [
    columns.map((column) => csvField(column.name)),
    ...rows.map((row) => columns.map((column) => csvField(column.exact(row))))
  ];
  return lines.map((fields) => fields.join(',')).join('\n') + '\n';
}
