// What a reader does with the frontier under a filter, beside what the program says of the same.
import assert from 'node:assert/strict';

/** Values of an axis that are left, by their places; the others are taken away. */
async function leave(page, axis, places) {
  await page.evaluate(
      ([name, left]) => window.scalesweepReport.filters.set(name, left), [axis, places]);
}

/** Ids of members and of knees in the table of members, in its order. */
async function membersShown(page) {
  const more = page.locator('#table-frontier > button');
  await page.locator('#frontier details').first().evaluate((element) => {
    element.open = true;
  });
  if (await more.isVisible() && (await more.innerText()).startsWith('Show all'))
    await more.click();
  return page.evaluate(() => {
    const headings =
        [...document.querySelectorAll('#table-frontier thead button')].map((b) => b.dataset.column);
    const rows = [...document.querySelectorAll('#table-frontier tbody tr')].map(
        (row) => [...row.children].map((cell) => cell.textContent));
    const at = (name) => headings.indexOf(name);
    return {
      ids: rows.map((row) => Number(row[at('point_id')])),
      knees:
          rows.filter((row) => row[at('knee')] === 'yes').map((row) => Number(row[at('point_id')])),
    };
  });
}

/** The same of the program: `scalesweep` runs it and gives what it prints. */
function membersFound(scalesweep, study, where) {
  const text = scalesweep(
      'query', study, '--frontier', '--where', where, '--select', 'point_id,knee', '--format',
      'json');
  const {rows} = JSON.parse(text);
  return {
    ids: rows.map((row) => row.point_id),
    knees: rows.filter((row) => row.knee === 'yes').map((row) => row.point_id),
  };
}

/** A value of an axis as a condition takes it: numbers bare, all else in quotes. */
function valueOf({labels}, place) {
  const label = labels[place];
  return Number.isNaN(Number(label)) ? `'${label}'` : label;
}

function conditionOf(data, left) {
  const isOneOf = ([axis, places]) =>
      places.map((place) => `${axis} == ${valueOf(data.axes[axis], place)}`).join(' or ');
  return Object.entries(left).map((entry) => `(${isOneOf(entry)})`).join(' and ');
}

/**
 * Each of some choices of values gives the frontier that `query` finds. Some of them must have a
 * member that the whole frontier has not: else nothing was found again.
 */
export async function frontierIsFoundAgain(page, {scalesweep, study, data, choices}) {
  const whole = await membersShown(page);
  let isNew = false;
  for (const left of choices) {
    for (const [axis, places] of Object.entries(left))
      await leave(page, axis, places);
    const shown = await membersShown(page);
    assert.deepEqual(shown, membersFound(scalesweep, study, conditionOf(data, left)));
    assert.match(
        await page.locator('#frontier-status').innerText(),
        new RegExp(`^${shown.ids.length} members? of the frontier of what is shown, found again`));
    assert.match(
        await page.locator('#chart-frontier').getAttribute('aria-label'),
        new RegExp(`: ${shown.ids.length} members`));
    const drawn = await page.evaluate(
        () => window.scalesweepReport.chartNamed('frontier')
                  .instance.getOption()
                  .series.flatMap(({data: marks}) => marks)
                  .filter(({source}) => source === 'frontier_cells')
                  .length);
    assert.equal(drawn, shown.ids.length);
    isNew ||= shown.ids.some((id) => !whole.ids.includes(id));
    await page.evaluate(() => window.scalesweepReport.filters.reset());
  }
  assert.ok(isNew, 'no choice of values has a member of its own');
  assert.deepEqual(await membersShown(page), whole);
}
