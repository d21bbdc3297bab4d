// What the time of the best strategy is made of, along the axis: stacked by resource, one panel for
// every combination of the other axes.
import {axisStyle, Chart, isOnPages, legendStyle, tooltipStyle} from '../charts.js';
import {capital, listed, sortedGroups, titled, valueText, words} from '../data.js';
import {choice, h, section} from '../dom.js';
import {isCrowded, labelHeight, legendRows} from '../layout.js';
import {percent, plain, prefixFor, quantity} from '../numbers.js';
import {resourceColour} from '../palette.js';
import {tip} from '../tips.js';

import {linkMarks} from './point/links.js';

const MOST_PANELS = 12;
const MOST_NARROW_PANELS = 4;
const MOST_PRINTED_PANELS = 12, MOST_PRINTED_OF_LONG = 6, LONG = 6;  // LONG: letters of a label
const NARROW = 560;                                                  // pixels
const SMALL_SHARE = 0.005;  // resources that matter nowhere would only fill the legend
const PANEL_HEIGHT = 168, PANEL_WIDTH = 250;
const PRINTED_HEIGHT = 96, PRINTED_WIDTH = 165;  // so that a dozen take half of a page
const LEFT = 46;                                 // pixels, of the numbers beside the first panel

/** The places along the axis that are shown: values of one axis, or steps of a path. */
export function placesAlong(report, table, filters) {
  if (report.alongAxes.length === 1) {
    const axis = report.alongAxes[0];
    return report.axes[axis]
        .labels.map((label, place) => ({key: String(place), label, place}))
        .filter(({place}) => filters.allows(axis, place));
  }
  return sortedGroups(
             table, report.alongAxes.filter((name) => table.has(name)), filters.rows(table))
      .map(({key, labels}) => ({key, label: labels.join('\n')}));
}

export function placeKey(report, table, row) {
  return report.alongAxes.map((name) => table.value(name, row)).join(',');
}

function panelAxes(report, table) {
  return report.panels.filter((name) => table.has(name) && !report.alongAxes.includes(name));
}

/** Combinations of the panels' axes that are shown. */
export function panelsOf(report, table, filters) {
  return sortedGroups(table, panelAxes(report, table), filters.rows(table));
}

export function resourcesShown(report, table) {
  return report.resources.filter((name) => {
    const column = table.column(`share_${name}`);
    return column && column.values.some((share) => share >= SMALL_SHARE);
  });
}

/** One series a resource, of one panel. */
function seriesOf(view, panel, index, places, ink, scale) {
  const {report, best} = view;
  const rowAt = new Map(panel.rows.map((row) => [placeKey(report, best, row), row]));
  const barAt = (name, key) => {
    const row = rowAt.get(key);
    if (row === undefined)
      return {value: null, row: null};
    const share = best.value(`share_${name}`, row);
    const time = best.value(report.timeColumn, row);
    return {value: view.isShare ? share : share * time / scale, row};
  };
  return view.resources.map(
      (name) => ({
        type: 'bar',
        stack: `panel-${index}`,
        name: words(name),
        xAxisIndex: index,
        yAxisIndex: index,
        barCategoryGap: '18%',
        itemStyle: {color: resourceColour(name), borderColor: ink.paper, borderWidth: 0.4},
        data: places.map(({key}) => barAt(name, key)),
      }));
}

/** Half of a printed page: labels that do not fit side by side take as much as their panels. */
function mostPrinted({report, best, filters}) {
  const isLong = placesAlong(report, best, filters).some(({label}) => label.length > LONG);
  return isLong ? MOST_PRINTED_OF_LONG : MOST_PRINTED_PANELS;
}

