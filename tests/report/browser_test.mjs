// Opens a report from the disk in a real browser and uses it as a reader would.
//   browser_test.mjs PROGRAM SOURCE_FOLDER MODULES CHROMIUM [FOLDER_FOR_SCREENSHOTS]
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {open, withBrowser} from './browser.mjs';

const [program, source, modules, chromium, kept] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), 'scalesweep-report-'));
const pictures = kept ?? path.join(modules, 'screenshots');
mkdirSync(pictures, {recursive: true});

const scalesweep = (...words) => execFileSync(program, words, {encoding: 'utf8'});
let failures = 0;

async function check(what, body) {
  try {
    await body();
    console.log(`ok       ${what}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED   ${what}\n${error.stack}`);
  }
}

/** The report of the quick study, and the data that stand in it. */
function makeReport() {
  const study = path.join(work, 'quick.h5');
  scalesweep('run', path.join(source, 'sweeps', 'quick.toml'), '-o', study, '--quiet');
  const file = path.join(work, 'quick.html');
  scalesweep('report', study, '-o', file);
  const html = readFileSync(file, 'utf8');
  const data =
      JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(html)[1]);
  return {study, file, data};
}

const column = (data, table, name) => data.tables[table].columns.find((c) => c.name === name);
const valuesOf = (data, table, name) => {
  const found = column(data, table, name);
  return found.values ?? new Array(data.tables[table].rows).fill(found.all);
};

/** Where a point of a chart is on the screen; the page itself says where it drew it. */
const placeOf = (page, name, sourceTable) => page.evaluate(([chartName, table]) => {
  const chart = window.scalesweepReport.chartNamed(chartName);
  chart.element.scrollIntoView({block: 'center', behavior: 'instant'});
  const series = chart.instance.getOption().series;
  // The last is drawn on top of the others.
  for (const [index, one] of [...series.entries()].reverse()) {
    const point = one.data.filter((item) => item.source === table).pop();
    if (point) {
      const [x, y] = chart.instance.convertToPixel({seriesIndex: index}, point.value);
      const box = chart.element.getBoundingClientRect();
      return {x: box.left + x, y: box.top + y, row: point.row};
    }
  }
  return null;
}, [name, sourceTable]);

const tooltip = async (page, chart) => {
  const found = page.locator(`#chart-${chart} .tip`);
  await found.waitFor({state: 'visible', timeout: 5000});
  return found.innerText();
};

async function hover(page, data) {
  const place = await placeOf(page, 'frontier', 'frontier');
  await page.mouse.move(place.x - 60, place.y - 60);
  await page.mouse.move(place.x, place.y, {steps: 4});
  const text = await tooltip(page, 'frontier');
  const id = valuesOf(data, 'frontier', 'point_id')[place.row];
  assert.match(text, new RegExp(`Point ${id}\\b`));
  const strategy = column(data, 'frontier', 'strategy');
  assert.ok(text.includes(strategy.labels[strategy.values?.[place.row] ?? strategy.all]));
  const seconds = Number(valuesOf(data, 'frontier', 'step_time')[place.row].toPrecision(4));
  assert.ok(text.includes(`${seconds} s`), `${text} has no ${seconds} s`);
  const logic = valuesOf(data, 'frontier', 'logic')[place.row];
  assert.ok(text.includes(data.axes.logic.labels[logic]));
}

async function chooseMemory(page, data) {
  const memory = data.axes.memory.labels;
  const gone = memory.length - 1;
  const before = await page.locator('#bottlenecks-status').innerText();
  await page.locator('.filters summary').click();
  // Boxes are drawn by their labels; the keyboard reaches the boxes themselves.
  await page.locator(`.filters input[data-axis=memory][data-place="${gone}"]`).focus();
  await page.keyboard.press('Space');
  assert.match(await page.locator('.filter-status').innerText(), /shown: memory/);
  const left = valuesOf(data, 'best', 'memory').filter((place) => place !== gone).length;
  await page.locator('#table-best .table-status', {hasText: String(left)}).waitFor();
  const members = valuesOf(data, 'frontier', 'memory').filter((place) => place !== gone).length;
  assert.match(await page.locator('#frontier-status').innerText(), new RegExp(`^${members} of `));
  assert.notEqual(await page.locator('#bottlenecks-status').innerText(), before);
  const feasible =
      valuesOf(data, 'coverage', 'rows_ok')
          .reduce(
              (sum, n, row) => sum + (valuesOf(data, 'coverage', 'memory')[row] === gone ? 0 : n),
              0);
  assert.ok((await page.locator('#chart-coverage').getAttribute('aria-label'))
                .includes(feasible.toLocaleString('en')));
  const phases = await page.locator('#chart-phases').innerHTML();
  assert.ok(!phases.includes(`>${memory[gone]}<`) && phases.includes(`>${memory[0]}<`));
  const changes = await page.locator('#table-strategy_changes tbody').innerText().catch(() => '');
  assert.ok(!changes.includes(memory[gone]));
  await page.locator('.filters button', {hasText: 'Show everything'}).click();
  assert.match(await page.locator('.filter-status').innerText(), /everything/);
  await page.locator('.filters summary').click();
}

