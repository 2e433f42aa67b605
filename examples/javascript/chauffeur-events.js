// Events of a browser game for Chauffeur: copy this file beside the game and import it. Licence: Apache-2.0.
// It never throws into the game nor makes it wait; what was not answered stays in localStorage and is sent again.
// @ts-check

/** @typedef {Record<string, string | number | boolean>} Properties up to 32, texts up to 256 characters */
/** @typedef {{ event: string, event_id: string, timestamp: string, [field: string]: unknown }} Event */
/** @typedef {{ build: string, event: Event }} Item */
/** @typedef {'visible' | 'hidden' | 'ended'} State */
/** @typedef {{ id: string, build: string, state: State, seconds: number, seen: string, queue: Item[] }} Session */
/**
 * @typedef {object} Options
 * @property {string} endpoint `https://…/api/v1/public/events`
 * @property {string} appId the game's uid
 * @property {string} buildId what `chauffeur build` printed, not a version
 * @property {boolean} [anonymous] marks every event as anonymous
 * @property {(problem: string) => void} [onProblem] told what the service refuses; `console.warn` while you develop
 */

const MOST_QUEUED = 500;
const MOST_IN_BATCH = 50;
/** A page that closes may send 64 KiB; so many characters are at most 60,000 bytes. */
const MOST_CHARACTERS = 20_000;
/** The service knows an event_id again for seven days; what is older could count twice. */
const KEPT_MS = 6 * 86_400_000;
const STANDARD = ['session_start', 'boot_ok', 'first_input', 'session_end', 'quit', 'crash'];

/** Sends what is queued: in batches, one at a time, again and again until the service itself has answered. */
class Outbox {
  /** @type {Item[]} */
  items = [];
  #isSending = false;
  #failures = 0;
  #notBefore = 0;
  #timer = 0;
  #timerAt = Infinity;

  /** @param {Options} options @param {() => void} onChange */
  constructor(options, onChange) {
    this.options = options;
    this.onChange = onChange;
  }

  /** @param {Item} item */
  add(item) {
    if (this.items.length >= MOST_QUEUED) {
      // What is there stays: a boot matters more than the thousandth shot.
      if (!STANDARD.includes(item.event.event)) return;
      this.items.shift();
    }
    this.items.push(item);
    this.onChange();
    this.schedule(this.items.length < MOST_IN_BATCH ? 5000 : 0);
  }

  /** @param {number} ms */
  schedule(ms) {
    const at = Math.max(Date.now() + ms, this.#notBefore);
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.send(), at - Date.now());
  }