/** The panels of this page, how many pages there are, and what the panels have in common. */
function shownPanels(view) {
  const panels = panelsOf(view.report, view.best, view.filters);
  const most = document.documentElement.clientWidth < NARROW ? MOST_NARROW_PANELS : MOST_PANELS;
  const pages = Math.max(1, Math.ceil(panels.length / most));
  view.page = (view.page + pages) % pages;
  const some = panels.slice(view.page * most, (view.page + 1) * most)
                   .slice(0, isOnPages() ? mostPrinted(view) : most);
  return {panels, pages, some, ...titled(some, panelAxes(view.report, view.best))};
}

/** As many panels side by side as fit; values of the last axis below each other if they can. */
function panelsAcross(width, some, ink) {
  const least = ink.printed ? PRINTED_WIDTH : PANEL_WIDTH;
  const most = Math.max(1, Math.min(some.length, Math.floor(width / least), 4));
  const last = new Set(some.map((panel) => panel.places[panel.places.length - 1])).size;
  return last > 1 && last <= most ? last * Math.floor(most / last) : most;
}

/** Where panels are, in pixels, and whether the values below them are written aslant. */
function gridLayout(view, some, places, width, ink) {
  const across = panelsAcross(width, some, ink);
  const panelHeight = ink.printed ? PRINTED_HEIGHT : PANEL_HEIGHT;
  const top = 10 + 24 * legendRows(view.resources.map(words), width);
  const wide = (width - LEFT) / across;
  const labels = places.map(({label}) => label);
  const crowded = isCrowded(labels, (wide - 14) / Math.max(places.length, 1));
  const high = panelHeight + 26 + labelHeight(labels, crowded);
  const grids = some.map((_, i) => ({
                           left: LEFT + (i % across) * wide,
                           width: wide - 14,
                           top: top + 24 + Math.floor(i / across) * high,
                           height: panelHeight,
                         }));
  return {grids, across, crowded, height: top + Math.ceil(some.length / across) * high + 4};
}

function panelTitle({title}, grid, ink) {
  const textStyle =
      {fontSize: 12, fontWeight: 600, color: ink.ink, width: grid.width, overflow: 'truncate'};
  return {text: title, left: grid.left, top: grid.top - 22, textStyle};
}

/** The scale of all panels: its end, and what one on it is in the units of the time. */
function timeScale(view, some) {
  const rows = some.flatMap((panel) => panel.rows);
  const largest = Math.max(...rows.map((row) => view.best.value(view.report.timeColumn, row)), 0);
  const [factor] = largest >= 1 ? [1] : prefixFor(largest || 1);
  return {factor, ceiling: (view.isShare ? 1 : 1.04 * largest / factor) || 1};
}

function draw(view, width, ink) {
  const {report, best} = view;
  const {some} = shownPanels(view);
  const places = placesAlong(report, best, view.filters);
  const {grids, across, crowded, height} = gridLayout(view, some, places, width, ink);
  const {factor, ceiling} = timeScale(view, some);
  const units = best.column(report.timeColumn).units;
  const axis = axisStyle(ink);
  const slant = {...axis.axisLabel, rotate: crowded ? 60 : 0, interval: 0, hideOverlap: false};
  const labels = places.map(({label}) => label);
  const value = {...axis, type: 'value', min: 0, max: ceiling, splitNumber: 4};
  // The end of a scale of times is no round number.
  value.splitLine = {...axis.splitLine, showMaxLine: view.isShare};
  const valueLabel = {
    ...axis.axisLabel,
    showMaxLabel: view.isShare,
    formatter: (at) => (view.isShare ? percent(at) : quantity(at * factor, units, 3))
  };
  return {
    height,
    option: {
      legend: {...legendStyle(ink), data: view.resources.map(words)},
      tooltip: {
        ...tooltipStyle(ink),
        trigger: 'axis',
        axisPointer: {type: 'shadow'},
        formatter: (params) => hover(view, params)
      },
      grid: grids,
      title: some.map((panel, i) => panelTitle(panel, grids[i], ink)),
      xAxis: some.map(
          (_, i) => ({...axis, type: 'category', gridIndex: i, data: labels, axisLabel: slant})),
      yAxis: some.map(
          (_, i) => ({...value, gridIndex: i, axisLabel: {...valueLabel, show: i % across === 0}})),
      series: some.flatMap((panel, i) => seriesOf(view, panel, i, places, ink, factor)),
    },
  };
}

