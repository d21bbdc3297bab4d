// How many points ended in which status, and so why nothing is feasible where nothing is.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {h, section} from '../dom.js';
import {legendRows} from '../layout.js';
import {percent, plain} from '../numbers.js';
import {barOfStudy, computedPoints, coversAll, statusesOf} from '../reading/statuses.js';
import {columnOf, TableView} from '../table_view.js';
import {tip} from '../tips.js';

/** How many points of some rows have each status. */
function sumsOf(table, statuses, rows) {
  return statuses.map(({column}) => rows.reduce((sum, row) => sum + table.value(column, row), 0));
}

/** A bar for all that is chosen, and one for every chosen value of every axis. */
function barsOf(report, filters, table, statuses, axes) {
  const rows = filters.rows(table);
  const ofValue = (axis, label, place) => ({
    name: `${words(axis)} ${label}`,
    sums: sumsOf(table, statuses, rows.filter((row) => table.value(axis, row) === place))
  });
  const ofAxis = (axis) => report.axes[axis].labels.flatMap(
      (label, place) => (filters.allows(axis, place) ? [ofValue(axis, label, place)] : []));
  return [
    {name: 'all that is chosen', sums: sumsOf(table, statuses, rows)}, ...axes.flatMap(ofAxis)
  ];
}

function partOf(bar, i) { return bar.sums[i] / Math.max(bar.sums.reduce((a, b) => a + b, 0), 1); }

function hover(bar, statuses) {
  const pairs = statuses.map(
      (status, i) =>
          [capital(status.words), `${plain(bar.sums[i])} (${percent(partOf(bar, i))})`,
           status.colour]);
  return tip(bar.name, pairs.filter((_, i) => bar.sums[i] > 0));
}

function drawBars(bars, statuses, width, ink) {
  const axis = axisStyle(ink);
  const rowsOfLegend = legendRows(statuses.map((status) => status.words), width);
  const longest = Math.max(...bars.map(({name}) => name.length));
  const xAxis = {...axis, type: 'value', min: 0, max: 1};
  xAxis.axisLabel = {...axis.axisLabel, formatter: percent};
  const yAxis = {...axis, type: 'category', inverse: true, splitLine: {show: false}};
  yAxis.data = bars.map(({name}) => name);
  yAxis.axisLabel = {...axis.axisLabel, color: ink.ink, interval: 0, hideOverlap: false};
  return {
    height: 24 * bars.length + 44 + 24 * rowsOfLegend,
    option: {
      legend: legendStyle(ink),
      grid: {
        left: Math.min(24 + 6.4 * longest, width * 0.48),
        right: 20,
        top: 10 + 24 * rowsOfLegend,
        bottom: 28
      },
      tooltip: {
        ...tooltipStyle(ink),
        trigger: 'axis',
        axisPointer: {type: 'shadow'},
        formatter: ([{dataIndex}]) => hover(bars[dataIndex], statuses)
      },
      xAxis,
      yAxis,
      series: statuses.map(
          (status, i) => ({
            type: 'bar',
            stack: 'all',
            name: status.words,
            barMaxWidth: 16,
            itemStyle: {color: status.colour, borderColor: ink.paper, borderWidth: 0.5},
            data: bars.map((bar) => partOf(bar, i))
          })),
    }
  };
}

/** A bar for every value where all points are counted; else they would only say what is kept. */
function coverageChart(report, filters, table, statuses, axes, csv) {
  const shown = () =>
      (coversAll(report.study) ? {statuses, bars: barsOf(report, filters, table, statuses, axes)} :
                                 barOfStudy(report.study));
  return new Chart({
    name: 'coverage',
    csv,
    describe: () => {
      const [first] = shown().bars;
      const parts = shown().statuses.map((s, i) => `${s.words} ${plain(first.sums[i])}`);
      return `Points by status: ${parts.join(', ')}`;
    },
    draw: (width, ink) => drawBars(shown().bars, shown().statuses, width, ink)
  });
}

export function coverageView(report, filters) {
  const table = report.table('coverage');
  const statuses = table ? statusesOf(table) : [];
  if (!statuses.length)
    return null;
  const axes = report.varying.filter((name) => table.has(name));
  const counts = new TableView(
      'coverage',
      [...axes, ...statuses.map(({column}) => column)].map((name) => columnOf(table, name)),
      'Points by status, for every combination');
  const chart = coverageChart(report, filters, table, statuses, axes, () => counts.csv());
  const element = section(
      'coverage', 'What is feasible, and why not',
      coversAll(report.study) ?
          null :
          h('p', {class: 'absent'},
            `The file keeps ${plain(report.study.rows)} of ${
                plain(computedPoints(report.study))} points: the bar is of all points, whatever ` +
                'the filter; the table below has those alone that are kept.'),
      chart.figure,
      h('details', {}, h('summary', {}, 'Counts for every combination'), counts.element));
  return {
    element,
    update: () => {
      chart.update();
      counts.show(filters.rows(table));
    }
  };
}
