// What the scatter of the frontier draws: members, the best along the axis, the cloud, and scales.
import {axisStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {roundNumbers} from '../figures_text.js';
import {quantity} from '../numbers.js';
import {orderedColours, otherColour} from '../palette.js';
import {bestOfEach} from '../reading/answers.js';

const YES = 'yes';
const MOST_NAMED_COLOURS = 8;

export function valueOf(report, table, name, row) { return table.number(name, row, report.axes); }

/** A series of rows of a table; rows without a value on either axis are not drawn. */
function seriesOf(report, state, table, name, rows, style) {
  const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
  const place = (row) => [state.x, state.y].map((axis) => valueOf(report, table, axis, row));
  const data = rows.map((row) => ({value: place(row), row, source: table.name}))
                   .filter((point) => point.value.every(isNumber));
  return {type: 'scatter', name, data, ...style};
}

/** Rows that stand for all where a picture has no room for all. */
export function pictured(table, rows) {
  return rows.filter((row) => table.label('shown', row) !== 'no');
}

function memberStyle({isKnee}, colour, ink) {
  return {
    symbolSize: (_, {data}) => (isKnee(data.row) ? 15 : 10),
    symbol: (_, {data}) => (isKnee(data.row) ? 'diamond' : 'circle'),
    itemStyle: {color: colour, borderColor: ink, borderWidth: 0.8, opacity: 1},
    z: 4,
  };
}

/** Members that may be off the frontier within the error bars are drawn hollow. */
function memberSeries(report, state, ink) {
  const {table, rows} = state.shown;
  const by = state.colouring ?? {labels: ['frontier'], isOrdered: false, place: () => 0};
  const palette = by.isOrdered || by.labels.length > MOST_NAMED_COLOURS ?
      orderedColours(by.labels.length, ink.isDark) :
      by.labels.map((_, i) => otherColour(i));
  const series = by.labels.map((label, i) => {
    const style = memberStyle(state.shown, palette[i], ink.ink);
    const some = pictured(table, rows).filter((row) => by.place(row, table) === i);
    const one = seriesOf(report, state, table, label, some, style);
    for (const point of one.data) {
      if (table.has('beyond_doubt') && table.label('beyond_doubt', point.row) !== YES)
        point.itemStyle = {color: ink.paper, borderColor: palette[i], borderWidth: 2};
    }
    return one;
  });
  return series.filter((one) => one.data.length);
}

/** The ranks behind the frontier, the fainter the further. */
function behindSeries(report, filters, state, behind, ink) {
  const rows = filters.rows(behind);
  const last = Math.max(...rows.map((row) => behind.value('rank', row)));
  const name = last > 2 ? `ranks 2 to ${last}` : 'rank 2';
  const one = seriesOf(
      report, state, behind, name, rows, {symbolSize: 5, z: 2, itemStyle: {color: ink.ink}});
  for (const point of one.data) {
    const further = (behind.value('rank', point.row) - 2) / Math.max(last - 2, 1);
    point.itemStyle = {color: ink.ink, opacity: 0.55 - 0.4 * further};
  }
  return one;
}

/** All series, those in the back first. */
export function scatterSeries(report, filters, state, ink) {
  const cloud = report.table('cloud'), best = report.table('best');
  const series = [];
  if (state.hasCloud && cloud?.has(state.x, state.y)) {
    series.push(seriesOf(report, state, cloud, 'feasible', filters.rows(cloud), {
      symbolSize: 3,
      z: 1,
      large: false,
      progressive: 0,  // a figure that is saved or printed cannot wait
      itemStyle: {color: ink.cloud},
      emphasis: {disabled: true}
    }));
  }
  const behind = report.table('frontier_behind', state.x, state.y);
  if (behind && !state.shown.isFound)
    series.push(behindSeries(report, filters, state, behind, ink));
  if (best?.has(state.x, state.y)) {
    const rows = bestOfEach(report, best, filters.rows(best));
    series.push(seriesOf(report, state, best, `best by ${words(report.along)}`, rows, {
      symbolSize: 15,
      z: 3,
      itemStyle: {color: 'rgba(0,0,0,0)', borderColor: ink.ink, borderWidth: 1.3}
    }));
  }
  return [...series, ...memberSeries(report, state, ink)];
}

/** The axis of a column; `index` 0 across, 1 up. */
export function scale(report, state, series, index, ink) {
  const name = index ? state.y : state.x;
  const values = series.flatMap((one) => one.data.map((point) => point.value[index]));
  const units = report.units(name);
  const isLog = state.isLog && values.length > 0 && values.every((value) => value > 0);
  const low = Math.min(...values), high = Math.max(...values);
  const around = isLog && low < high ?
      {min: low / (high / low) ** 0.05, max: high * (high / low) ** 0.05} :
      {scale: true};
  const axis = axisStyle(ink);
  return {
    ...axis,
    type: isLog ? 'log' : 'value',
    name: capital(report.longName(name)),  // units stand at every number
    nameLocation: 'middle',
    nameGap: index ? 62 : 30,
    ...(values.length ? around : {}),
    axisLabel: {
      ...axis.axisLabel,
      ...(isLog && low < high ? {customValues: roundNumbers(around.min, around.max)} : {}),
      formatter: (value) => quantity(value, units, 3)
    }
  };
}
