// Opens a report from the disk in a real browser and uses it as a reader would.
//   browser_test.mjs PROGRAM SOURCE_FOLDER MODULES CHROMIUM [FOLDER_FOR_SCREENSHOTS]
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {open, withBrowser} from './browser.mjs';
import {frontierIsFoundAgain} from './use_frontier.mjs';
import {printsTwoPages, savesFigures, savesNumbers, showsOnPaper} from './use_paper.mjs';
import {plantedReport, policyHolds, policyIsStrict, textsAreText} from './use_policy.mjs';

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

/** The report of a study of the source tree, and the data that stand in it. */
function makeReport(name, {run = [], report = [], as = name} = {}) {
  const study = path.join(work, `${as}.h5`);
  scalesweep('run', path.join(source, 'sweeps', `${name}.toml`), '-o', study, '--quiet', ...run);
  const file = path.join(work, `${as}.html`);
  scalesweep('report', study, '-o', file, ...report);
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
  assert.match(await page.locator('#frontier-status').innerText(), /found again/);
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
  await page.getByRole('button', {name: 'none of memory'}).click();
  assert.match(await page.locator('.filter-status').innerText(), /Nothing feasible is left/);
  await page.getByRole('button', {name: 'all of memory'}).click();
  assert.match(await page.locator('.filter-status').innerText(), /everything/);
  await page.locator(`.filters input[data-axis=memory][data-place="${gone}"]`).focus();
  await page.keyboard.press('Space');
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
  await page.getByLabel('Up', {exact: true}).selectOption('step_time');
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

/** Pages of panels turn both ways, and name what their titles are values of. */
async function panelPages(page) {
  const status = page.locator('#bottlenecks-status');
  const first = await status.innerText();
  assert.match(first, /page 1 of \d+\); .* Titles: .*\ball of these: /i);
  await page.getByRole('button', {name: 'Next panels'}).click();
  assert.match(await status.innerText(), /page 2 of/);
  await page.getByRole('button', {name: 'Previous panels'}).click();
  assert.equal(await status.innerText(), first);
}

/** Moves to an item of the first series that passes, by its place in the data; the tooltip. */
async function hoverItem(page, name, test) {
  const place = await page.evaluate(([chartName, code]) => {
    const chart = window.scalesweepReport.chartNamed(chartName);
    chart.element.scrollIntoView({block: 'center', behavior: 'instant'});
    const {series: [series]} = chart.instance.getOption();
    const index = series.data.findIndex(new Function('item', 'index', `return ${code}`));
    const value = series.type === 'bar' ? [series.data[index].value ?? series.data[index], index] :
                                          series.data[index].value.slice(0, 2);
    const [x, y] = chart.instance.convertToPixel({seriesIndex: 0}, value);
    const box = chart.element.getBoundingClientRect();
    const inside = series.type === 'bar' ? 4 : 0;
    return {x: box.left + x - inside, y: box.top + y, item: series.data[index], index};
  }, [name, test]);
  await page.mouse.move(place.x - 3, place.y + 2);
  await page.mouse.move(place.x, place.y, {steps: 3});
  return {text: await tooltip(page, name), ...place};
}

const percent = (share) =>
    (share >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toFixed(1).replace(/\.0$/, ''));

