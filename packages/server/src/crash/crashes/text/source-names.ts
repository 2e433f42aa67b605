// Names of source files and functions without what differs between builds, players and browsers.
import { baseName } from '@chauffeur/minidump/base-name';
import { shortenSourcePath } from '../report/paths.ts';

/** `https://cdn.example.com/game/assets/index-4f3a.js?v=7` → `assets/index-4f3a.js`; folders of build machines too. */
export function shownFile(path: string): string {
  if (/^(?:res|user):\/\//.test(path)) return path.slice(0, 255);
  const url = /^(?:blob:)?[a-z][a-z0-9+.-]{1,30}:\/{2,3}/i.exec(path)?.[0];
  if (url === undefined) return shortenSourcePath(path);
  const bare = path.slice(url.length).split(/[?#]/, 1)[0]!;
  if (url.startsWith('blob:')) return 'blob';
  // The rest after the host, if there is one.
  const local = /^(?:https?|wss?):/i.test(url) ? bare.slice(bare.indexOf('/') + 1) : bare;
  return shortenSourcePath(local) || bare.slice(0, 255);
}

/** Scripts named `index` as they are served may be in a folder of any name, so only sources count. */
const NAMED_BY_FOLDER = /([^\\/]{1,100})[\\/](?:src[\\/]lib\.rs|mod\.rs|__init__\.py|init\.lua|index\.(?:tsx?|jsx))$/;

/**
 * The name of a file without folders, extension, and hash of a bundler: `player` for `res://actors/player.gd`, `index`
 * for `index-BxQ12fZk.js` and `index.4f3a21bc.chunk.js`.
 */
export function stemOf(path: string): string {
  const name = baseName(path.split(/[?#]/, 1)[0]!);
  // These are named by their folder: `combat` for `src/combat/mod.rs`, and a crate for its `src/lib.rs`.
  const folder = NAMED_BY_FOLDER.exec(path)?.[1];
  if (folder !== undefined && !/^(?:src|\.{1,2})$/.test(folder)) return folder.replace(/-\d+\.\d+[\w.+-]*$/, '');
  const whole = name.slice(0, name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length);
  if (!isScript(name)) return whole;
  const [, before, tail] = /^(.+)[.-]([\w-]{8})$/.exec(whole) ?? [];
  const stem = before !== undefined && isRandom(tail!) ? before : whole;
  const parts = stem.split(/([.~_-])/);
  const kept = parts.filter((part, index) => index === 0 || index % 2 === 1 || !isHash(part));
  return (
    kept
      .join('')
      .replace(/[.~_-]{1,20}(?=[.~_-]|$)/g, '')
      .replace(/\.(?:min|prod|bundle|chunk)\b/g, '') || stem
  );
}

function isScript(name: string): boolean {
  return /\.(?:[cm]?js|jsx|tsx?|wasm)$/i.test(name);
}

/**
 * Eight characters of a bundler are neither words, in any case, nor a version: `D_91kd-p`, `BkQxaZzP`, `3ZKQ7M2X`,
 * `k3x9v0pz`.
 */
function isRandom(tail: string): boolean {
  return (
    /^[A-Z0-9]{8}$|[a-z]\d+[a-z]+\d/.test(tail) || !/^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|[A-Za-z]?\d+|[_-])+$/.test(tail)
  );
}

/** Bundlers name files by 6 to 32 hexadecimal digits, or 8 of base 64, which have digits or mixed case. */
function isHash(part: string): boolean {
  if (/^[0-9a-f]{6,64}$/i.test(part)) return /\d/.test(part);
  return /^[\w]{7,24}$/.test(part) && /[A-Z]/.test(part.slice(1)) && /[a-z]/.test(part) && /\d/.test(part);
}

/**
 * `player.take_damage` for a function that is known by its bare name only: without a class, names such as `update` are
 * in many files.
 */
export function qualify(name: string, file: string | null): string {
  if (file === null || file === '' || /[.:#]/.test(name)) return name;
  return `${stemOf(file)}.${name}`;
}
