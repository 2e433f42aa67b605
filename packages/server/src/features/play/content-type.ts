// Says what an entry of a web build is, by its name alone: nothing is guessed from what is in it, nor left for the browser to guess.

const TEXT = '; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  html: `text/html${TEXT}`,
  htm: `text/html${TEXT}`,
  js: `text/javascript${TEXT}`,
  mjs: `text/javascript${TEXT}`,
  css: `text/css${TEXT}`,
  json: `application/json${TEXT}`,
  map: `application/json${TEXT}`,
  webmanifest: `application/manifest+json${TEXT}`,
  txt: `text/plain${TEXT}`,
  csv: `text/csv${TEXT}`,
  xml: `application/xml${TEXT}`,
  glsl: `text/plain${TEXT}`,
  // Compiled while it arrives only under this very type (WebAssembly Web API, section 3).
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  weba: 'audio/webm',
  webm: 'video/webm',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  pdf: 'application/pdf',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
};

/** Of engines' archives, and of all that is not known: bytes, and nothing that a browser would show. */
const BYTES = 'application/octet-stream';

const CODINGS = { br: 'br', gz: 'gzip' } as const;

export type EntryKind = {
  readonly contentType: string;
  /** How the entry is packed within itself, which the browser is to undo. */
  readonly coding: (typeof CODINGS)[keyof typeof CODINGS] | null;
};

/**
 * Situation: Unity exports `Build/walk.wasm.br` beside a loader that counts on `Content-Encoding: br`. A game may as well bring a `level.bin.gz`
 * that it unpacks by itself, so only what Unity and Emscripten write is taken for packed.
 */
const PACKED = /\.(js|wasm|data|mem|symbols\.json)\.(br|gz)$/i;

/** What the entry at this path is served as. */
export function kindOf(path: string): EntryKind {
  const coding = PACKED.exec(path)?.[2]?.toLowerCase() as keyof typeof CODINGS | undefined;
  if (coding !== undefined) return { contentType: typeOf(path.slice(0, -coding.length - 1)), coding: CODINGS[coding] };
  return { contentType: typeOf(path), coding: null };
}

function typeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : BYTES;
}
