// The frontier as a scatter of any two of its columns, over the thinned cloud of feasible points.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {checkbox, clear, h, section, select} from '../dom.js';
import {roundNumbers} from '../figures_text.js';
import {percent, plain, quantity, unitText} from '../numbers.js';
import {orderedColours, otherColour} from '../palette.js';
import {columnOf, TableView} from '../table_view.js';
import {tip} from '../tips.js';

const YES = 'yes';

/** Numeric columns that differ between members, those that are objectives first. */
export function scatterColumns(report, table) {
  const numeric = [...table.columns.values()].filter(
      (column) => (column.isNumber && column.name !== 'point_id') ||
          (column.axis && report.axes[column.axis].values));
  const varied = numeric.filter((column) => !column.isConstant).map((column) => column.name);
  const names = [...report.objectives.filter((name) => table.has(name)), report.better, ...varied];
  return [...new Set(names)].filter((name) => table.has(name));
}

/** What tells a point from the others, for its tooltip. */
export function pointPairs(report, table, row) {
  const pairs = report.varying.filter((name) => table.has(name) && table.label(name, row) !== null)
                    .map((name) => [capital(words(name)), table.label(name, row)]);
  const figures = new Set([report.better, report.timeColumn, ...report.objectives]);
  for (const name of figures) {
    if (table.has(name) && !(name in report.axes)) {
      pairs.push([
        capital(report.longName(name)), quantity(table.value(name, row), table.column(name).units)
      ]);
    }
  }
  if (table.label('dominant_resource', row)) {
    pairs.push([
      'Limited by',
      `${words(table.label('dominant_resource', row))}, ` +
          percent(table.value('dominant_share', row))
    ]);
  }
  const uncertainty = table.value('relative_uncertainty', row);
  if (typeof uncertainty === 'number')
    pairs.push(['Error bar', `\u00b1${percent(uncertainty)}`]);
  return pairs;
}

/** Which values do not compete: each of them has a frontier of its own. */
function groupWords(report) {
  const groups = report.tables.get('frontier_groups');
  const axes =
      report.varying.filter((name) => groups ? groups.has(name) : report.workloads.includes(name));
  return axes.length ? `Each ${axes.map(words).join(' and ')} has a frontier of its own. ` : '';
}

function objectiveWords(report) {
  return report.objectives
      .map(
          (name) =>
              report.longName(name) + (report.maximized.includes(name) ? ' (more is better)' : ''))
      .join(', ');
}

function marksOf(table, row) {
  return [['knee', 'knee of the frontier'], ['beyond_doubt', 'on it beyond doubt']]
      .filter(([name]) => table.label(name, row) === YES)
      .map(([, text]) => text);
}