async function phaseCell(page, data) {
  const ids = valuesOf(data, 'phases', 'point_id'), firm = valuesOf(data, 'phases', 'firm');
  const ends = valuesOf(data, 'phases', 'crossing_memory');
  const best = valuesOf(data, 'best', 'point_id');
  const labels = column(data, 'phases', 'firm').labels;
  // Brackets say that the lead is within the error bar.
  const {text, item} = await hoverItem(page, 'phases', 'item.label.formatter.startsWith("(")');
  const row = ids.indexOf(best[item.row]);
  assert.equal(labels[firm[row]], 'no');
  const margin = percent(valuesOf(data, 'phases', 'group_margin')[row]);
  assert.match(text, new RegExp(`Group leads by\\s+${margin}\u202f%, within the error bar`));
  const sure = await hoverItem(page, 'phases', '!item.label.formatter.startsWith("(")');
  const sureRow = ids.indexOf(best[sure.item.row]);
  assert.equal(labels[firm[sureRow]], 'yes');
  assert.ok(!sure.text.includes('within the error bar'));
  const ending = ends.findIndex((end) => end !== null);
  assert.ok(ending >= 0, 'no phase of this study ends along memory');
  for (const axis of ['model', 'accelerators']) {
    const place = valuesOf(data, 'phases', axis)[ending];
    await page.locator('#phases').getByLabel(axis).selectOption({value: String(place)});
  }
  const there = await hoverItem(page, 'phases', `item.row === ${best.indexOf(ids[ending])}`);
  const from = data.axes.memory.labels[Math.floor(ends[ending])];
  assert.match(there.text, new RegExp(`Its end along memory\\s+${from}\\b`));
}

async function effectBars(page, data) {
  const kinds = column(data, 'effects', 'kind').labels;
  const factors = column(data, 'effects', 'factor');
  const totals = valuesOf(data, 'effects', 'total');
  const axes = valuesOf(data, 'effects', 'kind')
                   .map((kind, row) => ({row, kind: kinds[kind], total: totals[row]}))
                   .filter(({kind, total}) => kind === 'axis' && total !== null)
                   .sort((a, b) => b.total - a.total);
  const {text} = await hoverItem(page, 'effects', 'index === 0');
  const name = factors.labels[valuesOf(data, 'effects', 'factor')[axes[0].row]];
  assert.ok(text.toLowerCase().startsWith(name.replaceAll('_', ' ')), text);
  assert.match(text, new RegExp(`total\\)\\s+${percent(axes[0].total)}\u202f%`));
  const next = await hoverItem(page, 'improvements', 'index === 0');
  const counts = valuesOf(data, 'improvements', 'next_at');
  const gains = valuesOf(data, 'improvements', 'mean_gain');
  const largest = gains.indexOf(Math.max(...gains));
  const points = valuesOf(data, 'improvements', 'points')[largest];
  assert.ok(next.text.includes(`${counts[largest]} of ${points} best points`), next.text);
}

async function firmColumn(page, data) {
  const labels = column(data, 'transitions', 'firm').labels;
  const firm = valuesOf(data, 'transitions', 'firm').map((place) => labels[place]);
  const level = column(data, 'transitions', 'level');
  const isGroup =
      valuesOf(data, 'transitions', 'level').map((place) => level.labels[place] === 'group');
  const groups = isGroup.filter((is) => is).length;
  assert.ok(groups > 0 && groups < firm.length, 'this study has changes of both levels');
  const rows = page.locator('#table-transitions tbody tr');
  const more = page.locator('#table-transitions > button');
  if (await more.isVisible())
    await more.click();
  const headings = await page.locator('#table-transitions thead th').allInnerTexts();
  const cells = async (heading) => {
    const at = headings.findIndex((text) => text.startsWith(heading));
    return rows.evaluateAll(
        (all, place) => all.map((row) => [Number(row.dataset.row), row.children[place].innerText]),
        at);
  };
  assert.equal(await rows.count(), groups);
  for (const [row, text] of await cells('Firm'))
    assert.equal(text, firm[row]);
  const at = valuesOf(data, 'transitions', 'crossing_quantity');
  const bandwidth = (value) =>
      (value >= 1e12 ? `${Number((value / 1e12).toPrecision(3))} TB/s` :
                       `${Number((value / 1e9).toPrecision(3))} GB/s`);
  for (const [row, text] of await cells('Crosses at DRAM bandwidth'))
    assert.ok(text.startsWith(bandwidth(at[row])), `${text} for ${at[row]}`);
  await page.locator('#transitions .segments label', {hasText: 'Resources'}).click();
  assert.equal(await rows.count(), firm.length - groups);
  await page.locator('#transitions .segments label', {hasText: 'Groups'}).click();
  await page.locator('.filters summary').click();
  await page.locator('.filters input[data-axis=model][data-place="0"]').focus();
  await page.keyboard.press('Space');
  const left = valuesOf(data, 'transitions', 'model')
                   .map((place, row) => (place !== 0 && isGroup[row] ? row : -1))
                   .filter((row) => row >= 0);
  assert.ok(left.length > 0 && left.length < groups);
  assert.equal(await rows.count(), left.length);
  const sure = left.filter((row) => firm[row] === 'yes').length;
  assert.match(
      await page.locator('#transitions-status').innerText(),
      new RegExp(`^${left.length} changes .*: ${sure || 'none'} of these`));
  assert.equal(
      await page.locator('#table-frontier_groups tbody tr').count(),
      data.axes.model.labels.length - 1);
}

