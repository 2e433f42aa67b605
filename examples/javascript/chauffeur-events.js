// Sends the events of a browser game to Chauffeur: copy this file next to the game and import it. Licence: Apache-2.0.
// It never throws or blocks the game. Events stay in localStorage until the server has accepted them.
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
 * @property {string} buildId the id that `chauffeur build` printed, not a version
 * @property {boolean} [anonymous] marks every event as anonymous
 * @property {(problem: string) => void} [onProblem] called when the server rejects events; use `console.warn` during development
 */

const MAX_QUEUED = 500;
const MAX_IN_BATCH = 50;
/** A closing page can send 64 KiB. This many characters have at most 60,000 bytes. */
const MAX_CHARACTERS = 20_000;
/** The server detects a repeated event_id for seven days; older events could be counted twice. */
const MAX_AGE_MS = 6 * 86_400_000;
const STANDARD = ['session_start', 'boot_ok', 'first_input', 'session_end', 'quit', 'crash'];

/** Sends the queued events in batches, one at a time, and repeats each batch until the server responds. */
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
    if (this.items.length >= MAX_QUEUED) {
      // The queue is full. Only standard events replace others, because launch health depends on them.
      if (!STANDARD.includes(item.event.event)) return;
      this.items.shift();
    }
    this.items.push(item);
    this.onChange();
    this.schedule(this.items.length < MAX_IN_BATCH ? 5000 : 0);
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
    // A timer can fire slightly early, and a page calls this when it is hidden.
    if (Date.now() < this.#notBefore) return this.schedule(0);
    this.#isSending = true;
    const batch = batchOf(this.items);
    const { address, body } = this.#requestOf(batch);
    let retryAfter = 0;
    try {
      const keepalive = body.length <= MAX_CHARACTERS;
      const signal = AbortSignal.timeout?.(20_000);
      const response = await fetch(address, { method: 'POST', body, keepalive, signal, credentials: 'omit' });
      retryAfter = Number(response.headers.get('retry-after')) || 0;
      // A response that is not JSON is not from the server, but from a proxy or a captive portal.
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

  /** @param {Item[]} batch @param {number} status @param {any} result */
  #settle(batch, status, result) {
    let done = batch;
    if (status !== 202) {
      const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429 && result.success === false;
      if (!isFinal) throw new Error(`status ${status}`);
      this.options.onProblem?.(`Chauffeur rejected events: ${result.error?.message}`);
      const invalid = batch[result.data?.index];
      if (invalid !== undefined) done = [invalid];
    }
    this.items = this.items.filter((item) => !done.includes(item));
  }

  /** Sends immediately, without waiting for the next retry, because the network is available again. */
  retry() {
    this.#notBefore = 0;
    this.schedule(0);
  }

  /** Sends the events of a closing page. The response is not received, so the events also stay in storage. */
  sendBeacons() {
    for (let rest = this.items; rest.length > 0; ) {
      const batch = batchOf(rest);
      const { address, body } = this.#requestOf(batch);
      if (!navigator.sendBeacon?.(address, body)) return;
      rest = rest.filter((item) => !batch.includes(item));
    }
  }

  // Sends the ids in the URL, because a beacon has no headers. As plain text, the request needs no CORS preflight.
  /** @param {Item[]} batch */
  #requestOf(batch) {
    const { endpoint, appId, buildId } = this.options;
    const ids = new URLSearchParams({ app_id: appId, build_id: batch[0]?.build ?? buildId });
    return { address: `${endpoint}?${ids}`, body: JSON.stringify({ events: batch.map(({ event }) => event) }) };
  }
}

/**
 * The events of a page. Create one instance as early as possible. `session_start`, `first_input` and `session_end` are sent
 * automatically.
 */
export class ChauffeurEvents {
  #local = openStorage('localStorage');
  #tab = openStorage('sessionStorage');
  #sentOnce = new Set();
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

  /**
   * Call this when the first frame of the main menu or the first scene is on the screen.
   * @param {number} [ms] since the page started
   */
  bootOk(ms = performance.now()) {
    this.#addOnce('boot_ok', timed(ms));
    this.flush();
  }