function hover({report, best, resources}, params) {
  const shown = params.filter((one) => one.data && one.data.row !== null);
  if (!shown.length)
    return tip(params[0]?.axisValueLabel ?? '', [['', 'no feasible point is known']]);
  const {row} = shown[0].data;
  const time = best.value(report.timeColumn, row);
  const units = best.column(report.timeColumn).units;
  const pairs =
      resources.map((name) => [name, best.value(`share_${name}`, row)])
          .filter(([, share]) => share > 0)
          .sort((a, b) => b[1] - a[1])
          .map(
              ([name, share]) =>
                  [capital(words(name)), `${quantity(share * time, units)} (${percent(share)})`,
                   resourceColour(name)]);
  const place = [...report.panels, ...report.alongAxes]
                    .filter((name) => best.has(name))
                    .map((name) => valueText(name, best.label(name, row)));
  return tip(
      `${quantity(time, units)} at ${[...new Set(place)].join(', ')}`, pairs,
      `${best.label('strategy', row) ?? ''} \u2014 point ${best.value('point_id', row)}`);
}

/** How many panels there are, what their titles are values of, and what they have in common. */
function noteText({panels, pages, some, telling, common}, page) {
  if (panels.length === 0)
    return 'Nothing feasible is left of this choice.';
  const total = plain(panels.length);
  const which = some.length < panels.length ?
      `${some.length} of ${total} combinations (page ${page + 1} of ${
          pages}); the filter chooses.` :
      `${total} combination${panels.length === 1 ? '' : 's'}.`;
  const titles = telling.length ? ` Titles: ${telling.map(words).join(', ')}.` : '';
  const all = common.map(([axis, label]) => `${words(axis)} ${label}`).join(', ');
  return which + titles + (all ? ` All of these: ${all}.` : '');
}

/** Turns the pages of panels, where there are several. */
function pageButtons(view, update) {
  const turn = (text, step) =>
      h('button', {
        type: 'button',
        onclick: () => {
          view.page += step;
          update();
        }
      },
        text);
  return h('span', {class: 'control'}, turn('Previous panels', -1), turn('Next panels', 1));
}

export function bottleneckView(report, filters) {
  const best = report.table('best');
  const resources = best ? resourcesShown(report, best) : [];
  if (!resources.length)
    return null;
  const view = {report, filters, best, resources, isShare: false, page: 0};
  const chart = new Chart({
    name: 'bottlenecks',
    draw: (width, ink) => draw(view, width, ink),
    describe: () =>
        `Stacked bars of the ${report.bestTime} by resource along ${words(report.along)}, ${
            shownPanels(view).some.length} panels; the table of best points ` +
        'has the numbers'
  });
  linkMarks(chart, ({row}) => (Number.isInteger(row) ? best.value('point_id', row) : null));
  const note = h('p', {class: 'status', id: 'bottlenecks-status'});
  const pages = pageButtons(view, update);
  function update() {
    const shown = shownPanels(view);
    pages.hidden = shown.pages < 2;
    note.textContent = noteText(shown, view.page);
    chart.update();
  }
  const bars =
      choice('Bars', [['time', capital(report.time)], ['share', 'Shares']], 'time', (value) => {
        view.isShare = value === 'share';
        update();
      });
  const element = section(
      'bottlenecks', `What the ${report.bestTime} is made of`,
      h('p', {},
        `Each bar is the best strategy at a value of ${listed(report.alongAxes.map(words))}; ` +
            'every second is charged to the resource whose rate set it. ' +
            'A gap means that no feasible point is known. A click explains the point.'),
      h('div', {class: 'controls'}, bars, pages), note, chart.figure);
  return {element, update};
}
