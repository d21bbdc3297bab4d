// Which axes matter at all: Sobol indices of the logarithm of the time, and pairs of them.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, listed, words} from '../data.js';
import {h, section} from '../dom.js';
import {isCrowded, labelHeight} from '../layout.js';
import {percent, plain} from '../numbers.js';
import {inkOn, shade} from '../palette.js';
import {factorsOf, knownPairs} from '../reading/answers.js';
import {tip} from '../tips.js';

const ROW = 38;
const CELL = 32;
const SMALLEST_SCALE = 0.05;  // pairs that explain less than this are pale, whatever the others do
const NARROW = 520;           // pixels

function effectHover(item) {
  return tip(item.words, [
    ['Alone (first order)', percent(item.first)],
    ['With interactions (total)', percent(item.total)],
    ['Values that take part', `${plain(item.levels)} of ${plain(item.levels + item.leftOut)}`]
  ]);
}

function effectChart(name, items) {
  const bar = (title, key, colour, ink) => ({
    type: 'bar',
    name: title,
    barGap: '0%',
    barMaxWidth: 12,
    data: items.map((item) => Math.max(item[key], 0)),
    itemStyle: {color: colour},
    label: {
      show: key === 'total',
      position: 'right',
      color: ink.ink,
      fontSize: 11,
      formatter: ({value}) => percent(value)
    }
  });
  return new Chart({
    name,
    describe: () =>
        `Sobol indices, total: ${items.map((i) => `${i.words} ${percent(i.total)}`).join(', ')}`,
    draw: (width, ink) => {
      const axis = axisStyle(ink);
      return {
        height: ROW * items.length + 66,
        option: {
          grid: {left: Math.min(180, width * 0.42), right: 52, top: 32, bottom: 28},
          legend: legendStyle(ink),
          tooltip:
              {...tooltipStyle(ink), formatter: ({dataIndex}) => effectHover(items[dataIndex])},
          xAxis: {
            ...axis,
            type: 'value',
            min: 0,
            splitNumber: width < NARROW ? 2 : 5,
            axisLabel: {...axis.axisLabel, formatter: percent}
          },
          yAxis: {
            ...axis,
            type: 'category',
            inverse: true,
            data: items.map((item) => item.words),
            splitLine: {show: false},
            axisLabel: {...axis.axisLabel, color: ink.ink, interval: 0, hideOverlap: false}
          },
          series: [
            bar('alone', 'first', '#0072B2', ink), bar('with interactions', 'total', '#E69F00', ink)
          ],
        }
      };
    }
  });
}

function pairCells({pairs, names}, ink) {
  const largest = Math.max(...pairs.map(({value}) => value), SMALLEST_SCALE);
  return pairs.flatMap((pair) => {
    const [x, y] = pair.names.map((name) => names.indexOf(name));
    const colour = shade(pair.value / largest, ink.isDark);
    const cell = {
      pair,
      itemStyle: {color: colour, borderColor: ink.paper, borderWidth: 2},
      label: {
        show: true,
        formatter: percent(Math.max(pair.value, 0)),
        fontSize: 11,
        color: inkOn(colour)
      }
    };
    return [{...cell, value: [x, y, 0]}, {...cell, value: [y, x, 0]}];
  });
}

function pairHover({pair}) {
  return tip(
      pair.names.map((name) => capital(words(name))).join(' and '),
      [['Share of the variance', percent(Math.max(pair.value, 0))]]);
}

function interactionChart(table) {
  const known = knownPairs(table);
  const titles = known.names.map((name) => capital(words(name)));
  if (!titles.length)
    return null;
  return new Chart({
    name: 'interactions',
    describe: () => `Heat map of the interactions of ${titles.join(', ')}`,
    draw: (width, ink) => {
      const axis = axisStyle(ink);
      const left = Math.min(180, width * 0.36);
      const wide = Math.min(width - left - 10, 110 * titles.length);
      const crowded = isCrowded(titles, wide / titles.length);
      const category = (rotate) => ({
        ...axis,
        type: 'category',
        data: titles,
        axisLine: {show: false},
        splitLine: {show: false},
        axisLabel: {...axis.axisLabel, interval: 0, hideOverlap: false, rotate}
      });
      return {
        height: CELL * titles.length + labelHeight(titles, crowded) + 6,
        option: {
          grid: {left, top: 6, height: CELL * titles.length, width: wide},
          tooltip: {...tooltipStyle(ink), formatter: ({data}) => pairHover(data)},
          visualMap: {show: false, min: 0, max: 1, dimension: 2, inRange: {color: [ink.panel]}},
          xAxis: category(crowded ? 40 : 0),
          yAxis: {...category(0), inverse: true},
          series: [{type: 'heatmap', data: pairCells(known, ink)}]
        }
      };
    }
  });
}

function leftOutText(items) {
  const names = items.filter((item) => typeof item.total !== 'number').map((item) => item.name);
  return names.length ? h('p', {class: 'absent'},
                          `Nothing can be said of ${listed(names)}: fewer than two values, or ` +
                              'of all else, are feasible in every combination of the others.') :
                        null;
}

export function effectView(report) {
  const effects = report.table('effects', 'factor', 'kind', 'first_order', 'total');
  if (!effects)
    return null;
  const charts = [];
  const part = (kind, name, title, text) => {
    const items = factorsOf(effects, kind);
    const told = items.filter((item) => typeof item.total === 'number');
    const chart = told.length ? effectChart(name, told) : null;
    if (chart)
      charts.push(chart);
    return items.length ? [h('h3', {}, title), text, chart?.figure ?? null, leftOutText(items)] :
                          null;
  };
  const interactions = report.table('interactions', 'first', 'second', 'second_order');
  const pairs = interactions ? interactionChart(interactions) : null;
  if (pairs)
    charts.push(pairs);
  const element = section(
      'effects', 'Which choices matter',
      h('p', {},
        `Shares of the variance of the logarithm of the best ${report.betterWords} over the ` +
            'whole study (Sobol indices): what a choice does alone, and with all its ' +
            'interactions. Every value weighs the same; the filter does not apply here.'),
      part('axis', 'effects', 'What is swept', null),
      part(
          'strategy', 'effects-strategy', 'The strategy',
          h('p', {},
            'Each field is one more choice beside the axes above: the best ' +
                `${report.betterWords} with the field at each of its values.`)),
      pairs ?
          [h('h3', {}, 'Pairs'), h('p', {}, 'What two axes explain only together.'), pairs.figure] :
          null);
  return {
    element,
    update: () => {
      for (const chart of charts)
        chart.update();
    }
  };
}
