// Web builds as engines and frameworks make them, for tests of what works in a player's browser. Each shows in `#state`
// what it could do.
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { picture } from '../../packages/server/test/setup/images.ts';
import { buildZip } from '../../packages/server/test/setup/zips.ts';

/** The packages of engines, whose files are read as they are published. They are installed apart (CONTRIBUTING.md). */
const PACKAGES =
  process.env.CHAUFFEUR_TEST_ENGINES ?? fileURLToPath(new URL('../engines/node_modules', import.meta.url));
const EMSCRIPTEN = new URL('./emscripten/', import.meta.url);

/** The colour of the pixel that the games read back. */
export const RED = '200,30,40';

type Contents = Readonly<Record<string, string | Buffer>>;

function zipOf(files: Contents): Buffer {
  return buildZip(Object.entries(files).map(([name, data]) => ({ name, data, method: 8 })));
}

function pageOf(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Game</title><p id="state">loading</p>${body}`;
}

const SHOW = `const show = (text) => { document.querySelector('#state').textContent = text; };
const pixelOf = (canvas) => {
  const copy = new OffscreenCanvas(1, 1).getContext('2d');
  copy.drawImage(canvas, 32, 32, 1, 1, 0, 0, 1, 1);
  return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
};
`;

const readPackage = (path: string) => readFile(join(PACKAGES, path));

export const NO_ENGINES = 'skipped: engines not found';

/** Whether the packages of engines are installed. With CI=true, throws if they aren't. */
export async function hasEngines(): Promise<boolean> {
  const packages = ['phaser', 'pixi.js', 'three'].map((name) => access(join(PACKAGES, name)));
  const isMissing = (await Promise.allSettled(packages)).some(({ status }) => status === 'rejected');
  if (isMissing && process.env.CI === 'true') throw new Error('engines not found; run npm ci --prefix e2e/engines');
  return !isMissing;
}

/** Counts on two threads, and reads a preloaded file. */
export async function emscriptenBuild(): Promise<Buffer> {
  const names = ['count.js', 'count.worker.js', 'count.wasm', 'count.data'];
  const files = await Promise.all(
    names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(new URL(name, EMSCRIPTEN))]),
  );
  const shell = `<script>var Module = { print: (text) => { document.querySelector('#state').textContent = text; } };</script>`;
  return zipOf({ 'index.html': pageOf(`${shell}<script src="count.js"></script>`), ...Object.fromEntries(files) });
}

/** Loads a texture in a worker of Pixi, and draws it. */
export async function pixiBuild(): Promise<Buffer> {
  return zipOf({
    'index.html': pageOf('<script src="lib/pixi.min.js"></script><script type="module" src="game.js"></script>'),
    'game.js': `${SHOW}
const app = new PIXI.Application();
await app.init({ width: 64, height: 64, preference: 'webgl' });
document.body.append(app.canvas);
app.stage.addChild(new PIXI.Sprite(await PIXI.Assets.load('images/red.png')));
app.render();
show('pixi ' + pixelOf(app.canvas));
`,
    'images/red.png': await picture(64, 64, 'png', `rgb(${RED})`),
    'lib/pixi.min.js': await readPackage('pixi.js/dist/pixi.min.js'),
  });
}

/** Loads an image through an element, which taints a canvas if it comes from another origin. */
export async function phaserBuild(): Promise<Buffer> {
  return zipOf({
    'index.html': pageOf('<script src="lib/phaser.min.js"></script><script src="game.js"></script>'),
    'game.js': `${SHOW}
new Phaser.Game({
  type: Phaser.WEBGL,
  width: 64,
  height: 64,
  loader: { imageLoadType: 'HTMLImageElement' },
  scene: {
    preload() { this.load.image('red', 'images/red.png'); this.load.json('level', 'levels/1.json'); },
    create() {
      this.add.image(32, 32, 'red');
      const { houses } = this.cache.json.get('level');
      this.game.renderer.snapshotPixel(32, 32, ({ r, g, b }) => show(['phaser ' + r, g, b].join() + ', houses ' + houses));
    },
  },
});
`,
    'levels/1.json': '{ "houses": 40 }',
    'images/red.png': await picture(64, 64, 'png', `rgb(${RED})`),
    'lib/phaser.min.js': await readPackage('phaser/dist/phaser.min.js'),
  });
}

/** Modules by names of an import map, as exports without a bundler have them. */
export async function threeBuild(): Promise<Buffer> {
  return zipOf({
    'index.html': pageOf(
      '<script type="importmap">{ "imports": { "three": "./lib/three.module.js" } }</script><script type="module" src="game.js"></script>',
    ),
    'game.js': `import * as THREE from 'three';
${SHOW}
const renderer = new THREE.WebGLRenderer();
renderer.setSize(64, 64);
document.body.append(renderer.domElement);
const map = await new THREE.TextureLoader().loadAsync('images/red.png');
map.colorSpace = THREE.SRGBColorSpace;
const scene = new THREE.Scene();
scene.add(new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.MeshBasicMaterial({ map })));
renderer.render(scene, new THREE.OrthographicCamera(-1, 1, 1, -1, -1, 1));
show('three ' + pixelOf(renderer.domElement));
`,
    'images/red.png': await picture(64, 64, 'png', `rgb(${RED})`),
    'lib/three.module.js': await readPackage('three/build/three.module.js'),
    'lib/three.core.js': await readPackage('three/build/three.core.js'),
  });
}

/** What games do without an engine. Each attempt has a name and says what it got. */
const ATTEMPTS = `${SHOW}
const heard = (target, kind) => new Promise((resolve) => target.addEventListener(kind, resolve, { once: true }));
const messageOf = async (worker) => (await heard(worker, 'message')).data;
const pixelOfImage = async (image) => {
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return pixelOf(canvas);
};
const failureOf = async (start) => {
  const failing = heard(window, 'error');
  start();
  const { message, error } = await failing;
  return message + ' ' + /[a-z-]+\\.js:\\d+/.exec(error?.stack ?? '');
};
const scriptOf = (src) => document.body.append(Object.assign(document.createElement('script'), { src }));
const attempts = {
  worker: () => messageOf(new Worker('workers/classic.js')),
  moduleWorker: () => messageOf(new Worker(new URL('workers/module.js', location.href), { type: 'module', name: 'm' })),
  moduleMessage: () => {
    const worker = new Worker('workers/echo.js', { type: 'module' });
    worker.postMessage(new Uint8Array(new SharedArrayBuffer(4)).fill(7));
    return messageOf(worker);
  },
  missingModule: async () => (await heard(new Worker('workers/none.mjs', { type: 'module' }), 'error')).type,
  blobWorker: () => messageOf(new Worker(URL.createObjectURL(new Blob(['postMessage("blob")'])))),
  missingWorker: async () => (await heard(new Worker('workers/none.js'), 'error')).type,
  failingWorker: async () => {
    const { message, filename } = await heard(new Worker('workers/fails.js'), 'error');
    return message + ' ' + filename.replace(/.*\\//, '');
  },
  newImage: () => pixelOfImage(Object.assign(new Image(), { src: 'images/red.png' })),
  imageInPage: () => pixelOfImage(document.querySelector('img')),
  imageByAttribute: async () => {
    const image = new Image();
    image.setAttribute('src', 'images/red.png');
    return pixelOfImage(image);
  },
  audio: () => [new Audio('sounds/a.ogg').src.endsWith('sounds/a.ogg'), new Audio() instanceof HTMLAudioElement].join(),
  headers: async () => (await fetch('levels/1.json', { headers: { 'x-game': '1', authorization: 'none' } })).status,
  part: async () => {
    const response = await fetch('levels/1.json', { headers: { range: 'bytes=0-3' } });
    return response.headers.get('content-range') + ' ' + (await response.text());
  },
  credentials: async () => (await fetch('levels/1.json', { credentials: 'include' })).status,
  request: async () => {
    const request = new XMLHttpRequest();
    request.open('GET', 'levels/1.json');
    request.withCredentials = true;
    request.send();
    await heard(request, 'loadend');
    return request.status;
  },
  text: async () => (await (await fetch('inner.html')).text()).length,
  storage: () => {
    localStorage.setItem('a', 1);
    localStorage.b = 2;
    const kept = [localStorage.getItem('a'), localStorage.b, localStorage.length, Object.keys(localStorage), 'a' in localStorage];
    localStorage.clear();
    return kept.concat(localStorage.a === undefined, localStorage.getItem('a')).join();
  },
  cookie: () => { document.cookie = 'a=1'; return typeof document.cookie; },
  failingScript: () => failureOf(() => scriptOf('fails.js')),
  staticScript: () => seen,
  scripts: () => document.scripts[0].getAttribute('src'),
};
const late = () => new Promise((resolve) => setTimeout(resolve, 10_000, 'no answer'));
(async () => {
  const results = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try { results[name] = await Promise.race([attempt(), late()]); } catch (error) { results[name] = String(error); }
  }
  show(JSON.stringify(results));
})();
`;

/** What a page can rely on, wherever its game is played. */
export const ATTEMPTED = {
  worker: '1 2 /classic.js {"houses":40} {"houses":40} nested 1',
  moduleWorker: '3 module.js {"houses":40}',
  moduleMessage: 'shared 28',
  missingModule: 'error',
  blobWorker: 'blob',
  missingWorker: 'error',
  failingWorker: 'Uncaught Error: worker broken on purpose fails.js',
  newImage: RED,
  imageInPage: RED,
  imageByAttribute: RED,
  audio: 'true,true',
  headers: 200,
  part: 'bytes 0-3/13 {"ho',
  credentials: 200,
  request: 200,
  text: 28,
  storage: '1,2,2,a,b,true,true,',
  cookie: 'string',
  failingScript: 'Uncaught Error: broken on purpose fails.js:2',
  staticScript: 'Uncaught Error: static broken on purpose fails-first.js:1',
  scripts: 'first.js',
};

export async function attemptsBuild(): Promise<Buffer> {
  return zipOf({
    'index.html': `<!-- <script src="x"> --><!doctype html><html lang="en"><head><meta charset="utf-8"><title>Game <b></title>