/** What the panel says of its point: by the name of a row of the sheet of results. */
const panelValue = (page, name) =>
    page.locator('#point-panel [data-sheet=result] tr', {has: page.locator('th', {hasText: name})})
        .first()
        .locator('td')
        .innerText();

/** The panel shows this point, with the step time that tables have of it. */
async function showsPoint(page, data, id) {
  const panel = page.locator('#point-panel');
  await panel.getByRole('heading', {name: `Point ${id}`}).waitFor({state: 'visible'});
  const table = ['best', 'frontier'].find(
      (name) => valuesOf(data, name, 'point_id').map(String).includes(String(id)));
  const row = valuesOf(data, table, 'point_id').map(String).indexOf(String(id));
  const seconds = Number(valuesOf(data, table, 'step_time')[row].toPrecision(4));
  const shown = Number((await panelValue(page, 'step_time')).replace(/ s$/, ''));
  assert.ok(Math.abs(shown / seconds - 1) < 1e-3, `${shown} s for ${seconds} s`);
  assert.ok((await panel.innerText()).includes(`explain ${data.study.file} --point ${id}`));
}

const isShut = (page) => page.locator('#point-panel').waitFor({state: 'hidden'});

/** A mark, a cell and a row of a table open their points, by mouse and by keyboard. */
async function explainMarks(page, data) {
  const place = await placeOf(page, 'frontier', 'frontier');
  await page.mouse.click(place.x, place.y);
  await showsPoint(page, data, valuesOf(data, 'frontier', 'point_id')[place.row]);
  await page.screenshot({path: path.join(pictures, 'point.png')});
  await page.keyboard.press('Escape');
  await isShut(page);
  assert.equal(new URL(page.url()).hash, '');
  const link = page.locator('#table-best tbody .point-link').first();
  const id = await link.innerText();
  await link.press('Enter');
  await showsPoint(page, data, id);
  assert.equal(new URL(page.url()).hash, `#point=${id}`);
  await page.goBack();
  await isShut(page);
  await page.goForward();
  await showsPoint(page, data, id);
  await page.getByRole('button', {name: 'Close', exact: true}).click();
  await isShut(page);
  for (const chart of ['bottlenecks', 'phases']) {
    await page.locator(`#chart-${chart}`).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('#point-panel').waitFor({state: 'visible'});
    const opened = new URL(page.url()).hash.replace('#point=', '');
    assert.ok(valuesOf(data, 'best', 'point_id').map(String).includes(opened), opened);
    await showsPoint(page, data, opened);
    await page.keyboard.press('Escape');
    await isShut(page);
  }
}

