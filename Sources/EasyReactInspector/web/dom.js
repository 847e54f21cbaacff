// Making elements. Text is always set as text.

const svgNames = new Set(['svg', 'g', 'path', 'rect', 'text', 'title', 'defs', 'marker', 'circle', 'line', 'tspan']);

/// `make('button', { class: 'link', onclick: f }, 'text', element)`.
export function make(name, attributes = {}, ...children) {
  const element = svgNames.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const find = (id) => document.getElementById(id);
export const fill = (element, ...children) =>
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== false));

export const cut = (text, length) => text.length > length ? `${text.slice(0, length - 1)}…` : text;

/// What a value looks like: empty, nil and failures are to be told apart at a glance.
export function looks(value) {
  switch (value?.form) {
    case 'value': {
      const text = value.text ?? '?';
      if (text === 'nil') return { text, kind: 'nil' };
      if (/^(failure\(|failed\()/.test(text)) return { text, kind: 'failed' };
      return { text, kind: 'held' };
    }
    case 'event': return { text: value.text ?? '?', kind: 'event' };
    case 'empty': return { text: 'empty', kind: 'empty' };
    case 'private': return { text: 'private', kind: 'private' };
    default: return { text: '?', kind: 'unknown' };
  }
}

export function valueText(value, length = 400) {
  const { text, kind } = looks(value);
  return make('span', { class: `value ${kind}` }, cut(text, length));
}

export function time(nanoseconds) {
  const seconds = nanoseconds / 1e9;
  if (seconds < 60) return `${seconds.toFixed(3)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${(seconds - 60 * minutes).toFixed(2)} s`;
}

export function span(nanoseconds) {
  if (nanoseconds < 1e3) return `${nanoseconds} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(1)} µs`;
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toFixed(1)} ms`;
  return `${(nanoseconds / 1e9).toFixed(2)} s`;
}

export const many = (count, one, several = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

/// The words for why a value went no further.
export const stopWords = {
  filtered: 'a filter refused it',
  equal: 'equal to the one before',
  reachedAlready: 'the wave, or a newer one, has been there',
  cut: 'the edge is cut',
  waitsForAnotherUpstream: 'it waits for another upstream, which is empty',
  eventsAreNotKept: 'it reads events, which are not kept',
  heldBackByTimer: 'a timer holds it back',
  waitsOnScheduler: 'it waits for its scheduler',
  waitsForCall: 'it waits for an asynchronous call',
  leftInMailbox: 'left with the thread that holds the node',
  noConsumer: 'nobody listens and nothing follows',
};
