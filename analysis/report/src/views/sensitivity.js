// Which resource is worth improving: elasticities of the best time, and the time that 10 % more of
// a resource saves.
import {axisStyle, Chart, tooltipStyle} from '../charts.js';
import {capital, listed, mean, words} from '../data.js';
import {h, section} from '../dom.js';
import {isCrowded, labelHeight} from '../layout.js';
import {elasticityText, percent, plain} from '../numbers.js';
import {inkOn, resourceColour, shade} from '../palette.js';
import {meanByResource, nextByResource} from '../reading/answers.js';
import {tip} from '../tips.js';

import {placeKey, placesAlong, resourcesShown} from './bottlenecks.js';

const ROW = 30;
const NUMBER = 33;  // pixels that <0.01 takes
const WIDE = 700;

/** Bars from left to right, one a name. */
function barOption(items, width, ink, {colour, hover, beside}) {
  const axis = axisStyle(ink);
  return {
    height: ROW * items.length + 40,
    option: {
      grid: {left: Math.min(150, width * 0.42), right: width > WIDE ? 190 : 64, top: 6, bottom: 28},
      tooltip: {...tooltipStyle(ink), formatter: ({dataIndex}) => hover(items[dataIndex])},
      xAxis: {
        ...axis,
        type: 'value',
        min: 0,
        splitNumber: 4,
        axisLabel: {...axis.axisLabel, formatter: percent}
      },
      yAxis: {
        ...axis,
        type: 'category',
        inverse: true,
        splitLine: {show: false},
        data: items.map((item) => item.words),
        axisLabel:
            {...axis.axisLabel, color: ink.ink, fontSize: 12, hideOverlap: false, interval: 0}
      },
      series: [{
        type: 'bar',
        barMaxWidth: 18,
        data: items.map((item) => ({value: item.value, itemStyle: {color: colour(item)}})),
        label: {
          show: true,
          position: 'right',
          color: ink.ink,
          formatter: ({dataIndex, value}) =>
              percent(value) + (width > WIDE ? beside(items[dataIndex]) : '')
        }
      }],
    },
  };
}

function improvementChart(report, filters) {
  // The first of these can be filtered by everything, the last by nothing.
  const detail = report.table('sensitivity', 'resource', 'gain_10');
  const panels = report.table('panel_improvements', 'resource', 'mean_gain');
  const all = report.table('improvements', 'resource', 'mean_gain');
  const source = (detail?.isTrimmed ? null : detail) ?? panels ?? all ?? detail;
  if (!source)
    return null;
  const key = source === detail ? 'gain_10' : 'mean_gain';
  const items = () => {
    const rows = filters.rows(source);
    const next = nextByResource(source, rows);
    return meanByResource(source, rows, key)
        .filter(({value}) => value > 0.0005)
        .map(
            (item) =>
                ({...item, next: next.get(item.resource), words: capital(words(item.resource))}));
  };
  return new Chart({
    name: 'improvements',
    describe: () => `Mean saving by 10 % more: ${
        items().map((i) => `${i.words} ${percent(i.value)}`).join(', ')}`,
    draw: (width, ink) => barOption(items(), width, ink, {
      colour: (item) => resourceColour(item.resource),
      hover: (item) =>
          tip(item.words,
              [
                ['Time saved by 10 % more', percent(item.value)],
                ['Saves most at', `${plain(item.next.at)} of ${plain(item.next.of)} best points`]
              ]),
      beside: ({next}) => (next.at > 0 ? `, most at ${plain(next.at)} of ${plain(next.of)}` : '')
    })
  });
}

/** Mean elasticities by place along the axis (across) and resource (down). */
function elasticityCells(report, best, rows, resources, places) {
  return places
      .flatMap(({key}, x) => {
        const there = rows.filter((row) => placeKey(report, best, row) === key);
        return resources.map(
            (name, y) =>
                ({x, y, name, value: mean(there.map((row) => best.value(`share_${name}`, row)))}));
      })
      .filter(({value}) => value !== null);
}

