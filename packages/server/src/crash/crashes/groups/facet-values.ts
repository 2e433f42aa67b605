// Writes what clients and dumps say about a system in one form, so that equal systems have equal values. All functions
// return null for a text that says nothing.

const UNKNOWN = /^(unknown|none|n\/?a|null|undefined|-|0)$/i;

function clean(value: string): string | null {
  const text = value
    .replace(/\((?:r|tm|c)\)|[®™©]/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' || UNKNOWN.test(text) ? null : text;
}

/** `NVIDIA GeForce RTX 3060/PCIe/SSE2` → `NVIDIA GeForce RTX 3060`; the names of ANGLE without their wrapping. */
export function formatGpu(value: string): string | null {
  const angle = /^ANGLE \((?:[^,]+, )?(.+?)(?: Direct3D.*| \(0x[^)]*\).*|, .*)?\)$/.exec(value)?.[1] ?? value;
  return clean(angle.replace(/\/PCIe.*$|\(0x[0-9a-f]+\)|\s*vs_\d.*$/gi, ''));
}

/** `Direct3D 11.0 [level 11.1]` of Unity is the API and no driver. */
export function formatDriver(value: string): string | null {
  const text = clean(value);
  return text === null || /^(direct3d|vulkan|metal|opengl es)\b.*\[|^direct3d\b/i.test(text) ? null : text;
}

/** `Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz` → `Intel Core i7-9700K`. */
export function formatCpu(value: string): string | null {
  const text = clean(value.replace(/@.*$|\b\d+-core processor\b|\bprocessor\b|\bcpu\b/gi, ' '));
  return text === null || /^(x86(_64)?|amd64|arm(64)?|aarch64|wasm32)$/i.test(text) ? null : text;
}

/** Sizes that machines have, in GiB. */
const RAM_SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512];
const UNITS: Readonly<Record<string, number>> = { k: 1 / 1024 ** 2, m: 1 / 1024, g: 1, t: 1024 };

/**
 * The nearest usual size: `16 GB` for `15.9 GB`, for `16303` in a key of MB (`systemMemorySize`) and for `17091801088`.
 * A number without a unit is of the unit in its key, or the only one that makes sense.
 */
export function formatRam(value: string, key = ''): string | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(value.replaceAll(',', '')) ?? [];
  if (digits === undefined) return null;
  const amount = Number(digits);
  const gib = unit === '' ? amount * guessUnit(amount, key) : amount * UNITS[unit.toLowerCase()]!;
  if (!(gib >= 0.25) || gib > 4096) return null;
  const nearest = RAM_SIZES.reduce((best, size) => (distance(size, gib) < distance(best, gib) ? size : best));
  return gib > 512 * 1.25 ? 'over 512 GB' : `${nearest} GB`;
}

function guessUnit(amount: number, key: string): number {
  if (/mb$|systemMemorySize/i.test(key)) return UNITS.m!;
  if (/gb$/i.test(key) || amount <= 512) return UNITS.g!;
  return amount < 8 * 1024 ** 2 ? UNITS.m! : 1 / 1024 ** 3;
}

function distance(size: number, gib: number): number {
  return Math.abs(Math.log(size / gib));
}

/** `de_DE.UTF-8` and `de-de` → `de-DE`. Names of languages, such as Unity's `German`, stay. */
export function formatLocale(value: string): string | null {
  const [, language, region] = /^([a-z]{2,3})(?:[-_](?:[a-z]{4}[-_])?([a-z]{2}|\d{3}))?(?:[.@].*)?$/i.exec(value) ?? [];
  if (language === undefined) return clean(value);
  return region === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${region.toUpperCase()}`;
}

const STORES: readonly (readonly [RegExp, string])[] = [
  [/steam/i, 'steam'],
  [/epic|\begs\b/i, 'epic'],
  [/itch/i, 'itch'],
  [/\bgog\b|galaxy/i, 'gog'],
  [/microsoft|xbox|winstore|windows ?store/i, 'microsoft'],
  [/play ?store|google|com\.android\.vending/i, 'google-play'],
  [/app ?store|testflight/i, 'app-store'],
];

/** Lower-case; stores of many spellings have one name. */
export function formatStore(value: string): string | null {
  return STORES.find(([pattern]) => pattern.test(value))?.[1] ?? clean(value)?.toLowerCase() ?? null;
}

/** Windows calls both 10.0; its eleventh version begins with this build. */
const FIRST_BUILD_OF_11 = 22_000;

/**
 * `Windows 11 22631` from `Windows NT` and `10.0.22631`, or from `Windows 11 (10.0.22631) 64bit`; `macOS 14.5`,
 * `Linux 6.8`, `Android 14`. Details after the version are left out.
 */
export function formatOsVersion(os: string, version: string): string | null {
  const text = clean(`${os} ${version}`);
  if (text === null) return null;
  const [, build] = /\b10\.0\.(\d{5})/.exec(text) ?? [];
  if (build !== undefined) return `Windows ${Number(build) >= FIRST_BUILD_OF_11 ? 11 : 10} ${build}`;
  const number = /\d+(?:\.\d+)*/.exec(text.replace(/^windows nt/i, 'windows'))?.[0];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text));
  if (system === undefined || number === undefined) return text;
  const [, name, parts] = system;
  return `${name} ${number.split('.').slice(0, parts).join('.')}`;
}

/** A system, and how many parts of its version matter. */
const SYSTEMS: readonly (readonly [RegExp, string, number])[] = [
  [/^windows/i, 'Windows', 3],
  [/^mac ?os|^os ?x/i, 'macOS', 2],
  [/^android/i, 'Android', 1],
  [/^(ios|iphone|ipados)/i, 'iOS', 2],
  [/^linux/i, 'Linux', 2],
];
