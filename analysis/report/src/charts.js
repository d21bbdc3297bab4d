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

echarts.use([
  BarChart, HeatmapChart, LineChart, ScatterChart, DataZoomComponent, GridComponent,
  LegendComponent, TitleComponent, TooltipComponent, VisualMapComponent, CanvasRenderer, SVGRenderer
]);

const FONT = 'system-ui, -apple-system, \'Segoe UI\', Roboto, \'Noto Sans\', sans-serif';

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

/** One chart: `draw(width, colours)` gives its option and its height, again after every change. */
export class Chart {
  constructor({name, renderer = 'svg', draw, describe}) {
    this.draw = draw;
    this.describe = describe;
    this.renderer = renderer;
    this.element = h('div', {class: 'chart', id: `chart-${name}`, role: 'img'});
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
    if (this.instance === null) {
      this.instance = echarts.init(this.element, null, {
        renderer: this.renderer,
        devicePixelRatio: this.renderer === 'canvas' ? Math.max(window.devicePixelRatio, 2) :
                                                       undefined,
      });
      for (const [event, handler] of this.handlers)
        this.instance.on(event, handler);
    }
    this.instance.resize({width: this.width, height});
    this.instance.setOption(
        {animation: false, textStyle: {fontFamily: FONT}, ...option}, {notMerge: true});
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