/** An address with a point opens it; of one that is not explained the command is told. */
async function explainAddress(context, {file, data}) {
  const [answer] = data.verdict.answers[0].points;
  const {page, complaints} = await open(context, file, `#point=${answer.id}`);
  await showsPoint(page, data, answer.id);
  await page.setViewportSize({width: 1400, height: 900});
  await page.locator('#point-panel [data-sheet=step] svg').waitFor({state: 'visible'});
  const peak = data.explanations.pictures[answer.id].memory[0];
  const bytes =
      peak.weights + peak.gradients + peak.optimizer + peak.beside + peak.kept * peak.peak;
  const label = await page.locator('#point-panel .step-picture').getAttribute('aria-label');
  assert.ok(label.includes(`${Number((bytes / 1e9).toPrecision(3))} GB`), label);
  const explained = data.explanations.points;
  const other = valuesOf(data, 'cloud', 'point_id').find((id) => !(id in explained));
  await page.evaluate((id) => {
    window.location.hash = `#point=${id}`;
  }, other);
  const text = page.locator('#point-panel', {hasText: 'is explained by the command below'});
  await text.waitFor({state: 'visible'});
  assert.ok((await text.innerText()).includes(`--point ${other}`));
  assert.deepEqual(complaints, []);
}

/** Pictures of a step and of the panel, light and dark, wide and narrow. */
async function pictureStep(context, {file, data}) {
  const [answer] = data.verdict.answers[0].points;
  const {page, complaints} = await open(context, file);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme});
    for (const width of [400, 1400]) {
      await page.setViewportSize({width, height: 900});
      await page.waitForTimeout(200);
      const name = `${colorScheme}-${width}.png`;
      await page.locator('#step').screenshot({path: path.join(pictures, `step-${name}`)});
      await page.evaluate((id) => {
        window.location.hash = `#point=${id}`;
      }, answer.id);
      await page.locator('#point-panel').waitFor({state: 'visible'});
      const panel = page.locator('#point-panel');
      const wide = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok(wide <= 0, `the panel is ${wide} pixels too wide at ${width}`);
      await page.screenshot({path: path.join(pictures, `point-${name}`)});
      await page.keyboard.press('Escape');
      await isShut(page);
    }
  }
  const canvas = page.locator('#step .step-picture');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 90, box.y + 24);
  assert.match(
      await page.locator('#step .step-told').innerText(),
      /^Stage 0: forward pass of micro-batch \d/);
  assert.deepEqual(complaints, []);
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