function elasticityItem(cell, cellWidth, ink) {
  const hasRoom = cellWidth > NUMBER, isNarrow = cellWidth < NUMBER + 8;
  const colour = shade(cell.value, ink.isDark);
  return {
    value: [cell.x, cell.y, 0],
    cell,
    itemStyle: {color: colour, borderColor: ink.paper, borderWidth: 2},
    label: {
      show: hasRoom,
      color: inkOn(colour),
      // "<0.01" takes all of the narrowest cell that has a number.
      fontSize: isNarrow ? 9 : 11,
      formatter: elasticityText(cell.value)
    }
  };
}

function elasticityHover(cell, places) {
  return tip(`${capital(words(cell.name))} at ${places[cell.x].label}`, [
    ['Mean elasticity', plain(cell.value, 3)],
    ['1 % more saves about', `${plain(cell.value, 2)}\u202f%`]
  ]);
}

function categories(data, rotate, ink) {
  const axis = axisStyle(ink);
  return {
    ...axis,
    type: 'category',
    data,
    axisLine: {show: false},
    splitLine: {show: false},
    axisLabel: {...axis.axisLabel, interval: 0, hideOverlap: false, rotate}
  };
}

function axisTitle(name, gap, ink) {
  return {
    name,
    nameLocation: 'middle',
    nameGap: gap,
    nameTextStyle: {color: ink.ink, fontSize: 12}
  };
}

function drawElasticities({cells, resources, places, title}, width, ink) {
  const labels = places.map(({label}) => label);
  const left = Math.min(150, width * 0.34);
  const cellWidth = (width - left - 10) / Math.max(labels.length, 1);
  const crowded = isCrowded(labels, cellWidth);
  const below = labelHeight(labels, crowded);
  const height = ROW * resources.length;
  return {
    height: height + below + 30,
    option: {
      grid: {left, right: 10, top: 4, height},
      tooltip: {...tooltipStyle(ink), formatter: ({data}) => elasticityHover(data.cell, places)},
      visualMap: {show: false, min: 0, max: 1, dimension: 2, inRange: {color: [ink.panel]}},
      xAxis: {...categories(labels, crowded ? 60 : 0, ink), ...axisTitle(title, below, ink)},
      yAxis: {...categories(resources.map((n) => capital(words(n))), 0, ink), inverse: true},
      series: [{type: 'heatmap', data: cells.map((cell) => elasticityItem(cell, cellWidth, ink))}]
    }
  };
}

function elasticityChart(report, filters) {
  const best = report.table('best');
  const resources = best ? resourcesShown(report, best) : [];
  if (!resources.length)
    return null;
  return new Chart({
    name: 'elasticities',
    describe: () =>
        `Mean elasticity of the ${report.bestTime} to each resource along ${words(report.along)}`,
    draw: (width, ink) => {
      const places = placesAlong(report, best, filters);
      const cells = elasticityCells(report, best, filters.rows(best), resources, places);
      const title = capital(listed(report.alongAxes.map(words)));
      return drawElasticities({cells, resources, places, title}, width, ink);
    }
  });
}

export function sensitivityView(report, filters) {
  if (!report.table('best')?.rows)
    return null;
  const improvements = improvementChart(report, filters);
  const elasticities = elasticityChart(report, filters);
  if (!improvements && !elasticities)
    return null;
  const element = section(
      'sensitivity', 'What to improve next',
      improvements ?
          [
            h('h3', {}, 'The next improvement'),
            h('p', {},
              'Time that 10 % more of a resource saves, with the strategy kept; mean over the ' +
                  'best points of the chosen combinations, and at how many of them it saves most.'),
            improvements.figure
          ] :
          h('p', {class: 'absent'},
            'The savings by the next improvement are not among the tables of this analysis.'),
      elasticities ?
          [
            h('h3', {}, 'Elasticities'),
            h('p', {},
              'An elasticity of 0.6 means that 1 % more of the resource saves 0.6 % of the ' +
                  `best ${report.time}; mean over the chosen combinations.`),
            elasticities.figure
          ] :
          null);
  return {
    element,
    update: () => {
      improvements?.update();
      elasticities?.update();
    }
  };
}