  async send() {
    this.#timerAt = Infinity;
    if (this.#isSending || this.items.length === 0) return;
    // A timer may come a little early, and a page that is hidden sends at once.
    if (Date.now() < this.#notBefore) return this.schedule(0);
    this.#isSending = true;
    const batch = batchOf(this.items);
    const { address, body } = this.#requestOf(batch);
    let retryAfter = 0;
    try {
      const keepalive = body.length <= MOST_CHARACTERS;
      const signal = AbortSignal.timeout?.(20_000);
      const response = await fetch(address, { method: 'POST', body, keepalive, signal, credentials: 'omit' });
      retryAfter = Number(response.headers.get('retry-after')) || 0;
      // What is not JSON came from a proxy or a hotel's network, not from the service.
      this.#settle(batch, response.status, await response.json());
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      const backOff = Math.min(300, 2 ** this.#failures) * (0.5 + Math.random() / 2);
      this.#notBefore = Date.now() + 1000 * Math.max(backOff, Math.min(retryAfter, 3600));
    }
    this.#isSending = false;
    this.onChange();
    if (this.items.length > 0) this.schedule(0);
  }

  /** @param {Item[]} batch @param {number} status @param {any} answer */
  #settle(batch, status, answer) {
    let done = batch;
    if (status !== 202) {
      const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429 && answer.success === false;
      if (!isFinal) throw new Error(`answered ${status}`);
      this.options.onProblem?.(`Chauffeur refused events: ${answer.error?.message}`);
      const bad = batch[answer.data?.index];
      if (bad !== undefined) done = [bad];
    }
    this.items = this.items.filter((item) => !done.includes(item));
  }

  /** The network is back: no need to wait for the next try. */
  retry() {
    this.#notBefore = 0;
    this.schedule(0);
  }

  /** For a page that closes. Nobody will hear an answer, so everything is kept as well. */
  sendBeacons() {
    for (let rest = this.items; rest.length > 0; ) {
      const batch = batchOf(rest);
      const { address, body } = this.#requestOf(batch);
      if (!navigator.sendBeacon?.(address, body)) return;
      rest = rest.filter((item) => !batch.includes(item));
    }
  }

  // Text, and ids in the address: a beacon can have no headers, and the browser need not ask for permission first.
  /** @param {Item[]} batch */
  #requestOf(batch) {
    const { endpoint, appId, buildId } = this.options;
    const ids = new URLSearchParams({ app_id: appId, build_id: batch[0]?.build ?? buildId });
    return { address: `${endpoint}?${ids}`, body: JSON.stringify({ events: batch.map(({ event }) => event) }) };
  }
}

/** The events of a page: make one, as early as you can. `session_start`, `first_input` and `session_end` come by themselves. */
export class ChauffeurEvents {
  #local = openStorage('localStorage');
  #tab = openStorage('sessionStorage');
  #told = new Set();
  #shownAt = 0;
  #saveTimer = 0;
  /** @type {Session} */
  #session;

  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.prefix = `chauffeur:${options.appId}:`;
    this.outbox = new Outbox(options, () => this.#saveSoon());
    this.#session = this.#newSession();
    if (!this.isOptedOut) this.#adopt();
    addEventListener('pagehide', () => this.#end());
    addEventListener('pageshow', ({ persisted }) => persisted && this.#show());
    addEventListener('online', () => this.outbox.retry());
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#hide() : this.#show()));
    const onInput = () => this.firstInput();
    for (const input of ['keydown', 'pointerdown']) addEventListener(input, onInput, { once: true, capture: true });
  }

  /** The first frame of the main menu, or of the first scene, is on the screen. @param {number} [ms] since the page started */
  bootOk(ms = performance.now()) {
    this.#addOnce('boot_ok', timed(ms));
    this.flush();
  }

  /** Comes by itself for keys, clicks and touches; call it for a gamepad. @param {number} [ms] since the page started */
  firstInput(ms = performance.now()) {
    this.#addOnce('first_input', timed(ms));
  }

  /** The player chose to quit. */
  quit() {
    this.#addOnce('quit');
  }

  /** The game cannot go on: an error that ended its loop, an aborted wasm, a WebGL context that did not come back. */
  crash() {
    this.#addOnce('crash');
    this.flush();
  }

  /** An event of your own. @param {string} name up to 64 characters @param {Properties} [properties] */
  track(name, properties) {
    this.#add(name.slice(0, 64), properties && { properties: trim(properties) });
  }

  /** Sends now what waits for its batch. */
  flush() {
    this.outbox.schedule(0);
  }

  /** Remembered. Once out, nothing is sent, and the device's id and what waits are forgotten. @param {boolean} isOut */
  setOptOut(isOut) {
    if (isOut === this.isOptedOut) return;
    this.outbox.items = [];
    for (const key of Object.keys(this.#local)) if (key.startsWith(this.prefix)) delete this.#local[key];
    if (isOut) write(this.#local, `${this.prefix}opt-out`, '1');
    else this.#begin();
  }

  get isOptedOut() {
    return `${this.prefix}opt-out` in this.#local;
  }

  /** Random, of this install: what a player names who asks for the data. */
  get deviceUid() {
    const key = `${this.prefix}device`;
    if (!(key in this.#local)) write(this.#local, key, randomId());
    return String(this.#local[key]);
  }

  /** @returns {Session} */
  #newSession() {
    return { id: randomId(), build: this.options.buildId, state: 'visible', seconds: 0, seen: now(), queue: [] };
  }

  #begin() {
    this.#session = this.#newSession();
    this.#shownAt = performance.now();
    write(this.#tab, `${this.prefix}tab`, this.#session.id);
    this.#add('session_start');
    if (document.hidden) this.#hide();
  }

  /** Takes over what earlier pages left, and tells how they ended. What a page that lives sends, too, counts once. */
  #adopt() {
    const lastInTab = this.#tab[`${this.prefix}tab`];
    const keys = Object.keys(this.#local).filter((key) => key.startsWith(`${this.prefix}session:`));
    const left = keys.flatMap((key) => parse(this.#local[key]));
    const items = left.flatMap((past) => [...past.queue, ...this.#endingOf(past, lastInTab)]);
    this.outbox.items = items.filter(isFresh).slice(-MOST_QUEUED);
    this.#begin();
    this.#save();
    for (const key of keys) delete this.#local[key];
  }

  /**
   * A page last seen hidden was left by its player, and put away by the browser: there its session ended. One last seen in view
   * crashed only if its own tab was reloaded, as after “Aw, snap”; else it was the browser, the battery or the system.
   * @param {Session} past @param {string | undefined} lastInTab @returns {Item[]}
   */
  #endingOf({ id, build, state, seconds, seen }, lastInTab) {
    /** @param {string} event @param {object} [fields] */
    const itemOf = (event, fields) => [{ build, event: this.#eventOf(event, id, { timestamp: seen, ...fields }) }];
    if (state === 'hidden') return itemOf('session_end', { event_id: `${id}.end`, seconds });
    return state === 'visible' && id === lastInTab && isReloaded() ? itemOf('crash', { event_id: `${id}.crash` }) : [];
  }

  /** @param {string} event @param {string} session @param {object} [fields] @returns {Event} */
  #eventOf(event, session, fields) {
    const anonymous = this.options.anonymous === true && { anonymous: true };
    const common = { event_id: randomId(), device_uid: this.deviceUid, session_id: session, timestamp: now() };
    return { event, ...common, ...anonymous, ...fields };
  }

  /** @param {string} event @param {object} [fields] */
  #add(event, fields) {
    if (this.isOptedOut) return;
    this.outbox.add({ build: this.options.buildId, event: this.#eventOf(event, this.#session.id, fields) });
  }

  /** @param {string} event @param {object} [fields] */
  #addOnce(event, fields) {
    if (this.#told.has(event) || this.isOptedOut) return;
    this.#told.add(event);
    this.#add(event, fields);
    // At once: a boot_ok that a crash takes with it would make that a crash on boot.
    this.#save();
  }

  #saveSoon() {
    this.#saveTimer ||= setTimeout(() => this.#save(), 1000);
  }

  #save() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = 0;
    if (this.isOptedOut) return;
    const key = `${this.prefix}session:${this.#session.id}`;
    const queue = this.outbox.items;
    if (this.#session.state === 'ended' && queue.length === 0) delete this.#local[key];
    else write(this.#local, key, JSON.stringify({ ...this.#session, queue, seen: now() }));
  }

  #hide() {
    if (this.#session.state !== 'visible') return;
    const played = Math.round((performance.now() - this.#shownAt) / 1000);
    this.#session.seconds = Math.min(86_400, this.#session.seconds + played);
    this.#session.state = 'hidden';
    this.#save();
    this.outbox.send();
  }

  #show() {
    const { id, state } = this.#session;
    if (state === 'visible') return;
    // Ended: the page came back out of the browser's cache. No record: another page took this session for ended.
    if (state === 'ended' || !(`${this.prefix}session:${id}` in this.#local)) return this.#begin();
    this.#session.state = 'visible';
    this.#shownAt = performance.now();
    this.#save();
  }

  #end() {
    if (this.#session.state === 'ended') return;
    this.#hide();
    this.#add('session_end', { event_id: `${this.#session.id}.end`, seconds: this.#session.seconds });
    this.#session.state = 'ended';
    this.#save();
    this.outbox.sendBeacons();
  }
}

const now = () => new Date().toISOString();

/** Not crypto.randomUUID, which pages without https lack. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Left out where it is more than the service takes. @param {number} ms */
const timed = (ms) => (ms >= 0 && ms <= 600_000 ? { ms: Math.round(ms) } : {});

/** @param {Item[]} items @returns {Item[]} the first of them, all of one build */
function batchOf(items) {
  const ofBuild = items.filter(({ build }) => build === items[0]?.build).slice(0, MOST_IN_BATCH);
  let characters = 0;
  return ofBuild.filter(({ event }, no) => {
    characters += JSON.stringify(event).length + 20;
    return no === 0 || characters < MOST_CHARACTERS;
  });
}

/** @param {Item} item */
const isFresh = ({ event }) => Date.now() - Date.parse(event.timestamp) < KEPT_MS;

/** @param {string} text @returns {Session[]} one, or none where the text is not a session */
function parse(text) {
  try {
    const session = JSON.parse(text);
    return Array.isArray(session.queue) ? [session] : [];
  } catch {
    return [];
  }
}

/** @param {Properties} properties */
function trim(properties) {
  const flat = Object.entries(properties).filter(([, value]) => /string|number|boolean/.test(typeof value));
  // A cut may halve a pair, and half a pair is no text.
  const cut = (/** @type {string} */ text, /** @type {number} */ most) =>
    text.slice(0, most).replace(/\p{Surrogate}/gu, '');
  const short = (/** @type {unknown} */ value) => (typeof value === 'string' ? cut(value, 256) : value);
  return Object.fromEntries(flat.slice(0, 32).map(([key, value]) => [cut(key, 64), short(value)]));
}

function isReloaded() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  return navigation?.type === 'reload' && !('wasDiscarded' in document && document.wasDiscarded);
}

/** Where the browser forbids storage, what is kept lives as long as the page. @param {'localStorage' | 'sessionStorage'} name */
function openStorage(name) {
  try {
    const storage = window[name];
    storage.chauffeur = '';
    delete storage.chauffeur;
    return storage;
  } catch {
    return /** @type {Record<string, string>} */ ({});
  }
}

/** @param {Record<string, string>} storage @param {string} key @param {string} value */
function write(storage, key, value) {
  try {
    storage[key] = value;
  } catch {
    // Full: what is in memory is still sent while the page lives.
  }
}