  /** Called automatically for keys, clicks and touches; call it for a gamepad. @param {number} [ms] since the page started */
  firstInput(ms = performance.now()) {
    this.#addOnce('first_input', timed(ms));
  }

  /** Call this when the player quits. */
  quit() {
    this.#addOnce('quit');
  }

  /** Call this if the game cannot continue: an error ended its loop, its Wasm aborted, or its WebGL context is lost. */
  crash() {
    this.#addOnce('crash');
    this.flush();
  }

  /** Sends a custom event. @param {string} name up to 64 characters @param {Properties} [properties] */
  track(name, properties) {
    this.#add(name.slice(0, 64), properties && { properties: trim(properties) });
  }

  /** Sends queued events now, without waiting for a full batch. */
  flush() {
    this.outbox.schedule(0);
  }

  /**
   * Opts the player out or in, and stores the choice. After opting out, nothing is sent, and the device id and unsent events
   * are deleted.
   * @param {boolean} isOut
   */
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

  /** The random id of this installation, which players quote to request their data. */
  get deviceUid() {
    const key = `${this.prefix}device`;
    if (!(key in this.#local)) write(this.#local, key, randomId());
    return String(this.#local[key]);
  }

  /** The id of this session. Send it, and deviceUid, with crash reports, so that they are counted by device. */
  get sessionId() {
    return this.#session.id;
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

  /** Takes over the events of previous pages, and reports how these ended. An event that an open page also sends counts once. */
  #adopt() {
    const lastInTab = this.#tab[`${this.prefix}tab`];
    const keys = Object.keys(this.#local).filter((key) => key.startsWith(`${this.prefix}session:`));
    const left = keys.flatMap((key) => parse(this.#local[key]));
    const items = left.flatMap((past) => [...past.queue, ...this.#endingOf(past, lastInTab)]);
    this.outbox.items = items.filter(isFresh).slice(-MAX_QUEUED);
    this.#begin();
    this.#save();
    for (const key of keys) delete this.#local[key];
  }

  /**
   * If a page was hidden last, the player had left it and the browser discarded it: the session ended then. If it was visible,
   * it only crashed if its own tab was reloaded, as after "Aw, Snap!". Otherwise, the browser or the computer stopped.
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
    if (this.#sentOnce.has(event) || this.isOptedOut) return;
    this.#sentOnce.add(event);
    this.#add(event, fields);
    // Save at once: if a crash loses the boot_ok event, it counts as a crash on boot.
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
    // If the session ended, the page was restored from the browser's cache. If its record is missing, another page ended it.
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

/** Does not use crypto.randomUUID, which is only available on https pages. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Omits a time above the maximum that the server accepts. @param {number} ms */
const timed = (ms) => (ms >= 0 && ms <= 600_000 ? { ms: Math.round(ms) } : {});

/** @param {Item[]} items @returns {Item[]} the first items, all of the same build */
function batchOf(items) {
  const ofBuild = items.filter(({ build }) => build === items[0]?.build).slice(0, MAX_IN_BATCH);
  let characters = 0;
  return ofBuild.filter(({ event }, no) => {
    characters += JSON.stringify(event).length + 20;
    return no === 0 || characters < MAX_CHARACTERS;
  });
}

/** @param {Item} item */
const isFresh = ({ event }) => Date.now() - Date.parse(event.timestamp) < MAX_AGE_MS;

/** @param {string} text @returns {Session[]} one session, or none if the text is invalid */
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
  // Cutting can split a surrogate pair, and lone surrogates are not valid text.
  const cut = (/** @type {string} */ text, /** @type {number} */ max) =>
    text.slice(0, max).replace(/\p{Surrogate}/gu, '');
  const short = (/** @type {unknown} */ value) => (typeof value === 'string' ? cut(value, 256) : value);
  return Object.fromEntries(flat.slice(0, 32).map(([key, value]) => [cut(key, 64), short(value)]));
}

function isReloaded() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  return navigation?.type === 'reload' && !('wasDiscarded' in document && document.wasDiscarded);
}

/** If the browser forbids storage, uses an object that lasts as long as the page. @param {'localStorage' | 'sessionStorage'} name */
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
    // The storage is full. The events in memory are still sent while the page is open.
  }
}