/** Of a file that keeps some rows, what is feasible is told of all points that were counted. */
async function fewRows(context, {file, data}) {
  const {page, complaints} = await open(context, file);
  const {counts, rows, points, coverage_is_whole: isWhole} = data.study;
  assert.ok(rows < points && counts.does_not_fit > 0 && isWhole);
  const label = await page.locator('#chart-coverage').getAttribute('aria-label');
  assert.ok(label.includes(`feasible ${counts.ok.toLocaleString('en')}`), label);
  assert.ok(label.includes(`does not fit ${counts.does_not_fit.toLocaleString('en')}`), label);
  assert.ok(!(await page.locator('#coverage').innerText()).includes(`keeps ${rows} of `));
  const counted = ['ok', 'does_not_fit'].map(
      (status) => valuesOf(data, 'coverage', `rows_${status}`).reduce((a, b) => a + b, 0));
  assert.deepEqual(counted, [counts.ok, counts.does_not_fit]);
  assert.match(await page.locator('#frontier').innerText(), /None of the points in the file is/);
  assert.equal(await page.locator('#table-best tbody tr').count(), data.tables.best.rows);
  await page.evaluate(() => window.scalesweepReport.filters.set('logic', [0, 1]));
  assert.match(
      await page.locator('#frontier-status').innerText(), /found again\. It is that of the points/);
  assert.deepEqual(complaints, []);
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

async function hasSections(page, data) {
  assert.equal(await page.title(), data.study.title);
  for (const id
           of ['verdict', 'summary', 'frontier', 'bottlenecks', 'phases', 'sensitivity', 'effects',
               'coverage', 'best', 'source', 'step']) {
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  }
  assert.ok((await page.locator('#source').innerHTML()).includes('[workload]'));
}

async function beginsWithVerdict(page, data) {
  assert.equal(await page.locator('main > section').first().getAttribute('id'), 'verdict');
  const text = await page.locator('#verdict').innerText();
  for (const answer of data.verdict.answers) {
    assert.ok(text.includes(answer.choice), answer.choice);
    assert.ok(text.includes(answer.lines[0].texts[0]), answer.lines[0].texts[0]);
  }
}

async function oneQuestion(page, context, {study, file, data}) {
  const files = {stem: 'quick', folder: pictures, keep: writeFileSync};
  const choices = [{memory: [0, 1]}, {logic: [1, 3], memory: [0, 2]}, {logic: [0], scale_out: [1]}];
  await check('has its title and all its sections', () => hasSections(page, data));
  await check('begins with the verdict', () => beginsWithVerdict(page, data));
  await check('a hover says what the file has of the point', () => hover(page, data));
  await check('marks and ids open what explains them', () => explainMarks(page, data));
  await check('an address opens its point', () => explainAddress(context, {file, data}));
  await check('pictures of a step', () => pictureStep(context, {file, data}));
  await check('all views follow the filter', () => chooseMemory(page, data));
  await check('tables sort by mouse and keyboard', () => sortBest(page, data));
  await check('copies as CSV with all digits', () => copy(page, data));
  await check('the scatter has other axes on demand', () => switchAxes(page));
  await check('bars as shares sum to one', () => shares(page));
  await check(
      'the frontier is found again under a filter',
      () => frontierIsFoundAgain(page, {scalesweep, study, data, choices}));
  await check('figures are saved as drawings and pictures', () => savesFigures(page, files));
  await check('numbers are saved as CSV', () => savesNumbers(page, {...files, data, valuesOf}));
  await check('prints two pages', () => printsTwoPages(page, {...files, name: 'quick'}));
}

async function severalQuestions(page, {study, data}) {
  const choices = [{memory: [0, 1]}, {model: [1, 2], accelerators: [0, 2]}, {model: [0]}];
  const name = 'dram-scaling';
  await check('cells of the phase diagram', () => phaseCell(page, data));
  await check('bars of effects and improvements', () => effectBars(page, data));
  await check('paper has answers and no controls', () => showsOnPaper(page));
  await check(
      'several questions on two pages', () => printsTwoPages(page, {folder: pictures, name}));
  await check(
      'frontiers of several questions are found again',
      () => frontierIsFoundAgain(page, {scalesweep, study, data, choices}));
  await check('pages of panels turn both ways', () => panelPages(page));
  await check('changes say whether they are firm', () => firmColumn(page, data));
}

async function main() {
  const over = ['--phase', 'logic,memory'];  // so that the filter of memories is seen there too
  const {study, file, data} = makeReport('quick', {report: over});
  const memory = makeReport('dram-scaling', {report: ['--along', 'memory']});
  const few = makeReport('quick', {run: ['--keep', 'best=1:logic'], as: 'few'});
  await check('the file names its study by hash and is small', () => {
    assert.equal(data.study.sha256, createHash('sha256').update(readFileSync(study)).digest('hex'));
    assert.ok(statSync(file).size < 5e6);
  });
  await check('the same study gives the same bytes', () => {
    const before = readFileSync(file);
    scalesweep('report', study, '-o', file, ...over);
    assert.ok(before.equals(readFileSync(file)));
  });
  await withBrowser({modules, chromium}, async (context) => {
    const {page, complaints} = await open(context, file);
    await page.screenshot({path: path.join(pictures, 'light.png'), fullPage: true});
    await oneQuestion(page, context, {study, file, data});
    const second = await open(context, memory.file);
    await severalQuestions(second.page, memory);
    complaints.push(...second.complaints);
    await check('a file of few rows', () => fewRows(context, few));
    await check('the policy is strict, and licences are there', () => policyIsStrict(page));
    await check('no error and no request', () => assert.deepEqual(complaints, []));
    const planted = {open, file: plantedReport({scalesweep, source, work})};
    await check('scripts in texts of a study are text', () => textsAreText(context, planted));
    await check('no other script runs', () => policyHolds(context, planted));
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
