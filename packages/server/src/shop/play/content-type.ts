// Determines the content type of an entry of a web build from its name only, so that browsers do not guess it from the
// content.

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
  // Browsers compile WebAssembly while it arrives only with this type (WebAssembly Web API, section 3).
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

/** The type of archives of engines and unknown files, which a browser does not display. */
const BYTES = 'application/octet-stream';

/** The content encodings of entries that engines compressed, by extension. */
const CODINGS = { br: 'br', gz: 'gzip' } as const;

export type Coding = (typeof CODINGS)[keyof typeof CODINGS];

export type EntryKind = {
  readonly contentType: string;
  /** The content encoding of the entry itself; `by content` if only its content shows whether it has one. */
  readonly coding: Coding | 'by content' | null;
};

/**
 * Unity exports files such as `Build/walk.wasm.br` with a loader that requires `Content-Encoding: br`. Other games
 * unpack files such as `level.bin.gz` themselves, so only the names that Unity and Emscripten use count as encoded.
 */
const ENCODED = /\.(?:js|wasm|data|mem|symbols\.json)\.(br|gz|unityweb)$/i;

/** The content type and encoding of the entry at this path. */
export function kindOf(path: string): EntryKind {
  const extension = ENCODED.exec(path)?.[1]?.toLowerCase() as keyof typeof CODINGS | 'unityweb' | undefined;
  if (extension === undefined) return { contentType: typeOf(path), coding: null };
  const contentType = typeOf(path.slice(0, -extension.length - 1));
  return { contentType, coding: extension === 'unityweb' ? 'by content' : CODINGS[extension] };
}

/** The bytes that `codingOf` needs. */
export const CODING_BYTES = 64;

/**
 * The encoding of a `.unityweb` file, from its first bytes. Unity writes such files, of either encoding, with a loader
 * that unpacks them itself if the browser didn't. Brotli has no signature, but Unity adds a comment.
 */
export function codingOf(bytes: Buffer): Coding | null {
  if (bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b) return 'gzip';
  return bytes.includes('UnityWeb Compressed Content (brotli)') ? 'br' : null;
}

function typeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : BYTES;
}
