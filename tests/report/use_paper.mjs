// What a reader takes along: figures and tables as files, and two printed pages.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';

/** Presses a button by the keyboard, as somebody without a mouse does; the file that is saved. */
async function saved(page, button) {
  await button.focus();
  const [download] =
      await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  return {name: download.suggestedFilename(), bytes: readFileSync(await download.path())};
}

const buttonOf = (page, figure, kind) =>
    page.getByRole('button', {name: `Save the figure ${figure} as ${kind}`, exact: true});

/** The drawing is XML of one root; its size, its texts and the colour behind it. */
const parsed = (page, text) => page.evaluate((xml) => {
  const {documentElement: root} = new DOMParser().parseFromString(xml, 'image/svg+xml');
  return {
    root: root.nodeName,
    error: root.querySelector('parsererror')?.textContent ?? null,
    width: Number(root.getAttribute('width')),
    behind: root.querySelector('rect')?.getAttribute('fill'),
    marks: root.querySelectorAll('path, rect').length,
    text: [...root.querySelectorAll('text')].map((one) => one.textContent).join('\n'),
  };
}, text);

function sizeOfPng(bytes) {
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** Every figure, from a dark page; `folder` keeps the files for people. */
export async function savesFigures(page, {stem, folder, keep}) {
  await page.emulateMedia({colorScheme: 'dark'});
  const figures = await page.evaluate(
      () => [...document.querySelectorAll('.chart')].map(({id}) => id.replace('chart-', '')));
  assert.ok(figures.length >= 6, `${figures}`);
  for (const figure of figures) {
    const words = figure.replaceAll('-', ' ');
    const drawing = await saved(page, buttonOf(page, words, 'SVG'));
    assert.equal(drawing.name, `${stem}.${figure}.svg`);
    const svg = await parsed(page, drawing.bytes.toString());
    assert.deepEqual([svg.root, svg.error, svg.behind], ['svg', null, '#ffffff'], figure);
    assert.ok(svg.width > 300 && svg.marks > 3, `${figure}: ${svg.width}, ${svg.marks}`);
    assert.ok(svg.text.includes(`${stem}.h5`), figure);
    const picture = await saved(page, buttonOf(page, words, 'PNG'));
    assert.equal(picture.name, `${stem}.${figure}.png`);
    assert.equal(sizeOfPng(picture.bytes)[0], 3 * svg.width);
    assert.ok(picture.bytes.length > 5000, `${figure}: ${picture.bytes.length} bytes`);
    keep(path.join(folder, drawing.name), drawing.bytes);
    keep(path.join(folder, picture.name), picture.bytes);
  }
  await page.emulateMedia({colorScheme: 'light'});
}

/** Numbers of a figure and of a table, with all rows and digits; a figure says what is shown. */
export async function savesNumbers(page, {stem, data, valuesOf}) {
  const figure = await saved(page, buttonOf(page, 'frontier', 'CSV'));
  assert.equal(figure.name, `${stem}.frontier.csv`);
  const lines = figure.bytes.toString().trim().split('\n');
  const ids = lines.slice(1).map((line) => Number(line.split(',')[0]));
  assert.deepEqual(ids, valuesOf(data, 'frontier', 'point_id'));
  const table = await saved(page, page.locator('#table-best .save-table'));
  assert.equal(table.name, `${stem}.best.csv`);
  assert.equal(table.bytes.toString().trim().split('\n').length, data.tables.best.rows + 1);
  await page.evaluate(() => window.scalesweepReport.filters.set('memory', [0]));
  const drawing = await saved(page, buttonOf(page, 'frontier', 'SVG'));
  const {text} = await parsed(page, drawing.bytes.toString());
  assert.ok(text.includes(`${stem}.h5; shown: memory ${data.axes.memory.labels[0]}`), text);
  await page.evaluate(() => window.scalesweepReport.filters.reset());
}

/** Pages of a PDF, without a reader of PDF: each is an object that says so. */
function pagesOf(pdf) { return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0; }

const isShown = (page, selector) => page.locator(selector).first().isVisible();

/** Two pages of either paper; afterwards all is as before. */
export async function printsTwoPages(page, {name, folder}) {
  const before = await page.evaluate(() => document.documentElement.scrollHeight);
  for (const format of ['A4', 'Letter']) {
    const pdf = await page.pdf({format, path: path.join(folder, `${name}-${format}.pdf`)});
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    assert.equal(pagesOf(pdf), 2, `${name} on ${format}`);
    assert.ok(pdf.length > 30000, `a PDF of ${pdf.length} bytes has no pictures`);
  }
  const after = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(Math.abs(after - before) < 8, `${before} pixels before printing, ${after} after`);
  assert.equal(await page.locator('#frontier canvas').count() > 0, true);
}

/**
 * On paper there are the verdict, the figures and the best points, and nothing to press; nothing is
 * wider than a page between its margins, which a browser would shrink.
 */
export async function showsOnPaper(page) {
  const before = page.viewportSize();
  await page.setViewportSize({width: 700, height: 1000});
  await page.emulateMedia({media: 'print'});
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  for (const selector
           of ['#verdict .verdict', '#chart-frontier', '#chart-bottlenecks',
               '#table-paper tbody tr'])
    assert.ok(await isShown(page, selector), `${selector} is not on paper`);
  for (const selector of ['.controls', 'nav', '.save', '#source', '#best', '#tables', '.copy'])
    assert.ok(!await isShown(page, selector), `${selector} is on paper`);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({media: 'screen'});
  await page.setViewportSize(before);
  assert.ok(wide <= 700, `${wide} pixels wide on paper`);
  assert.ok(await isShown(page, '#source') && !await isShown(page, '#paper'));
}