async function sortBest(page, data) {
  const heading = page.locator('#table-best [data-column=step_time]');
  const firstCells = async () =>
      page.locator('#table-best tbody tr')
          .evaluateAll((rows) => rows.map((row) => Number(row.dataset.row)));
  const times = valuesOf(data, 'best', 'step_time');
  await heading.click();
  const up = (await firstCells()).map((row) => times[row]);
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  assert.equal(up[0], Math.min(...times));
  await heading.press('Enter');
  const down = (await firstCells()).map((row) => times[row]);
  assert.equal(down[0], Math.max(...times));
  assert.equal(await page.locator('#table-best th[aria-sort=descending]').count(), 1);
}

async function switchAxes(page) {
  await page.getByLabel('Across').first().selectOption('energy_per_token');
  await page.getByLabel('Up').selectOption('step_time');
  const label = await page.locator('#chart-frontier').getAttribute('aria-label');
  assert.match(label, /Scatter of step time against energy/);
  const names = await page.evaluate(() => {
    const option = window.scalesweepReport.chartNamed('frontier').instance.getOption();
    return [option.xAxis[0].name, option.yAxis[0].name];
  });
  assert.match(names[0], /^Energy per token/);
  assert.match(names[1], /^Step time/);
}

async function shares(page) {
  await page.locator('#bottlenecks .segments label', {hasText: 'Shares'}).click();
  const largest = await page.evaluate(() => {
    const option = window.scalesweepReport.chartNamed('bottlenecks').instance.getOption();
    const first = option.series.filter((one) => one.xAxisIndex === 0);
    return first.reduce((sum, one) => sum + (one.data[0].value ?? 0), 0);
  });
  assert.ok(largest > 0.97 && largest < 1.0001, `shares sum to ${largest}`);
}

async function darkAndNarrow(context, file) {
  const {page, complaints} = await open(context, file);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.emulateMedia({colorScheme: 'dark'});
  assert.notEqual(await paper(), light);
  await page.screenshot({path: path.join(pictures, 'dark.png'), fullPage: true});
  await page.emulateMedia({colorScheme: 'light'});
  await page.locator('#report > .segments label', {hasText: 'Dark'}).click();
  assert.notEqual(await paper(), light);
  await page.locator('#report > .segments label', {hasText: 'Light'}).click();
  for (const width of [360, 768, 1600]) {
    await page.setViewportSize({width, height: 900});
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels wide at ${width}`);
    await page.screenshot({path: path.join(pictures, `width-${width}.png`), fullPage: true});
  }
  assert.deepEqual(complaints, []);
}

async function print(page) {
  const pdf = await page.pdf({format: 'A4', path: path.join(pictures, 'report.pdf')});
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.ok(pdf.length > 50000, `a PDF of ${pdf.length} bytes has no pictures`);
}

async function copy(page, data) {
  await page.evaluate(() => {
    window.copiedText = null;
    navigator.clipboard.writeText = async (text) => {
      window.copiedText = text;
    };
  });
  await page.locator('#table-best .copy').click();
  const csv = await page.waitForFunction(() => window.copiedText);
  const lines = (await csv.jsonValue()).trim().split('\n');
  assert.equal(lines.length, data.tables.best.rows + 1);
  const place = lines[0].split(',').indexOf('step_time');
  const copied = lines.slice(1).map((line) => Number(line.split(',')[place]));
  assert.deepEqual([...copied].sort(), [...valuesOf(data, 'best', 'step_time')].sort());
}

async function main() {
  const {study, file, data} = makeReport();
  await check('the file names its study by hash and is small', () => {
    assert.equal(data.study.sha256, createHash('sha256').update(readFileSync(study)).digest('hex'));
    assert.ok(statSync(file).size < 5e6);
  });
  await check('the same study gives the same bytes', () => {
    const before = readFileSync(file);
    scalesweep('report', study, '-o', file);
    assert.ok(before.equals(readFileSync(file)));
  });
  await withBrowser({modules, chromium}, async (context) => {
    const {page, complaints} = await open(context, file);
    await page.screenshot({path: path.join(pictures, 'light.png'), fullPage: true});
    await check('has its title and all its sections', async () => {
      assert.equal(await page.title(), data.study.title);
      for (const id
               of ['summary', 'frontier', 'bottlenecks', 'phases', 'sensitivity', 'coverage',
                   'best', 'source']) {
        assert.equal(await page.locator(`section#${id}`).count(), 1, id);
      }
      assert.ok((await page.locator('#source').innerHTML()).includes('[workload]'));
    });
    await check('a hover says what the file has of the point', () => hover(page, data));
    await check('all views follow the filter', () => chooseMemory(page, data));
    await check('tables sort by mouse and keyboard', () => sortBest(page, data));
    await check('copies as CSV with all digits', () => copy(page, data));
    await check('the scatter has other axes on demand', () => switchAxes(page));
    await check('bars as shares sum to one', () => shares(page));
    await check('prints to PDF', () => print(page));
    await check('no error and no request', () => assert.deepEqual(complaints, []));
    await check('dark, and from 360 to 1600 pixels wide', () => darkAndNarrow(context, file));
  });
}

try {
  await main();
} finally {
  rmSync(work, {recursive: true, force: true});
}
console.log(failures ? `${failures} checks failed` : `screenshots in ${pictures}`);
process.exit(failures ? 1 : 0);
