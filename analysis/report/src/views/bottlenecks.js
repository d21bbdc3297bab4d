// What the time of the best strategy is made of, along the axis: stacked by resource, one panel for
// every combination of the other axes.
import {axisStyle, Chart, legendStyle, tooltipStyle} from '../charts.js';
import {capital, sortedGroups, titled, words} from '../data.js';
import {choice, h, section} from '../dom.js';
import {percent, plain, prefixFor, quantity} from '../numbers.js';
import {resourceColour} from '../palette.js';
import {tip} from '../tips.js';

const MOST_PANELS = 12;
const MOST_NARROW_PANELS = 4;
const NARROW = 560;         // pixels
const SMALL_SHARE = 0.005;  // resources that matter nowhere would only fill the legend
const PANEL_HEIGHT = 168;

/** The places along the axis that are shown: values of one axis, or steps of a path. */
export function placesAlong(report, table, filters) {
  if (report.alongAxes.length === 1) {
    const axis = report.alongAxes[0];
    return report.axes[axis]
        .labels.map((label, place) => ({key: String(place), label, place}))
        .filter(({place}) => filters.allows(axis, place));
  }
  return sortedGroups(
             table, report.alongAxes.filter((name) => table.has(name)), filters.rows(table))
      .map(({key, labels}) => ({key, label: labels.join('\n')}));
}

export function placeKey(report, table, row) {
  return report.alongAxes.map((name) => table.value(name, row)).join(',');
}

/** Combinations of the panels' axes that are shown. */
export function panelsOf(report, table, filters) {
  const axes = report.panels.filter((name) => table.has(name) && !report.alongAxes.includes(name));
  return sortedGroups(table, axes, filters.rows(table));
}

export function resourcesShown(report, table) {
  return report.resources.filter((name) => {
    const column = table.column(`share_${name}`);
    return column && column.values.some((share) => share >= SMALL_SHARE);
  });
}

