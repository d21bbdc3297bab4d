// The frontier as a scatter of any two of its columns, over the thinned cloud of feasible points.
import {Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, listed, words} from '../data.js';
import {checkbox, clear, h, section, select} from '../dom.js';
import {legendRows} from '../layout.js';
import {percent, plain, quantity} from '../numbers.js';
import {frontierFinder} from '../reading/cell_frontiers.js';
import {columnOf, madeColumn, TableView} from '../table_view.js';
import {tip} from '../tips.js';

import {colourings, groupAxes} from './colourings.js';
import {pictured, scale, scatterSeries, valueOf} from './frontier_series.js';
import {linkMarks} from './point/links.js';

const YES = 'yes';
const KINDS = {
  cloud: 'feasible',
  best: 'best of its kind',
  frontier: 'on the frontier',
  frontier_cells: 'on the frontier of what is shown',
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

/**
 * What is shown of the frontier: {table, rows, isKnee, isFound}. Of the whole study its members as
 * the program found them; under a filter those that are found again where the page has the rows for
 * it, else the members of the whole frontier that pass.
 */
function shownMembers(report, filters) {
  const frontier = report.table('frontier'), cells = report.table('frontier_cells');
  const find = cells ? frontierFinder(report, cells, report.cellFrontiers.per) : null;
  return () => {
    if (!find || filters.isOpen) {
      return {
        table: frontier,
        rows: filters.rows(frontier),
        isKnee: (row) => frontier.label('knee', row) === YES,
        isFound: false
      };
    }
    const {rows, knees} = find(filters.rows(cells));
    return {table: cells, rows, isKnee: (row) => knees.has(row), isFound: true};
  };
}

function marksOf({table, isKnee}, row) {
  return [
    isKnee(row) ? 'knee of the frontier' : '',
    table.label('beyond_doubt', row) === YES ? 'on it beyond doubt' : ''
  ].filter((text) => text);
}

/** Columns to begin with: the first two that differ. */
function initialState(report, frontier, columns) {
  const cloud = report.table('cloud');
  const varied = columns.filter(
      (name) => !frontier.column(name).isConstant ||
          (cloud?.has(name) && !cloud.column(name).isConstant));
  const pick = varied.length > 1 ? varied : columns;
  // A filter may leave values of an axis of which the whole frontier has one alone.
  const colours = colourings(report, report.table('frontier_cells') ?? frontier);
  const differs = ({name}) => !frontier.column(name)?.isConstant;
  const colouring = colours.find(differs) ?? colours[0] ?? null;
  return {x: pick[0], y: pick[1] ?? pick[0], colours, colouring, isLog: true, hasCloud: true};
}

function hover(report, state, {data}) {
  const table = report.tables.get(data.source);
  const rank = table.value('rank', data.row);
  const marks = table === state.shown.table ? marksOf(state.shown, data.row) : [];
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

function scatterChart(report, filters, state, csv) {
  return new Chart({
    name: 'frontier',
    renderer: 'canvas',
    csv,
    describe: () => `Scatter of ${report.longName(state.y)} against ${report.longName(state.x)}: ` +
        `${state.shown.rows.length} members of the frontier; the table below has them all`,
    draw: (width, ink) => {
      const series = scatterSeries(report, filters, state, ink);
      const rowsOfLegend = legendRows(series.map(({name}) => name), width - 10);
      const high = ink.printed || Math.min(560, Math.max(360, width * 0.6));
      return {
        height: high + 24 * rowsOfLegend,
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
          select('Colour', colours.map((c) => [c.name, c.words]), state.colouring.name, colour) :
          null,
      checkbox('logarithmic', state.isLog, change('isLog')),
      report.table('cloud') ? checkbox('feasible points', true, change('hasCloud')) : null);
}

/** Columns of the table of members; a knee that the page found is no column of its data. */
function memberColumns(report, {table, isKnee, isFound}) {
  const names = [
    'point_id', 'knee', 'beyond_doubt', ...report.varying, 'strategy', ...report.objectives,
    report.better, 'dominant_resource', 'dominant_share'
  ];
  const columns = [...new Set(names)].filter((name) => table.has(name));
  const shown = columns.map((name) => columnOf(table, name));
  if (isFound)
    shown.splice(1, 0, madeColumn('knee', 'Knee', (row) => (isKnee(row) ? YES : 'no')));
  return shown;
}

/** How far the members that are drawn stand for all; empty where all are drawn. */
function thinningText(report, filters, {table, rows}) {
  const drawn = pictured(table, rows).length;
  const groups = report.table('frontier_groups', 'shown_within');
  if (drawn === table.allRows || !groups || !filters.rows(groups).length)
    return '';
  const within = Math.max(...filters.rows(groups).map((row) => groups.value('shown_within', row)));
  return within > 0 ? ` ${plain(drawn)} are drawn: no other is worse than one of them in any ` +
          `objective by more than ${percent(within)} of its range.` :
                      '';
}

function membersText(count) { return `${plain(count)} ${count === 1 ? 'member' : 'members'}`; }

/** How the frontier of a filter came about, and what is not told of it. */
function foundText(report, {table, rows}, {x, y}) {
  const absent = [...new Set([x, y])].filter((name) => !table.has(name));
  return `${membersText(rows.length)} of the frontier of what is shown, found again.` +
      (report.cellFrontiers.are_whole ? '' : ' It is that of the points in the file.') +
      (report.table('frontier').has('beyond_doubt') ?
           ' What is beyond doubt is told of the whole study alone.' :
           '') +
      (report.table('frontier_behind') ? ' So are the ranks behind it.' : '') +
      (absent.length ? ` The page has no ${listed(absent.map((n) => report.longName(n)))} of ` +
               'these: choose another axis.' :
                       '');
}

/** What is listed where the frontier under a filter cannot be found again. */
function passingText(report, filters, {table, rows}) {
  const all = plain(table.allRows);
  if (rows.length === table.allRows && filters.isOpen)
    return `${membersText(table.allRows)}.`;
  const many = report.cellFrontiers ?
      ` The frontier of these values alone takes more rows (${
          plain(report.cellFrontiers.rows)}) than a page holds: ask 'scalesweep query' with ` +
          '--frontier and --where.' :
      '';
  return `${plain(rows.length)} of ${all} members are listed` +
      (filters.isOpen ?
           '.' :
           `: those of the whole study's frontier that have the chosen values.${many}`);
}

/** How many members there are, and what the marks mean, of those that are there. */
function statusText(report, filters, state) {
  const {table, rows, isKnee, isFound} = state.shown;
  return (isFound ? foundText(report, state.shown, state) :
                    passingText(report, filters, state.shown) +
                  thinningText(report, filters, state.shown)) +
      (rows.some(isKnee) ? ' A diamond is the knee, which trades the objectives off best.' : '') +
      (rows.some((row) => table.label('beyond_doubt', row) === 'no') ?
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
  const shown = shownMembers(report, filters);
  state.shown = shown();
  const members =
      new TableView('frontier', memberColumns(report, state.shown), 'Members of the frontier');
  const groups = groupTable(report);
  const chart = scatterChart(report, filters, state, () => members.csv());
  linkMarks(chart, ({source, row}) => report.tables.get(source)?.value('point_id', row));
  const status = h('p', {class: 'status', id: 'frontier-status'});

  function update() {
    state.shown = shown();
    clear(status, statusText(report, filters, state));
    members.show(state.shown.rows, memberColumns(report, state.shown));
    groups?.view.show(filters.rows(groups.table));
    chart.update();
  }

  const folded = (title, view) => h('details', {}, h('summary', {}, title), view.element);
  const element = section(
      'frontier', 'Frontier',
      h('p', {},
        `${report.frontierIsWhole ? 'No feasible point' : 'None of the points in the file'} is ` +
            `better than these in ${objectiveWords(report)} at once. ${groupWords(report)}`,
        h('span', {class: 'hint'},
          'Hover for a point, click to explain it, shift and wheel to zoom.')),
      scatterControls(report, state, columns, update), status, chart.figure,
      folded('The members as a table', members),
      groups ?
          folded('Size, knee and hypervolume of each frontier of the whole study', groups.view) :
          null);
  return {element, update};
}
