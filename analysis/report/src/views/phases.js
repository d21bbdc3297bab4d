// A phase diagram: what limits the best strategy, over any two axes.
import {axisStyle, Chart, tooltipStyle} from '../charts.js';
import {capital, words} from '../data.js';
import {clear, h, section, select} from '../dom.js';
import {stepText} from '../figures_text.js';
import {percent, quantity} from '../numbers.js';
import {inkOn, resourceColour} from '../palette.js';
import {tip} from '../tips.js';

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

export function phaseView(report, filters) {
  const table = report.table('best', 'dominant_group') ?? report.table('phases', 'dominant_group');
  const axes = table ? report.varying.filter((name) => table.column(name)?.axis === name) : [];
  if (axes.length < 2)
    return null;
  const [first, second] = report.phaseAxes.every((name) => axes.includes(name)) ?
      [...report.phaseAxes, ...axes.filter((name) => !report.phaseAxes.includes(name))] :
      axes;
  const state = {x: first, y: second, held: new Map()};
  const others = () => axes.filter((name) => name !== state.x && name !== state.y);
  const held = h('span', {class: 'held'});
  const details = phaseDetails(report);

  /** A value of every axis that is not drawn; one that the filter took away gives way. */
  function heldPlace(axis) {
    const labels = report.axes[axis].labels;
    const old = state.held.get(axis);
    if (old !== undefined && filters.allows(axis, old))
      return old;
    return [...labels.keys()].find((place) => filters.allows(axis, place)) ?? 0;
  }

  function cells() {
    const keeps = filters.keeps(table);
    return table.where(
        (row) =>
            keeps(row) && others().every((axis) => table.value(axis, row) === heldPlace(axis)));
  }

  function cellOf(row, xs, ys, ink) {
    const resource = leadingResource(report, table, row);
    const group = table.label('dominant_group', row);
    const colour = resourceColour(resource);
    const share = table.value(`group_share_${group}`, row) ?? table.value('dominant_share', row) ??
        table.value('share', row);
    const isDoubtful = details.isDoubtful(table.value('point_id', row));
    return {
      value: [xs.indexOf(table.value(state.x, row)), ys.indexOf(table.value(state.y, row)), 0],
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

  function draw(width, ink) {
    const shown =
        (axis) => [...report.axes[axis].labels.keys()].filter((p) => filters.allows(axis, p));
    const xs = shown(state.x), ys = shown(state.y);
    const label = (axis) => (place) => report.axes[axis].labels[place];
    const left =
        Math.min(16 + 7 * Math.max(...ys.map((p) => label(state.y)(p).length), 4), width / 3);
    const axis = axisStyle(ink);
    const titled = (name, gap) => ({
      ...axis,
      type: 'category',
      splitLine: {show: false},
      name: capital(words(name)),
      nameLocation: 'middle',
      nameGap: gap,
      axisLine: {show: false},
      axisLabel: {...axis.axisLabel, interval: 0, hideOverlap: false}
    });
    const crowded = xs.reduce((sum, p) => sum + label(state.x)(p).length + 1, 0) * 7 > width - left;
    const x = titled(state.x, crowded ? 62 : 28);
    x.axisLabel.rotate = crowded ? 60 : 0;
    const wide = Math.min(width - left - 40, 110 * xs.length);
    return {
      height: CELL_HEIGHT * Math.max(ys.length, 1) + (crowded ? 100 : 62),
      option: {
        grid: {left: left + 24, width: wide, top: 8, height: CELL_HEIGHT * Math.max(ys.length, 1)},
        tooltip: {...tooltipStyle(ink), formatter: ({data}) => hover(data.row)},
        visualMap: {show: false, min: 0, max: 1, dimension: 2, inRange: {color: [ink.panel]}},
        xAxis: {...x, data: xs.map(label(state.x))},
        yAxis: {...titled(state.y, left + 4), data: ys.map(label(state.y)), inverse: true},
        series: [{type: 'heatmap', data: cells().map((row) => cellOf(row, xs, ys, ink))}],
      },
    };
  }

  function hover(row) {
    const units = table.column(report.better)?.units ?? '';
    const pairs =
        report.resources.map((name) => [name, table.value(`share_${name}`, row)])
            .filter(([, share]) => share > 0.005)
            .sort((a, b) => b[1] - a[1])
            .map(([name, share]) => [capital(words(name)), percent(share), resourceColour(name)]);
    const place = axes.map((name) => table.label(name, row)).join(', ');
    return tip(
        place,
        [
          ...pairs, ...details.pairs(table.value('point_id', row)),
          [capital(report.betterWords), quantity(table.value(report.better, row), units)]
        ],
        table.label('strategy', row) ?? '');
  }

  const chart = new Chart({
    name: 'phases',
    draw,
    describe: () =>
        `Phase diagram of the dominant resource over ${words(state.x)} and ${words(state.y)}`
  });
  const legend = h('ul', {class: 'legend'});

  function controls() {
    const options = axes.map((name) => [name, capital(words(name))]);
    const swap = (which, other) => (value) => {
      if (state[other] === value)
        state[other] = state[which];
      state[which] = value;
      refresh();
    };
    clear(
        held, select('Across', options, state.x, swap('x', 'y')),
        select('Down', options, state.y, swap('y', 'x')),
        others().map(
            (axis) => select(
                capital(words(axis)),
                report.axes[axis]
                    .labels.map((text, place) => [String(place), text])
                    .filter(([place]) => filters.allows(axis, Number(place))),
                String(heldPlace(axis)), (place) => {
                  state.held.set(axis, Number(place));
                  refresh();
                })));
  }

  function refresh() {
    controls();
    const seen = new Set(cells().map((row) => leadingResource(report, table, row)));
    clear(
        legend,
        report.resources.filter((name) => seen.has(name))
            .map(
                (name) =>
                    h('li', {}, h('i', {style: {background: resourceColour(name)}}),
                      `${report.groupOf[name] === name ? '' : `${report.groupOf[name]}: `}${
                          words(name)}`)));
    chart.update();
  }

  const element = section(
      'phases', 'Phase diagram',
      h('p', {},
        'The colour names what limits the best strategy, the number is the share of its ' +
            'group, in brackets where its lead is within the error bar. ' +
            'An empty cell: nothing fits.'),
      h('div', {class: 'controls'}, held), legend, chart.element);
  return {element, update: refresh};
}
