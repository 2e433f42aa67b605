// Sends the errors of a browser game to Chauffeur as crash reports: copy this file next to the game and import it.
// Licence: Apache-2.0. It never throws or blocks the game.
// @ts-check

/** @typedef {{ readonly deviceUid: string, readonly sessionId: string, readonly isOptedOut: boolean }} Player */
/**
 * @typedef {object} Options
 * @property {string} endpoint `https://…/api/v1/public/crashes`
 * @property {string} appId the game's uid
 * @property {string} buildId the id that `chauffeur build` printed, not a version
 * @property {Player} [events] the client of chauffeur-events.js, by whose ids crashes are counted
 */

/** An error in a loop would be reported in every frame. */
const MAX_REPORTS = 5;
/** The server keeps 1,024 characters. The innermost frames come first. */
const MAX_STACK = 1000;
const MAX_TRIES = 3;

/**
 * Reports errors that nothing caught, each once.
 * @param {Options} options
 * @returns {(error: unknown) => void} a function that reports an error that the game caught
 */
export function reportErrors({ endpoint, appId, buildId, events }) {
  const address = `${endpoint}?${new URLSearchParams({ app_id: appId, build_id: buildId })}`;
  const visit = randomId();
  const reported = new Set();

  /** @param {any} error */
  function report(error) {
    if (events?.isOptedOut) return;
    const message = String(error?.message ?? error).slice(0, 1000);
    if (reported.size >= MAX_REPORTS || reported.has(message)) return;
    reported.add(message);
    const stack = String(error?.stack ?? '').slice(0, MAX_STACK);
    const ids = events && { device_uid: events.deviceUid, session_id: events.sessionId };
    const body = JSON.stringify({ os: 'web', message, metadata: { stack }, debug_ids: debugIdsOf(stack), ...ids });
    send(address, body, `${visit}-${reported.size}`, MAX_TRIES);
  }

  addEventListener('error', ({ error, message }) => report(error ?? message));
  addEventListener('unhandledrejection', ({ reason }) => report(reason));
  return report;
}

/**
 * The debug ids of the scripts in the stack, by which the server finds their source maps. `chauffeur symbols --inject` and
 * bundlers let each script note its id under a stack, whose first place is the script.
 * @param {string} stack
 */
function debugIdsOf(stack) {
  const page = /** @type {any} */ (globalThis);
  /** @type {Record<string, string>} */
  const ids = {};
  for (const [trace, id] of Object.entries({ ...page._debugIds, ...page._sentryDebugIds })) {
    const url = /(?:at |@|\()([a-z][\w+.-]*:.+?)(?::\d+){2}\)?$/im.exec(trace)?.[1];
    if (url !== undefined && stack.includes(url)) ids[url] = String(id);
  }
  return ids;
}

/**
 * The key lets the server recognize a report whose response got lost, so that it counts once.
 * @param {string} address @param {string} body @param {string} key @param {number} tries
 */
function send(address, body, key, tries) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const retry = () => void (tries > 1 && setTimeout(send, 10_000, address, body, key, tries - 1));
  const options = { method: 'POST', headers, body, credentials: /** @type {const} */ ('omit') };
  fetch(address, options).then(({ status }) => void (status >= 500 && retry()), retry);
}

/** Does not use crypto.randomUUID, which is only available on https pages. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
