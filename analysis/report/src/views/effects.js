// Which axes matter at all: Sobol indices of the logarithm of the time, and pairs of them.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {h, section} from '../dom.js';
import {percent} from '../numbers.js';
import {inkOn, ordered} from '../palette.js';
import {tip} from '../tips.js';

const ROW = 38;
const FACTOR_COLUMNS = ['factor', 'axis', 'name', 'field'];

function nameColumn(table, candidates = FACTOR_COLUMNS) {
  return candidates.find((name) => table.has(name)) ?? null;
}

function effectChart(table) {
  const factor = nameColumn(table);
  const items = [...Array(table.rows).keys()]
                    .map((row) => ({
                           words: capital(words(table.label(factor, row))),
                           first: table.value('first_order', row),
                           total: table.value('total', row)
                         }))
                    .sort((a, b) => (b.total ?? b.first ?? 0) - (a.total ?? a.first ?? 0));
  const bar = (name, key, colour) => ({
    type: 'bar',
    name,
    barGap: '0%',
    barMaxWidth: 12,
    data: items.map((item) => Math.max(item[key] ?? 0, 0)),
    itemStyle: {color: colour}
  });
  return new Chart({
    name: 'effects',
    describe: () =>
        `Sobol indices, total: ${items.map((i) => `${i.words} ${percent(i.total)}`).join(', ')}`,
    draw: (width, ink) => {
      const axis = axisStyle(ink);
      return {
        height: ROW * items.length + 66,
        option: {
          grid: {left: Math.min(180, width * 0.42), right: 30, top: 32, bottom: 28},
          legend: legendStyle(ink),
          tooltip: {
            ...tooltipStyle(ink),
            formatter: ({dataIndex}) =>
                tip(items[dataIndex].words,
                    [
                      ['Alone (first order)', percent(items[dataIndex].first)],
                      ['With interactions (total)', percent(items[dataIndex].total)]
                    ])
          },
          xAxis:
              {...axis, type: 'value', min: 0, axisLabel: {...axis.axisLabel, formatter: percent}},
          yAxis: {
            ...axis,
            type: 'category',
            inverse: true,
            data: items.map((item) => item.words),
            splitLine: {show: false},
            axisLabel: {...axis.axisLabel, color: ink.ink, interval: 0, hideOverlap: false}
          },
          series: [bar('alone', 'first', '#0072B2'), bar('with interactions', 'total', '#E69F00')],
        }
      };
    }
  });
}

function interactionChart(table) {
  const pair = [
    ['first', 'second'], ['factor_a', 'factor_b'], ['axis_a', 'axis_b'], ['a', 'b'],
    ['first_axis', 'second_axis'], ['first_factor', 'second_factor'], ['factor', 'other']
  ].find(([a, b]) => table.has(a, b));
  if (!pair)
    return null;
  const rows = [...Array(table.rows).keys()];
  const names = [...new Set(rows.flatMap((row) => pair.map((name) => table.label(name, row))))];
  const largest = Math.max(...rows.map((row) => table.value('second_order', row) ?? 0), 0.01);
  return new Chart({
    name: 'interactions',
    describe: () => `Heat map of the interactions of ${names.map(words).join(', ')}`,
    draw: (width, ink) => {
      const axis = axisStyle(ink);
      const category = (extra) => ({
        ...axis,
        type: 'category',
        data: names.map((n) => capital(words(n))),
        axisLine: {show: false},
        splitLine: {show: false},
        axisLabel: {...axis.axisLabel, interval: 0, hideOverlap: false},
        ...extra
      });
      const data = rows.flatMap((row) => {
        const [x, y] = pair.map((name) => names.indexOf(table.label(name, row)));
        const value = Math.max(table.value('second_order', row) ?? 0, 0);
        const colour = ordered(ink.isDark ? value / largest : 1 - value / largest);
        const cell = {
          row,
          itemStyle: {color: colour, borderColor: ink.paper, borderWidth: 2},
          label: {show: true, formatter: percent(value), fontSize: 11, color: inkOn(colour)}
        };
        return [{...cell, value: [x, y, 0]}, {...cell, value: [y, x, 0]}];
      });
      const left = Math.min(180, width * 0.36);
      return {
        height: 32 * names.length + 110,
        option: {
          grid: {
            left,
            right: 10,
            top: 6,
            height: 32 * names.length,
            width: Math.min(width - left - 10, 110 * names.length)
          },
          tooltip: {
            ...tooltipStyle(ink),
            formatter: ({data: point}) =>
                tip(pair.map((name) => capital(words(table.label(name, point.row)))).join(' and '),
                    [['Share of the variance', percent(table.value('second_order', point.row))]])
          },
          visualMap: {show: false, min: 0, max: 1, dimension: 2, inRange: {color: [ink.panel]}},
          xAxis: category(
              {axisLabel: {...axis.axisLabel, rotate: 40, interval: 0, hideOverlap: false}}),
          yAxis: category({inverse: true}),
          series: [{type: 'heatmap', data}]
        }
      };
    }
  });
}

export function effectView(report) {
  const effects = report.table('effects', 'first_order', 'total');
  if (!effects || !nameColumn(effects))
    return null;
  const interactions = report.table('interactions', 'second_order');
  const bars = effectChart(effects);
  const pairs = interactions ? interactionChart(interactions) : null;
  const element = section(
      'effects', 'Which choices matter',
      h('p', {},
        `Shares of the variance of the logarithm of the ${report.time} over the whole study ` +
            '(Sobol indices): what a choice does alone, and with all its interactions. ' +
            'The filter does not apply here.'),
      bars.element, pairs ? [h('h3', {}, 'Pairs'), pairs.element] : null);
  return {
    element,
    update: () => {
      bars.update();
      pairs?.update();
    }
  };
}
