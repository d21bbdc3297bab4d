// Elements in one expression. Text is always text: nothing of a study is read as HTML.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false)
      continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (name === 'style')
      Object.assign(element.style, value);
    else
      element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined)
      element.append(child);
  }
  return element;
}

let ids = 0;
export function freshId(prefix) {
  ids += 1;
  return `${prefix}-${ids}`;
}

/** A labelled choice; `options` are [value, words]. */
export function select(label, options, value, onchange) {
  const id = freshId('choice');
  const box =
      h('select', {id, onchange: (event) => onchange(event.target.value)},
        options.map(([key, text]) => h('option', {value: key, selected: key === value}, text)));
  return h('span', {class: 'control'}, h('label', { for: id
           }, label), box);
}

export function checkbox(label, checked, onchange) {
  const box =
      h('input', {type: 'checkbox', checked, onchange: (event) => onchange(event.target.checked)});
  return h('label', {class: 'control check'}, box, label);
}

/** A few buttons of which one is chosen. */
export function choice(label, options, value, onchange) {
  const name = freshId('radio');
  return h(
      'fieldset', {class: 'control segments'}, h('legend', {}, label),
      options.map(
          ([key, text]) =>
              h('label', {}, h('input', {
                  type: 'radio',
                  name,
                  value: key,
                  checked: key === value,
                  onchange: () => onchange(key)
                }),
                h('span', {}, text))));
}

export function copyButton(text, what) {
  const button = h('button', {type: 'button', class: 'copy'}, `Copy ${what}`);
  button.addEventListener('click', async () => {
    const done = await copied(text());
    button.textContent = done ? 'Copied' : 'Select and copy by hand';
    setTimeout(() => {
      button.textContent = `Copy ${what}`;
    }, 1600);
  });
  return button;
}

/** Files opened from a disk have no clipboard of their own in some browsers. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', {class: 'offscreen', 'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function section(id, title, ...children) {
  return h(
      'section', {id, 'aria-labelledby': `${id}-title`}, h('h2', {id: `${id}-title`}, title),
      children);
}

export function clear(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
}
