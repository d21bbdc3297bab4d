// Figures and tables as files, without a server: the browser saves what the page made.
import {h} from '../dom.js';

const PIXEL_RATIO = 3;  // of pictures: about 300 dots an inch at the width of a journal page
const LINE = 22;        // pixels, as all below
const SIZE = 11, LETTER = 6.5;
const INK = '#59626d', PAPER = '#ffffff';

/** What all files of a page are called after, and what figures say of where they are from. */
let source = {stem: 'report', caption: () => '', font: 'sans-serif'};

/** A page shows one report: {stem, caption, font}, the caption told anew for every figure. */
export function nameFiles(named) { source = {...source, ...named}; }

export function fileName(what, ending) { return `${source.stem}.${what}.${ending}`; }

/** The name of a file without its folder and the ending of studies. */
export function stemOf(file) { return file.replace(/^.*\//, '').replace(/\.h5$/, '') || 'report'; }

export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  h('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function csvBlob(text) { return new Blob([text], {type: 'text/csv'}); }

function xmlText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/**
 * What stands beside a drawing when it is alone: what colours mean above it, where it is from below
 * it. Texts and squares in pixels, and the height of all; the drawing begins at `top`.
 */
export function framed({width, height}, key, caption) {
  const marks = [], texts = [];
  let x = 8, top = key.length ? LINE : 0;
  for (const {colour, text} of key) {
    const wide = (colour ? 14 : 0) + LETTER * text.length + 16;
    if (x > 8 && x + wide > width) {
      x = 8;
      top += LINE;
    }
    if (colour)
      marks.push({x, y: top - 14, colour});
    texts.push({x: x + (colour ? 14 : 0), y: top - 5, text});
    x += wide;
  }
  const all = top + height + LINE;
  return {top, width, height: all, marks, texts: [...texts, {x: 8, y: all - 7, text: caption}]};
}

/** A frame and the drawing in it, an element svg as text, on white. */
export function framedSvg(frame, drawing, font) {
  const {width, height, top} = frame;
  const marks = frame.marks.map(
      ({x, y, colour}) => `<rect x="${x}" y="${y}" width="10" height="10" fill="${colour}"/>`);
  const texts = frame.texts.map(
      ({x, y, text}) => `<text x="${x}" y="${y}" fill="${INK}" font-size="${SIZE}" ` +
          `font-family="${xmlText(font)}">${xmlText(text)}</text>`);
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${PAPER}"/>` +
      `${marks.join('')}${texts.join('')}<g transform="translate(0 ${top})">${drawing}</g></svg>\n`;
}

/** The same as a picture; `drawing` is a canvas. */
function framedCanvas(frame, drawing) {
  const canvas =
      h('canvas', {width: frame.width * PIXEL_RATIO, height: frame.height * PIXEL_RATIO});
  const pen = canvas.getContext('2d');
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(drawing, 0, frame.top * PIXEL_RATIO);
  pen.scale(PIXEL_RATIO, PIXEL_RATIO);
  for (const {x, y, colour} of frame.marks) {
    pen.fillStyle = colour;
    pen.fillRect(x, y, 10, 10);
  }
  pen.fillStyle = INK;
  pen.font = `${SIZE}px ${source.font}`;
  for (const {x, y, text} of frame.texts)
    pen.fillText(text, x, y);
  return canvas;
}

function saveSvg(chart) {
  const {size, result} = chart.onPaper('svg', (instance) => instance.renderToSVGString());
  const text = framedSvg(framed(size, chart.key(), source.caption()), result, source.font);
  download(new Blob([text], {type: 'image/svg+xml'}), fileName(chart.name, 'svg'));
}

function savePng(chart) {
  const {size, result} = chart.onPaper(
      'canvas',
      (instance) => instance.renderToCanvas({pixelRatio: PIXEL_RATIO, backgroundColor: PAPER}));
  framedCanvas(framed(size, chart.key(), source.caption()), result)
      .toBlob((blob) => download(blob, fileName(chart.name, 'png')));
}

/** The buttons below a chart: as a drawing, as a picture, and its numbers where there are any. */
export function saveBar(chart, csv = null) {
  const what = chart.name.replaceAll('-', ' ');
  const button = (kind, save) =>
      h('button', {
        type: 'button',
        class: 'plain',
        'aria-label': `Save the figure ${what} as ${kind}`,
        onclick: save
      },
        kind);
  return h(
      'figcaption', {class: 'save'}, h('span', {'aria-hidden': 'true'}, 'Save'),
      button('SVG', () => saveSvg(chart)), button('PNG', () => savePng(chart)),
      csv ? button('CSV', () => download(csvBlob(csv()), fileName(chart.name, 'csv'))) : null);
}
