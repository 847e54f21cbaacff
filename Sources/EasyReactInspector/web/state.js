// What the page knows, and who wants to hear of it.

export const state = {
  hello: null,
  connection: 'wait',        // wait, live, saved, lost
  picture: null,             // api/graph
  now: new Map(),            // id -> value, as it is now
  then: null,                // id -> value, at the chosen moment; null: now
  wave: null,                // the account of the chosen wave
  moment: null,              // a sequence; null: now
  waves: [],                 // rows, oldest first, and { gap: n }
  selected: null,            // id of a node, as a string
  pinned: [],
  tab: 'node',
  view: { group: 'auto', fold: 'auto', toggled: new Set(), focus: null, direction: 'both', depth: null, target: null },
  frame: null,
  events: 0,
  notListed: 0,
  drawn: 0,                  // how often the picture was made
};

const listeners = new Map();

export function on(name, body) {
  if (!listeners.has(name)) listeners.set(name, []);
  listeners.get(name).push(body);
}

export function emit(name, detail) {
  for (const body of listeners.get(name) ?? []) body(detail);
}

// Before anybody else hears of it.
on('select', (id) => { state.selected = id; });

/// Asks the program; throws an Error with its words.
export async function ask(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, value);
  }
  return read(`api/${path}?${parameters}`);
}

export const change = (node, text) => read('api/change', { method: 'POST', body: JSON.stringify({ node: Number(node), text }) });

async function read(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Error('The program does not answer.');
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const content = await answer.json();
  if (content?.refused) throw new Error(content.refused);
  return content;
}

/// A file that the program makes, and its name.
export async function file(form) {
  const answer = await fetch(`api/export?form=${form}`);
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  if (!name) throw new Error((await answer.json()).refused);
  return { name, blob: await answer.blob() };
}

/// The value of a node, at the chosen moment or now.
export const value = (id) => (state.then ?? state.now).get(String(id)) ?? { form: 'unknown' };

/// Says something once, also to a screen reader.
export function say(text) { emit('say', text); }

// MARK: the address, `#wave=812&node=17`

export function writeAddress() {
  const parts = new URLSearchParams();
  if (state.wave) parts.set('wave', state.wave.row.number);
  if (state.selected && !state.selected.startsWith('g:')) parts.set('node', state.selected);
  if (state.tab !== 'node') parts.set('tab', state.tab);
  if (state.view.focus) parts.set('focus', state.view.focus);
  if (state.view.focus && state.view.direction !== 'both') parts.set('direction', state.view.direction);
  if (state.view.target) parts.set('target', state.view.target);
  const text = parts.toString();
  if (location.hash.slice(1) !== text) history.replaceState(null, '', text ? `#${text}` : location.pathname);
}

export const readAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
