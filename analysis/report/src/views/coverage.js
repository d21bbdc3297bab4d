// How many points ended in which status, and so why nothing is feasible where nothing is.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {h, section} from '../dom.js';
import {percent, plain} from '../numbers.js';
import {statusColour} from '../palette.js';
import {columnOf, TableView} from '../table_view.js';
import {tip} from '../tips.js';

const PREFIX = 'rows_';

/** Statuses that some row has, feasible first, the commonest of the others next. */
export function statusesOf(table) {
  const total = (name) => table.column(name).values.reduce((sum, value) => sum + value, 0);
  const names =
      [...table.columns.keys()].filter((name) => name.startsWith(PREFIX) && total(name) > 0);
  const isFeasible = (name) => Number(name === 'rows_ok');
  return names.sort((a, b) => isFeasible(b) - isFeasible(a) || total(b) - total(a))
      .map((column, i) => ({
             column,
             words: words(column.slice(PREFIX.length)),
             colour: column === 'rows_ok' ? '#009E73' : statusColour(i - 1)
           }));
}

export function coverageView(report, filters) {
  const table = report.table('coverage');
  const statuses = table ? statusesOf(table) : [];
  if (!statuses.length)
    return null;
  const axes = report.varying.filter((name) => table.has(name));
  const sums = (rows) =>
      statuses.map(({column}) => rows.reduce((sum, row) => sum + table.value(column, row), 0));
  const bars = () => {
    const rows = filters.rows(table);
    return axes.flatMap(
        (axis) => report.axes[axis]
                      .labels.map((label, place) => ({axis, label, place}))
                      .filter(({place}) => filters.allows(axis, place))
                      .map((bar) => ({
                             ...bar,
                             sums: sums(rows.filter((row) => table.value(axis, row) === bar.place))
                           })));
  };
  const chart = new Chart({
    name: 'coverage',
    describe: () => `Points by status: ${
        statuses.map((s, i) => `${s.words} ${plain(sums(filters.rows(table))[i])}`).join(', ')}`,
    draw: (width, ink) => {
      const items =
          [{axis: '', label: 'all that is chosen', sums: sums(filters.rows(table))}, ...bars()];
      const axis = axisStyle(ink);
      const part = (item, i) => item.sums[i] / Math.max(item.sums.reduce((a, b) => a + b, 0), 1);
      const name = (item) => (item.axis ? `${words(item.axis)} ${item.label}` : item.label);
      const rowsOfLegend =
          Math.ceil(statuses.reduce((sum, s) => sum + 46 + 7 * s.words.length, 0) / width);
      return {
        height: 24 * items.length + 44 + 24 * rowsOfLegend,
        option: {
          legend: legendStyle(ink),
          grid: {
            left: Math.min(
                24 + 6.4 * Math.max(...items.map((item) => name(item).length)), width * 0.48),
            right: 20,
            top: 10 + 24 * rowsOfLegend,
            bottom: 28
          },
          tooltip: {
            ...tooltipStyle(ink),
            trigger: 'axis',
            axisPointer: {type: 'shadow'},
            formatter: ([{dataIndex}]) =>
                tip(name(items[dataIndex]),
                    statuses
                        .map(
                            (status, i) =>
                                [capital(status.words),
                                 `${plain(items[dataIndex].sums[i])} (${
                                     percent(part(items[dataIndex], i))})`,
                                 status.colour])
                        .filter((_, i) => items[dataIndex].sums[i] > 0))
          },
          xAxis: {
            ...axis,
            type: 'value',
            min: 0,
            max: 1,
            axisLabel: {...axis.axisLabel, formatter: percent}
          },
          yAxis: {
            ...axis,
            type: 'category',
            inverse: true,
            splitLine: {show: false},
            data: items.map(name),
            axisLabel: {...axis.axisLabel, color: ink.ink, interval: 0, hideOverlap: false}
          },
          series: statuses.map(
              (status, i) => ({
                type: 'bar',
                stack: 'all',
                name: status.words,
                barMaxWidth: 16,
                itemStyle: {color: status.colour, borderColor: ink.paper, borderWidth: 0.5},
                data: items.map((item) => part(item, i))
              })),
        }
      };
    }
  });
  const counts = new TableView(
      'coverage',
      [...axes, ...statuses.map(({column}) => column)].map((name) => columnOf(table, name)),
      'Points by status, for every combination');
  const isPartial = report.study.rows < report.study.points;
  const element = section(
      'coverage', 'What is feasible, and why not',
      isPartial ?
          h('p', {class: 'absent'}, 'Only rows that the file keeps are counted by combination.') :
          null,
      chart.element,
      h('details', {}, h('summary', {}, 'Counts for every combination'), counts.element));
  return {
    element,
    update: () => {
      chart.update();
      counts.show(filters.rows(table));
    }
  };
}