<script src="first.js"></script><script src=fails-first.js></script></head>
<body><p id="state">loading</p><IMG alt="" src='images/red.png'><script src="game.js"></script>`,
    'first.js': `let seen;
addEventListener('error', ({ message, error }) => { seen ??= message + ' ' + /[a-z-]+\\.js:\\d+/.exec(error?.stack ?? ''); });`,
    'fails-first.js': `throw new Error('static broken on purpose');`,
    'fails.js': `\nthrow new Error('broken on purpose');`,
    'game.js': ATTEMPTS,
    'inner.html': '<!doctype html>A page within',
    'levels/1.json': '{"houses":40}',
    'sounds/a.ogg': 'OggS',
    'images/red.png': await picture(64, 64, 'png', `rgb(${RED})`),
    'workers/classic.js': `importScripts('part.js', '../workers/part-two.js');
const request = new XMLHttpRequest();
request.open('GET', '../levels/1.json', false);
request.send();
fetch('../levels/1.json').then((response) => response.text()).then((level) => {
  const nested = new Worker('nested.js');
  nested.onmessage = ({ data }) =>
    postMessage([part, two, self.location.pathname.replace(/.*\\//, '/'), level, request.responseText, data].join(' '));
});`,
    'workers/part.js': 'const part = 1;',
    'workers/part-two.js': 'var two = 2;',
    'workers/nested.js': `importScripts('part.js'); postMessage('nested ' + part);`,
    'workers/fails.js': `throw new Error('worker broken on purpose');`,
    'workers/module.js': `import { three } from './three.js';
const level = await (await fetch('../levels/1.json')).text();
postMessage([three, import.meta.url.replace(/.*\\//, ''), level].join(' '));`,
    'workers/echo.js': `await null;
addEventListener('message', ({ data }) => postMessage('shared ' + (data.buffer instanceof SharedArrayBuffer) * data.reduce((sum, byte) => sum + byte)));`,
    'workers/three.js': 'export const three = 3;',
  });
}
