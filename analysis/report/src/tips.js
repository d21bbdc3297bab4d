// What a hover says.
import {h} from './dom.js';

/** A heading and a few pairs of words and values; a pair may have a colour. */
export function tip(title, pairs, subtitle = '') {
  return h(
      'div', {class: 'tip'}, h('b', {}, title),
      subtitle ? h('div', {class: 'tip-sub'}, subtitle) : null,
      h('table', {},
        pairs.map(
            ([name, value, colour]) => h(
                'tr', {}, h('th', {}, colour ? h('i', {style: {background: colour}}) : null, name),
                h('td', {}, value)))));
}
