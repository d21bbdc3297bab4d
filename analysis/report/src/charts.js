// Charts by Apache ECharts, of which only the used parts are bundled, in the colours of the page.
import {BarChart, HeatmapChart, LineChart, ScatterChart} from 'echarts/charts';
// clang-format off
import {
  DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
// clang-format on
import * as echarts from 'echarts/core';
import {CanvasRenderer, SVGRenderer} from 'echarts/renderers';

import {h} from './dom.js';
import {saveBar} from './paper/save.js';

echarts.use([
  BarChart, HeatmapChart, LineChart, ScatterChart, DataZoomComponent, GridComponent,
  LegendComponent, TitleComponent, TooltipComponent, VisualMapComponent, CanvasRenderer, SVGRenderer
]);

export const FONT = 'system-ui, -apple-system, \'Segoe UI\', Roboto, \'Noto Sans\', sans-serif';

const PRINT = 'data-print';
const FOLDED_WIDTH = 900;  // pixels, of a figure that is saved and was not seen

/** Light colours: of all "pages" for the printer, of one "figure"; null: those of the page. */
export function setPaper(what) {
  if (what)
    document.documentElement.setAttribute(PRINT, what);
  else
    document.documentElement.removeAttribute(PRINT);
}

export function isOnPages() { return document.documentElement.getAttribute(PRINT) === 'pages'; }

/** Colours of the page as the style sheet has them now: light, dark or for print. */
export function inks() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'),
    soft: read('--soft'),
    line: read('--line'),
    paper: read('--paper'),
    panel: read('--panel'),
    cloud: read('--cloud'),
    isDark: read('--dark') === '1',
    printed: Number(read('--printed')),  // pixels that a figure may take on a page; 0: on a screen
  };
}

export function axisStyle(colours) {
  return {
    axisLine: {lineStyle: {color: colours.soft}},
    axisTick: {show: false},
    axisLabel: {color: colours.soft, fontSize: 11, hideOverlap: true},
    nameTextStyle: {color: colours.ink, fontSize: 12},
    splitLine: {lineStyle: {color: colours.line}},
  };
}

export function tooltipStyle(colours) {
  return {
    backgroundColor: colours.paper,
    borderColor: colours.soft,
    borderWidth: 1,
    padding: 0,
    textStyle: {color: colours.ink, fontSize: 12, fontFamily: FONT},
    confine: true,
    transitionDuration: 0,
    enterable: false,
  };
}

export function legendStyle(colours) {
  return {
    top: 0,
    left: 0,
    itemWidth: 14,
    itemHeight: 10,
    itemGap: 12,
    type: 'plain',
    textStyle: {color: colours.ink, fontSize: 12}
  };
}

const charts = new Set();

function settled(option) { return {animation: false, textStyle: {fontFamily: FONT}, ...option}; }

/** What is gone paints no more: a canvas goes on in later frames with what it was given last. */
function discard(instance) {
  instance.clear();
  instance.getZr().flush();
  instance.dispose();
}

/**
 * One chart: `draw(width, colours)` gives its option and its height, again after every change.
 * `figure` is what stands in the page: the chart and what saves it, `csv` its numbers as text,
 * `key` what its colours mean where the chart itself does not say: [{colour, text}].
 */
export class Chart {
  constructor({name, renderer = 'svg', draw, describe, csv = null, key = () => []}) {
    this.name = name;
    this.draw = draw;
    this.describe = describe;
    this.key = key;
    this.renderer = renderer;
    this.element = h('div', {class: 'chart', id: `chart-${name}`, role: 'img'});
    this.figure = h('figure', {}, this.element, saveBar(this, csv));
    this.instance = null;
    this.handlers = [];
    this.width = 0;
    charts.add(this);
    new ResizeObserver(() => {
      if (this.element.clientWidth !== this.width)
        this.update();
    }).observe(this.element);
  }

  on(event, handler) { this.handlers.push([event, handler]); }

  update() {
    this.width = this.element.clientWidth;
    if (this.width === 0)
      return;  // not in the page, or folded away
    const {option, height} = this.draw(this.width, inks());
    this.element.setAttribute('aria-label', this.describe());
    this.element.style.height = `${height}px`;
    const renderer = this.rendererNow();
    if (this.instance !== null && this.drawnBy !== renderer) {
      discard(this.instance);
      this.instance = null;
    }
    if (this.instance === null) {
      this.drawnBy = renderer;
      this.instance = echarts.init(this.element, null, {
        renderer,
        devicePixelRatio: renderer === 'canvas' ? Math.max(window.devicePixelRatio, 2) : undefined,
      });
      for (const [event, handler] of this.handlers)
        this.instance.on(event, handler);
    }
    this.instance.resize({width: this.width, height});
    this.instance.setOption(settled(option), {notMerge: true});
  }

  /**
   * Of thousands of marks on a canvas Chromium prints the last alone: on pages all are drawings.
   */
  rendererNow() { return isOnPages() ? 'svg' : this.renderer; }

  /** Calls `use` with a chart of its own, in the colours of paper: {size, result}. */
  onPaper(renderer, use) {
    setPaper('figure');
    const width = this.width || FOLDED_WIDTH;
    const {option, height} = this.draw(width, inks());
    setPaper(null);
    const size = {width, height};
    const instance = echarts.init(
        renderer === 'svg' ? null : h('div'), null, {renderer, ssr: renderer === 'svg', ...size});
    instance.setOption(settled(option));
    const result = use(instance);
    discard(instance);
    return {size, result};
  }
}

export function updateCharts() {
  for (const chart of charts)
    chart.update();
}

/** For tests: the chart of a name, its points in pixels and what it shows. */
export function chartNamed(name) {
  return [...charts].find((chart) => chart.element.id === `chart-${name}`) ?? null;
}
