// The frontier as a scatter of any two of its columns, over the thinned cloud of feasible points.
import {Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, listed, words} from '../data.js';
import {checkbox, clear, h, section, select} from '../dom.js';
import {legendRows} from '../layout.js';
import {percent, plain, quantity} from '../numbers.js';
import {columnOf, TableView} from '../table_view.js';
import {tip} from '../tips.js';

import {colourings, groupAxes} from './colourings.js';
import {pictured, scale, scatterSeries, valueOf} from './frontier_series.js';

const YES = 'yes';
const KINDS = {
  cloud: 'feasible',
  best: 'best of its kind',
  frontier: 'on the frontier',
  frontier_behind: 'behind the frontier'
};

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
  const axes = groupAxes(report);
  const each = axes.length > 1 ? 'combination of ' : '';
  return axes.length ? `Each ${each}${listed(axes.map(words))} has a frontier of its own. ` : '';
}

function objectiveWords(report) {
  return listed(report.objectives.map(
      (name) =>
          report.longName(name) + (report.maximized.includes(name) ? ' (more is better)' : '')));
}

function marksOf(table, row) {
  return [['knee', 'knee of the frontier'], ['beyond_doubt', 'on it beyond doubt']]
      .filter(([name]) => table.label(name, row) === YES)
      .map(([, text]) => text);
}

/** Columns to begin with: the first two that differ. */
function initialState(report, frontier, columns) {
  const cloud = report.table('cloud');
  const varied = columns.filter(
      (name) => !frontier.column(name).isConstant ||
          (cloud?.has(name) && !cloud.column(name).isConstant));
  const pick = varied.length > 1 ? varied : columns;
  const colours = colourings(report, frontier);
  const colouring = colours[0] ?? null;
  return {x: pick[0], y: pick[1] ?? pick[0], colours, colouring, isLog: true, hasCloud: true};
}

function hover(report, state, {data}) {
  const table = report.tables.get(data.source);
  const rank = table.value('rank', data.row);
  const marks = data.source === 'frontier' ? marksOf(table, data.row) : [];
  const pairs = pointPairs(report, table, data.row);
  for (const name of [state.x, state.y]) {
    const title = capital(report.longName(name));
    if (!pairs.some(([known]) => known === title))
      pairs.push([title, quantity(valueOf(report, table, name, data.row), report.units(name))]);
  }
  return tip(`Point ${table.value('point_id', data.row)}`, pairs, [
    table.label('strategy', data.row),
    [KINDS[data.source] + (rank > 1 ? `, rank ${rank}` : ''), ...marks].join(', ')
  ].filter((text) => text).join(' \u2014 '));
}

function scatterChart(report, filters, state) {
  const frontier = report.table('frontier');
  return new Chart({
    name: 'frontier',
    renderer: 'canvas',
    describe: () => `Scatter of ${report.longName(state.y)} against ${report.longName(state.x)}: ` +
        `${filters.rows(frontier).length} members of the frontier; the table below has them all`,
    draw: (width, ink) => {
      const series = scatterSeries(report, filters, state, ink);
      const rowsOfLegend = legendRows(series.map(({name}) => name), width - 10);
      return {
        height: Math.min(560, Math.max(360, width * 0.6)) + 24 * rowsOfLegend,
        option: {
          grid: {left: 82, right: 18, top: 14 + 24 * rowsOfLegend, bottom: 52},
          legend: legendStyle(ink),
          tooltip: {
            ...tooltipStyle(ink),
            trigger: 'item',
            formatter: (params) => hover(report, state, params)
          },
          xAxis: scale(report, state, series, 0, ink),
          yAxis: scale(report, state, series, 1, ink),
          dataZoom: [
            {type: 'inside', xAxisIndex: 0, zoomOnMouseWheel: 'shift'},
            {type: 'inside', yAxisIndex: 0, zoomOnMouseWheel: 'shift'}
          ],
          series,
        },
      };
    },
  });
}

