// A phase diagram: what limits the best strategy, over any two axes.
import {axisStyle, Chart, tooltipStyle} from '../charts.js';
import {capital, valueText, words} from '../data.js';
import {clear, h, section, select} from '../dom.js';
import {stepText} from '../figures_text.js';
import {isCrowded, labelHeight} from '../layout.js';
import {percent, quantity} from '../numbers.js';
import {inkOn, resourceColour} from '../palette.js';
import {tip} from '../tips.js';

import {linkMarks} from './point/links.js';

const CELL_HEIGHT = 34;

/** The resource that leads the dominant group: it gives a cell its colour. */
export function leadingResource(report, table, row) {
  const resource = table.label('dominant_resource', row);
  const group = table.label('dominant_group', row);
  if (!group || report.groupOf[resource] === group)
    return resource ?? group;
  const members = report.resources.filter((name) => report.groupOf[name] === group);
  return members.reduce(
      (a, b) =>
          ((table.value(`share_${b}`, row) ?? 0) > (table.value(`share_${a}`, row) ?? 0) ? b : a),
      members[0] ?? group);
}

/** How sure a cell is and where the next phase begins: from the table of phases, by point. */
export function phaseDetails(report) {
  const phases = report.table('phases', 'point_id', 'firm');
  const rows = new Map();
  for (let row = 0; row < (phases?.rows ?? 0); row += 1)
    rows.set(phases.value('point_id', row), row);
  const crossings = report.varying.filter((name) => phases?.has(`crossing_${name}`));
  return {
    isDoubtful: (id) => rows.has(id) && phases.label('firm', rows.get(id)) === 'no',
    pairs: (id) => {
      const row = rows.get(id);
      if (row === undefined)
        return [];
      const lead = phases.value('group_margin', row);
      const doubt = phases.label('firm', row) === 'no' ? ', within the error bar' : '';
      const ends =
          crossings.filter((name) => phases.value(`crossing_${name}`, row) !== null)
              .map(
                  (name) =>
                      [`Its end along ${words(name)}`,
                       stepText(phases.value(`crossing_${name}`, row), report.axes[name].labels)]);
      return [
        ...(typeof lead === 'number' ? [['Group leads by', percent(lead) + doubt]] : []), ...ends
      ];
    }
  };
}

/** What the functions below share: the table, its axes, and what the reader chose. */
function phasePlane(report, filters) {
  const table = report.table('best', 'dominant_group') ?? report.table('phases', 'dominant_group');
  // Others that vary, as the allocation of a die, are chosen for the best at every combination.
  const combined = [...report.alongAxes, ...report.panels];
  const axes = table ? report.varying.filter(
                           (name) => combined.includes(name) && table.column(name)?.axis === name) :
                       [];
  if (axes.length < 2)
    return null;
  const [x, y] = report.phaseAxes.length === 2 && report.phaseAxes.every((n) => axes.includes(n)) ?
      report.phaseAxes :
      axes;
  return {report, filters, table, axes, details: phaseDetails(report), x, y, held: new Map()};
}

/** Axes that are not drawn. */
function heldAxes(plane) { return plane.axes.filter((name) => ![plane.x, plane.y].includes(name)); }

/** A value of an axis that is not drawn; one that the filter took away gives way. */
function heldPlace({report, filters, held}, axis) {
  const old = held.get(axis);
  if (old !== undefined && filters.allows(axis, old))
    return old;
  const places = [...report.axes[axis].labels.keys()];
  return places.find((place) => filters.allows(axis, place)) ?? 0;
}

function cellRows(plane) {
  const {filters, table} = plane;
  const keeps = filters.keeps(table);
  const held = heldAxes(plane).map((axis) => [axis, heldPlace(plane, axis)]);
  return table.where(
      (row) => keeps(row) && held.every(([axis, place]) => table.value(axis, row) === place));
}

function cellOf({report, table, details, x, y}, row, xs, ys, ink) {
  const group = table.label('dominant_group', row);
  const colour = resourceColour(leadingResource(report, table, row));
  const share =
      table.value(`group_share_${group}`, row) ?? table.value('dominant_group_share', row);
  const isDoubtful = details.isDoubtful(table.value('point_id', row));
  return {
    value: [xs.indexOf(table.value(x, row)), ys.indexOf(table.value(y, row)), 0],
    row,
    itemStyle: {color: colour, borderColor: ink.paper, borderWidth: 2},
    label: {
      show: true,
      color: inkOn(colour),
      formatter: isDoubtful ? `(${percent(share)})` : percent(share),
      fontSize: 11
    }
  };
}

function categoryAxis(name, labels, gap, rotate, ink) {
  const axis = axisStyle(ink);
  return {
    ...axis,
    type: 'category',
    data: labels,
    splitLine: {show: false},
    name: capital(words(name)),
    nameLocation: 'middle',
    nameGap: gap,
    axisLine: {show: false},
    axisLabel: {...axis.axisLabel, interval: 0, hideOverlap: false, rotate}
  };
}