export function frontierView(report, filters) {
  const frontier = report.table('frontier');
  if (!frontier)
    return null;
  const cloud = report.table('cloud');
  const best = report.table('best');
  const columns = scatterColumns(report, frontier);
  const varied = columns.filter(
      (name) => !frontier.column(name).isConstant ||
          (cloud?.has(name) && !cloud.column(name).isConstant));
  const pick = varied.length > 1 ? varied : columns;
  const colours = report.varying.filter((name) => frontier.has(name));
  const state =
      {x: pick[0], y: pick[1] ?? pick[0], colour: colours[0] ?? '', isLog: true, hasCloud: true};
  const valueOf = (table, name, row) => table.number(name, row, report.axes);
  const place = (table, row) => [valueOf(table, state.x, row), valueOf(table, state.y, row)];
  const drawable = ([x, y]) => Number.isFinite(x) && Number.isFinite(y) && x !== null && y !== null;

  function seriesOf(table, name, rows, style) {
    const data = rows.map((row) => ({value: place(table, row), row, source: table.name}))
                     .filter((point) => drawable(point.value));
    return {type: 'scatter', name, data, ...style};
  }

  function memberStyle(colour, ink) {
    return {
      symbolSize: (_, params) => (frontier.label('knee', params.data.row) === YES ? 15 : 10),
      symbol: (_, params) =>
          (frontier.label('knee', params.data.row) === YES ? 'diamond' : 'circle'),
      itemStyle: {color: colour, borderColor: ink, borderWidth: 0.8, opacity: 1},
      z: 4,
    };
  }

  /** Members that may be off the frontier within the error bars are drawn hollow. */
  function members(ink) {
    const rows = filters.rows(frontier);
    const axis = state.colour;
    const labels = axis ? report.axes[axis].labels : ['frontier'];
    const isOrdered = report.alongAxes.includes(axis) || report.axes[axis]?.values;
    const palette = isOrdered ? orderedColours(labels.length, ink.isDark) :
                                labels.map((_, i) => otherColour(i));
    const series = labels.map((label, i) => {
      const some = rows.filter((row) => !axis || frontier.value(axis, row) === i);
      const one = seriesOf(frontier, label, some, memberStyle(palette[i], ink.ink));
      for (const point of one.data) {
        if (frontier.has('beyond_doubt') && frontier.label('beyond_doubt', point.row) !== YES) {
          point.itemStyle = {color: ink.paper, borderColor: palette[i], borderWidth: 2};
        }
      }
      return one;
    });
    return series.filter((one) => one.data.length);
  }

  function bestOfEach() {
    const chosen = new Map();
    for (const row of filters.rows(best)) {
      const key = report.alongAxes.map((name) => best.value(name, row)).join();
      const old = chosen.get(key);
      if (old === undefined || best.value(report.better, row) < best.value(report.better, old))
        chosen.set(key, row);
    }
    return [...chosen.values()];
  }

  function allSeries(ink) {
    const series = [];
    if (state.hasCloud && cloud?.has(state.x, state.y)) {
      series.push(seriesOf(cloud, 'feasible', filters.rows(cloud), {
        symbolSize: 3,
        z: 1,
        large: false,
        itemStyle: {color: ink.cloud},
        emphasis: {disabled: true}
      }));
    }
    if (best?.has(state.x, state.y)) {
      series.push(seriesOf(best, `best by ${words(report.along)}`, bestOfEach(), {
        symbolSize: 13,
        z: 3,
        itemStyle: {color: 'rgba(0,0,0,0)', borderColor: ink.ink, borderWidth: 1.3}
      }));
    }
    return [...series, ...members(ink)];
  }

  function scale(name, series, index, ink) {
    const values = series.flatMap((one) => one.data.map((point) => point.value[index]));
    const units = report.units(name);
    const isLog = state.isLog && values.length > 0 && values.every((value) => value > 0);
    const title = capital(report.longName(name)) + (unitText(units) ? ` (${unitText(units)})` : '');
    const low = Math.min(...values), high = Math.max(...values);
    const around = isLog && low < high ?
        {min: low / (high / low) ** 0.05, max: high * (high / low) ** 0.05} :
        {scale: true};
    return {
      ...axisStyle(ink),
      type: isLog ? 'log' : 'value',
      name: title,
      nameLocation: 'middle',
      nameGap: index ? 62 : 30,
      ...(values.length ? around : {}),
      axisLabel: {
        ...axisStyle(ink).axisLabel,
        ...(isLog && low < high ? {customValues: roundNumbers(around.min, around.max)} : {}),
        formatter: (value) => quantity(value, units, 3)
      }
    };
  }

  const chart = new Chart({
    name: 'frontier',
    renderer: 'canvas',
    describe: () => `Scatter of ${report.longName(state.y)} against ${report.longName(state.x)}: ` +
        `${filters.rows(frontier).length} members of the frontier; the table below has them all`,
    draw: (width, ink) => {
      const series = allSeries(ink);
      const rowsOfLegend = Math.ceil(
          series.reduce((sum, s) => sum + 46 + 7 * s.name.length, 0) / Math.max(width - 20, 1));
      return {
        height: Math.min(560, Math.max(360, width * 0.6)) + 22 * rowsOfLegend,
        option: {
          grid: {left: 82, right: 18, top: 14 + 24 * rowsOfLegend, bottom: 52},
          legend: legendStyle(ink),
          tooltip: {...tooltipStyle(ink), trigger: 'item', formatter: (params) => hover(params)},
          xAxis: scale(state.x, series, 0, ink),
          yAxis: scale(state.y, series, 1, ink),
          dataZoom: [
            {type: 'inside', xAxisIndex: 0, zoomOnMouseWheel: 'shift'},
            {type: 'inside', yAxisIndex: 0, zoomOnMouseWheel: 'shift'}
          ],
          series,
        },
      };
    },
  });

  function hover({data}) {
    const table = report.tables.get(data.source);
    const marks = data.source === 'frontier' ? marksOf(table, data.row) : [];
    const kind = {cloud: 'feasible', best: 'best of its kind', frontier: 'on the frontier'};
    const pairs = pointPairs(report, table, data.row);
    for (const name of [state.x, state.y]) {
      const words_ = capital(report.longName(name));
      if (!pairs.some(([known]) => known === words_)) {
        pairs.push([words_, quantity(valueOf(table, name, data.row), report.units(name))]);
      }
    }
    return tip(`Point ${table.value('point_id', data.row)}`, pairs, [
      table.label('strategy', data.row), [kind[data.source], ...marks].join(', ')
    ].filter((text) => text).join(' \u2014 '));
  }

  const names = [
    'point_id', 'knee', 'beyond_doubt', ...report.varying, 'strategy', ...report.objectives,
    report.better, 'dominant_resource', 'dominant_share'
  ];
  const members_ = new TableView(
      'frontier',
      [...new Set(names)].filter((n) => frontier.has(n)).map((name) => columnOf(frontier, name)),
      'Members of the frontier');
  const options = columns.map((name) => [name, capital(report.longName(name))]);
  const status = h('p', {class: 'status', id: 'frontier-status'});
  const controls =
      h('div', {class: 'controls'},
        select(
            'Across', options, state.x,
            (value) => {
              state.x = value;
              update();
            }),
        select(
            'Up', options, state.y,
            (value) => {
              state.y = value;
              update();
            }),
        colours.length ?
            select(
                'Colour', colours.map((name) => [name, capital(words(name))]), state.colour,
                (value) => {
                  state.colour = value;
                  update();
                }) :
            null,
        checkbox('logarithmic', state.isLog, (on) => {
          state.isLog = on;
          update();
        }), cloud ? checkbox('feasible points', true, (on) => {
          state.hasCloud = on;
          update();
        }) : null);

  function update() {
    const rows = filters.rows(frontier);
    const isKnee = frontier.has('knee'), isSure = frontier.has('beyond_doubt');
    clear(
        status,
        `${plain(rows.length)} of ${plain(frontier.rows)} members are shown` +
            (filters.isOpen ?
                 '.' :
                 ': those of the whole study\'s frontier that have the chosen values.') +
            (isKnee ? ' Diamonds are knees: leaving them either way costs most.' : '') +
            (isSure ? ' Hollow marks may be off the frontier within the error bars.' : ''));
    members_.show(rows);
    chart.update();
  }

  const element = section(
      'frontier', 'Frontier',
      h('p', {},
        `No feasible point is better than these in ${objectiveWords(report)} at once. ${
            groupWords(report)}` +
            'Hover for a point, shift and wheel to zoom.'),
      controls, status, chart.element,
      h('details', {}, h('summary', {}, 'The members as a table'), members_.element));
  return {element, update};
}
