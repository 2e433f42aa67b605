// Small web builds for tests: a playable one, and a hostile one.
import { buildZip } from '../../packages/server/test/setup/zips.ts';

/** WebAssembly with a function `f` that returns 42. */
const WASM = Buffer.from('0061736d010000000105016000017f030201000705010166' + '00000a06010400412a0b', 'hex');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Walk</title>
<link rel="stylesheet" href="walk.css"><h1>Walk</h1><p id="state">loading</p><p id="keys"></p>
<iframe src="inner.html" title="Inner" height="40"></iframe>
<script type="module" src="walk.js"></script>`;

/** Shows what it could load, and which keys it receives. */
const PLAYS = `
import { steps } from './steps.js';
addEventListener('keydown', ({ key }) => { document.querySelector('#keys').textContent += key; });
const { instance } = await WebAssembly.instantiateStreaming(fetch('walk.wasm'));
const level = await (await fetch('levels/1.json')).json();
let saves = 'saves: no';
try {
  const opening = indexedDB.open('walk');
  await new Promise((resolve, reject) => { opening.onsuccess = resolve; opening.onerror = reject; });
  localStorage.setItem('walk', 'saved');
  saves = 'saves: ' + localStorage.getItem('walk');
} catch {}
const threads = crossOriginIsolated && new SharedArrayBuffer(8).byteLength === 8 ? 'threads: yes' : 'threads: no';
document.querySelector('#state').textContent =
  [steps + instance.exports.f() + level.houses, saves, threads, getComputedStyle(document.body).color].join('; ');
`;

/** Tries several attacks, and shows which of them were possible. */
const ATTACKS = `
const site = location.ancestorOrigins[0];
const need = (condition) => { if (!condition) throw new Error('refused'); };
const tries = {
  cookie: () => need(document.cookie !== ''),
  toss: () => {
    for (const domain of ['localhost', '.localhost', '127.0.0.1', location.hostname.replace(/^[^.]+[.]/, '')])
      document.cookie = 'tossed=1; domain=' + domain;
    need(document.cookie.includes('tossed'));
  },
  parent: () => parent.document.title,
  top: () => { top.location = 'about:blank#taken'; if (!navigator.userActivation) return; throw new Error('decided later'); },
  popup: () => { if (open('about:blank') === null) throw new Error('blocked'); },
  worker: () => navigator.serviceWorker.register('steps.js', { type: 'module' }),
  account: async () => (await fetch(site + '/api/auth/get-session', { credentials: 'include' })).text(),
  games: async () => (await fetch(site + '/api/v1/games', { credentials: 'include' })).text(),
  create: async () => {
    const body = JSON.stringify({ name: 'forged' });
    return (await fetch(site + '/api/v1/games', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body })).text();
  },
  form: async () => {
    await fetch(site + '/api/v1/games', { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ name: 'forged' }) });
    throw new Error('decided by the service');
  },
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
};
const let_ = [];
for (const [name, attempt] of Object.entries(tries)) {
  try { await attempt(); let_.push(name); } catch {}
}
const link = Object.assign(document.createElement('a'), { href: 'data:application/zip;base64,UEs=', download: 'evil.zip' });
link.click();
document.querySelector('#state').textContent = 'let: ' + (let_.join(' ') || 'nothing');
`;

/** A zip as engines export it: a page, two modules, WebAssembly and a level. */
export function webBuild(kind: 'plays' | 'attacks'): Buffer {
  return buildZip([
    { name: 'walk/index.html', data: PAGE, method: 8 },
    { name: 'walk/walk.js', data: kind === 'plays' ? PLAYS : ATTACKS, method: 8 },
    { name: 'walk/steps.js', data: 'export const steps = 1000;\n', method: 8 },
    {
      name: 'walk/walk.css',
      data: 'body { color: rgb(1, 2, 3); background: #dfe7dc; font: 20px system-ui; }',
      method: 8,
    },
    { name: 'walk/inner.html', data: '<!doctype html>A page within', method: 8 },
    { name: 'walk/walk.wasm', data: WASM },
    { name: 'walk/levels/1.json', data: '{ "houses": 40 }', method: 8 },
  ]);
}