function drawPlane(plane, width, ink) {
  const {report, filters} = plane;
  const shown =
      (axis) => [...report.axes[axis].labels.keys()].filter((p) => filters.allows(axis, p));
  const xs = shown(plane.x), ys = shown(plane.y);
  const labels = (axis, places) => places.map((place) => report.axes[axis].labels[place]);
  const across = labels(plane.x, xs), down = labels(plane.y, ys);
  const left = Math.min(16 + 7 * Math.max(...down.map((text) => text.length), 4), width / 3);
  const wide = Math.min(width - left - 40, 110 * xs.length);
  const crowded = isCrowded(across, wide / Math.max(xs.length, 1));
  const below = labelHeight(across, crowded);
  const height = CELL_HEIGHT * Math.max(ys.length, 1);
  return {
    height: height + below + 34,
    option: {
      grid: {left: left + 24, width: wide, top: 8, height},
      tooltip: {...tooltipStyle(ink), formatter: ({data}) => hover(plane, data.row)},
      visualMap: {show: false, min: 0, max: 1, dimension: 2, inRange: {color: [ink.panel]}},
      xAxis: categoryAxis(plane.x, across, below, crowded ? 60 : 0, ink),
      yAxis: {...categoryAxis(plane.y, down, left + 4, 0, ink), inverse: true},
      series:
          [{type: 'heatmap', data: cellRows(plane).map((row) => cellOf(plane, row, xs, ys, ink))}],
    },
  };
}

function hover({report, table, axes, details}, row) {
  const units = table.column(report.better)?.units ?? '';
  const shares =
      report.resources.map((name) => [name, table.value(`share_${name}`, row)])
          .filter(([, share]) => share > 0.005)
          .sort((a, b) => b[1] - a[1])
          .map(([name, share]) => [capital(words(name)), percent(share), resourceColour(name)]);
  return tip(
      axes.map((name) => valueText(name, table.label(name, row))).join(', '),
      [
        ...shares, ...details.pairs(table.value('point_id', row)),
        [capital(report.betterWords), quantity(table.value(report.better, row), units)]
      ],
      table.label('strategy', row) ?? '');
}

/** Which axes are drawn, and at which values the others are held. */
function planeControls(plane, refresh) {
  const {report, filters, axes} = plane;
  const options = axes.map((name) => [name, capital(words(name))]);
  const swap = (which, other) => (value) => {
    if (plane[other] === value)
      plane[other] = plane[which];
    plane[which] = value;
    refresh();
  };
  const hold = (axis) => (place) => {
    plane.held.set(axis, Number(place));
    refresh();
  };
  const places = (axis) => report.axes[axis]
                               .labels.map((text, place) => [String(place), text])
                               .filter(([place]) => filters.allows(axis, Number(place)));
  return [
    select('Across', options, plane.x, swap('x', 'y')),
    select('Down', options, plane.y, swap('y', 'x')),
    ...heldAxes(plane).map(
        (axis) =>
            select(capital(words(axis)), places(axis), String(heldPlace(plane, axis)), hold(axis))),
  ];
}

/** What the colours mean: [{colour, text}]. */
function colourKey(plane) {
  const {report, table} = plane;
  const seen = new Set(cellRows(plane).map((row) => leadingResource(report, table, row)));
  const text = (name) =>
      (report.groupOf[name] === name ? '' : `${report.groupOf[name]}: `) + words(name);
  return report.resources.filter((name) => seen.has(name))
      .map((name) => ({colour: resourceColour(name), text: text(name)}));
}

function legendItems(plane) {
  return colourKey(plane).map(
      ({colour, text}) => h('li', {}, h('i', {style: {background: colour}}), text));
}

/** The values at which the axes that are not drawn are held, which a figure alone must say. */
function heldKey(plane) {
  return heldAxes(plane).map(
      (axis) =>
          ({text: `${words(axis)} ${plane.report.axes[axis].labels[heldPlace(plane, axis)]}`}));
}

export function phaseView(report, filters) {
  const plane = phasePlane(report, filters);
  if (!plane)
    return null;
  const chart = new Chart({
    name: 'phases',
    draw: (width, ink) => drawPlane(plane, width, ink),
    key: () => [...colourKey(plane), ...heldKey(plane)],
    describe: () =>
        `Phase diagram of the dominant resource over ${words(plane.x)} and ${words(plane.y)}`
  });
  linkMarks(chart, ({row}) => plane.table.value('point_id', row));
  const held = h('span', {class: 'held'});
  const legend = h('ul', {class: 'legend'});
  function refresh() {
    clear(held, planeControls(plane, refresh));
    clear(legend, legendItems(plane));
    chart.update();
  }
  const element = section(
      'phases', 'Phase diagram',
      h('p', {},
        'The colour names what limits the best strategy, the number is the share of its ' +
            'group, in brackets where its lead is within the error bar. ' +
            'An empty cell: no feasible point is known. A click explains the point of a cell.'),
      h('div', {class: 'controls'}, held), legend, chart.figure);
  return {element, update: refresh};
}