function scatterControls(report, state, columns, update) {
  const options = columns.map((name) => [name, capital(report.longName(name))]);
  const change = (key) => (value) => {
    state[key] = value;
    update();
  };
  const colour = (name) => {
    state.colouring = state.colours.find((one) => one.name === name);
    update();
  };
  const {colours} = state;
  return h(
      'div', {class: 'controls'}, select('Across', options, state.x, change('x')),
      select('Up', options, state.y, change('y')),
      colours.length > 1 ?
          select('Colour', colours.map((c) => [c.name, c.words]), colours[0].name, colour) :
          null,
      checkbox('logarithmic', state.isLog, change('isLog')),
      report.table('cloud') ? checkbox('feasible points', true, change('hasCloud')) : null);
}

function memberTable(report, frontier) {
  const names = [
    'point_id', 'knee', 'beyond_doubt', ...report.varying, 'strategy', ...report.objectives,
    report.better, 'dominant_resource', 'dominant_share'
  ];
  return new TableView(
      'frontier',
      [...new Set(names)].filter((n) => frontier.has(n)).map((name) => columnOf(frontier, name)),
      'Members of the frontier');
}

/** How far the members that are drawn stand for all; empty where all are drawn. */
function thinningText(report, filters, frontier, rows) {
  const drawn = pictured(frontier, rows).length;
  const groups = report.table('frontier_groups', 'shown_within');
  if (drawn === frontier.allRows || !groups || !filters.rows(groups).length)
    return '';
  const within = Math.max(...filters.rows(groups).map((row) => groups.value('shown_within', row)));
  return within > 0 ? ` ${plain(drawn)} are drawn: no other is worse than one of them in any ` +
          `objective by more than ${percent(within)} of its range.` :
                      '';
}

/** What the marks mean, of those that are there. */
function statusText(report, filters, frontier, rows) {
  const marked = (name, label) => rows.some((row) => frontier.label(name, row) === label);
  const scope =
      filters.isOpen ? '.' : ': those of the whole study\'s frontier that have the chosen values.';
  const all = plain(frontier.allRows);
  const listedOfAll = rows.length === frontier.allRows ?
      `${all} ${frontier.allRows === 1 ? 'member' : 'members'}` :
      `${plain(rows.length)} of ${all} members are listed`;
  return listedOfAll + scope + thinningText(report, filters, frontier, rows) +
      (marked('knee', YES) ? ' A diamond is the knee, which trades the objectives off best.' : '') +
      (marked('beyond_doubt', 'no') ?
           ' Hollow marks may be off the frontier within the error bars.' :
           '');
}

function groupTable(report) {
  const table = report.table('frontier_groups');
  return table && {
    table,
    view: new TableView(
        'frontier_groups', [...table.columns.keys()].map((name) => columnOf(table, name)),
        table.description)
  };
}

export function frontierView(report, filters) {
  const frontier = report.table('frontier');
  if (!frontier)
    return null;
  const columns = scatterColumns(report, frontier);
  const state = initialState(report, frontier, columns);
  const chart = scatterChart(report, filters, state);
  const members = memberTable(report, frontier), groups = groupTable(report);
  const status = h('p', {class: 'status', id: 'frontier-status'});

  function update() {
    const rows = filters.rows(frontier);
    clear(status, statusText(report, filters, frontier, rows));
    members.show(rows);
    groups?.view.show(filters.rows(groups.table));
    chart.update();
  }

  const folded = (title, view) => h('details', {}, h('summary', {}, title), view.element);
  const element = section(
      'frontier', 'Frontier',
      h('p', {},
        `${report.frontierIsWhole ? 'No feasible point' : 'None of the points in the file'} is ` +
            `better than these in ${objectiveWords(report)} at once. ${groupWords(report)}` +
            'Hover for a point, shift and wheel to zoom.'),
      scatterControls(report, state, columns, update), status, chart.element,
      folded('The members as a table', members),
      groups ? folded('Size, knee and hypervolume of each frontier', groups.view) : null);
  return {element, update};
}