export function bottleneckView(report, filters) {
  const best = report.table('best');
  if (!best)
    return null;
  const resources = resourcesShown(report, best);
  if (!resources.length)
    return null;
  const state = {isShare: false, page: 0};
  const note = h('p', {class: 'status', id: 'bottlenecks-status'});
  const next =
      h('button', {
        type: 'button',
        onclick: () => {
          state.page += 1;
          update();
        }
      },
        'Next panels');

  function shownPanels() {
    const panels = panelsOf(report, best, filters);
    const most = document.documentElement.clientWidth < NARROW ? MOST_NARROW_PANELS : MOST_PANELS;
    const pages = Math.max(1, Math.ceil(panels.length / most));
    state.page %= pages;
    const some = panels.slice(state.page * most, (state.page + 1) * most);
    return {panels, pages, some, common: titled(some)};
  }

  function seriesOf(panel, index, places, ink, scale) {
    const rowAt = new Map(panel.rows.map((row) => [placeKey(report, best, row), row]));
    return resources.map(
        (name) => ({
          type: 'bar',
          stack: `panel-${index}`,
          name: words(name),
          xAxisIndex: index,
          yAxisIndex: index,
          barCategoryGap: '18%',
          itemStyle: {color: resourceColour(name), borderColor: ink.paper, borderWidth: 0.4},
          data: places.map(({key}) => {
            const row = rowAt.get(key);
            if (row === undefined)
              return {value: null, row: null};
            const share = best.value(`share_${name}`, row);
            return {
              value: state.isShare ? share : share * best.value(report.timeColumn, row) / scale,
              row
            };
          }),
        }));
  }

  /** As many panels side by side as fit; values of the last axis below each other if they can. */
  function layout(width, some) {
    const most = Math.max(1, Math.min(some.length, Math.floor(width / 250), 4));
    const last = new Set(some.map((panel) => panel.places[panel.places.length - 1])).size;
    const across = last > 1 && last <= most ? last * Math.floor(most / last) : most;
    return {across, down: Math.ceil(some.length / across)};
  }

  function draw(width, ink) {
    const {some} = shownPanels();
    const places = placesAlong(report, best, filters);
    const {across, down} = layout(width, some);
    const legendRows =
        Math.ceil(resources.reduce((sum, name) => sum + 46 + 7 * words(name).length, 0) / width);
    const top = 10 + 24 * legendRows;
    const rows = some.flatMap((panel) => panel.rows);
    const largest = Math.max(...rows.map((row) => best.value(report.timeColumn, row)), 0);
    const [factor] = largest >= 1 ? [1] : prefixFor(largest || 1);
    const ceiling = state.isShare ? 1 : 1.04 * largest / factor;
    const wide = (width - 46) / across;
    const axis = axisStyle(ink);
    const crowded = places.reduce((sum, {label}) => sum + label.length + 1, 0) * 6.6 > wide - 16;
    const longest = Math.max(...places.map(({label}) => label.length), 1);
    const bottom = crowded ? Math.min(110, 14 + 5.6 * longest) : 28;
    const grids = some.map((_, i) => ({
                             left: 46 + (i % across) * wide,
                             width: wide - 14,
                             top: top + 24 + Math.floor(i / across) * (PANEL_HEIGHT + bottom + 26),
                             height: PANEL_HEIGHT,
                           }));
    return {
      height: top + down * (PANEL_HEIGHT + bottom + 26) + 4,
      option: {
        legend: {...legendStyle(ink), data: resources.map(words)},
        tooltip: {
          ...tooltipStyle(ink),
          trigger: 'axis',
          axisPointer: {type: 'shadow'},
          formatter: (params) => hover(params)
        },
        grid: grids,
        title: some.map((panel, i) => ({
                          text: panel.title,
                          left: grids[i].left,
                          top: grids[i].top - 22,
                          textStyle: {
                            fontSize: 12,
                            fontWeight: 600,
                            color: ink.ink,
                            width: wide - 14,
                            overflow: 'truncate'
                          }
                        })),
        xAxis: some.map(
            (_, i) => ({
              ...axis,
              type: 'category',
              gridIndex: i,
              data: places.map(({label}) => label),
              axisLabel:
                  {...axis.axisLabel, rotate: crowded ? 60 : 0, interval: 0, hideOverlap: false}
            })),
        yAxis: some.map(
            (_, i) => ({
              ...axis,
              type: 'value',
              gridIndex: i,
              min: 0,
              max: ceiling || 1,
              splitNumber: 4,
              axisLabel: {
                ...axis.axisLabel,
                show: i % across === 0,
                showMaxLabel: state.isShare,  // else the end of the scale is no round number

                formatter: (value) =>
                    (state.isShare ?
                         percent(value) :
                         quantity(value * factor, best.column(report.timeColumn).units, 3))
              }
            })),
        series: some.flatMap((panel, i) => seriesOf(panel, i, places, ink, factor)),
      },
    };
  }

  function hover(params) {
    const shown = params.filter((one) => one.data && one.data.row !== null);
    if (!shown.length)
      return tip(params[0]?.axisValueLabel ?? '', [['', 'no strategy fits']]);
    const {row} = shown[0].data;
    const time = best.value(report.timeColumn, row);
    const units = best.column(report.timeColumn).units;
    const pairs =
        resources.map((name) => [name, best.value(`share_${name}`, row)])
            .filter(([, share]) => share > 0)
            .sort((a, b) => b[1] - a[1])
            .map(
                ([name, share]) =>
                    [capital(words(name)), `${quantity(share * time, units)} (${percent(share)})`,
                     resourceColour(name)]);
    const place = [...report.panels, ...report.alongAxes]
                      .filter((name) => best.has(name))
                      .map((name) => best.label(name, row));
    return tip(
        `${quantity(time, units)} at ${[...new Set(place)].join(', ')}`, pairs,
        `${best.label('strategy', row) ?? ''} \u2014 point ${best.value('point_id', row)}`);
  }

  const chart = new Chart({
    name: 'bottlenecks',
    draw,
    describe: () => {
      const {some} = shownPanels();
      return `Stacked bars of the best ${report.time} by resource along ${words(report.along)}, ` +
          `${some.length} panels; the table of best points has the numbers`;
    }
  });

  function update() {
    const {panels, pages, some, common} = shownPanels();
    next.hidden = pages < 2;
    const all = common.length ? ` All of these: ${common.join(', ')}.` : '';
    note.textContent = panels.length === 0 ?
        'Nothing feasible is left of this choice.' :
        (pages > 1 ? `${some.length} of ${plain(panels.length)} combinations (page ${
                         state.page + 1} of ${pages}); the filter chooses.` :
                     `${plain(panels.length)} combination${panels.length === 1 ? '' : 's'}.`) +
            all;
    chart.update();
  }

  const element = section(
      'bottlenecks', `What the best ${report.time} is made of`,
      h('p', {},
        `Each bar is the best strategy at a value of ${
            report.alongAxes.map(words).join(' and ')}; ` +
            'every second is charged to the resource whose rate set it. ' +
            'A gap means that no strategy fits.'),
      h('div', {class: 'controls'},
        choice(
            'Bars', [['time', capital(report.time)], ['share', 'Shares']], 'time',
            (value) => {
              state.isShare = value === 'share';
              update();
            }),
        next),
      note, chart.element);
  return {element, update};
}
