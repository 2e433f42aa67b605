// Reads the facets of a report: what its dump and metadata say about the player's system, in one form however a game
// spells it, so that equal systems have equal values. An ordered list of named rules; the first that finds a value
// decides.
import type { SystemFacet } from '@chauffeur/contract/crash-query';
import { METADATA_PREFIX } from '@chauffeur/contract/crash-query';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';

/**
 * Increase it with any change of the rules, or of what is counted. `chauffeur-server regroup` then counts existing
 * reports again.
 */
export const FACETS_VERSION = 2;

/** What a dump says about its system. */
export type DumpSystem = {
  readonly os: string;
  readonly osVersion: string;
  /** `ubuntu 22.04`, from the files of a Linux distribution; null if unknown. */
  readonly distribution: string | null;
  readonly cpu: string | null;
  readonly cores: number;
};

type FacetSource = {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What the dump says; null without one. */
  readonly system: DumpSystem | null;
};

/**
 * A facet and its value, such as `gpu` and `NVIDIA GeForce RTX 3060`. Facets of metadata are `metadata.` and the key.
 */
export type Facet = readonly [facet: string, value: string];

type FacetRule = {
  readonly facet: SystemFacet;
  /** Keys of metadata in order of preference, without regard to case, spaces, `_`, `-` and `.`. */
  readonly keys: readonly string[];
  /** The value in its usual form; null if it says nothing. */
  readonly format: (value: string, key: string) => string | null;
  /** Reads the value from the dump if no key has one. */
  readonly fromDump?: (system: DumpSystem) => string | null;
};

/** docs/crashes.md has a table of the keys. */
export const FACET_RULES: readonly FacetRule[] = [
  {
    facet: 'os_version',
    keys: ['os_version', 'operatingSystem', 'os_build', 'os_full', 'system_version', 'platform_version'],
    format: (value) => formatOsVersion('', value),
    fromDump: ({ os, osVersion, distribution }) => distribution ?? formatOsVersion(os, osVersion),
  },
  {
    facet: 'gpu',
    keys: [
      ...['gpu', 'gpu_name', 'graphicsDeviceName', 'graphics_device', 'graphics_card', 'video_adapter', 'adapter'],
      ...['adapter_name', 'video_card', 'gpu_model', 'gl_renderer', 'Misc.PrimaryGPUBrand', 'RHI.AdapterName'],
    ],
    format: formatGpu,
  },
  {
    facet: 'driver',
    keys: [
      ...['driver', 'driver_version', 'gpu_driver', 'gpu_driver_version', 'graphics_driver', 'graphics_driver_version'],
      ...['graphicsDeviceVersion', 'RHI.UserDriverVersion', 'gl_version'],
    ],
    format: formatDriver,
  },
  {
    facet: 'cpu',
    keys: [
      'cpu_model',
      'cpu_name',
      'cpu_brand',
      'cpu',
      'processor',
      'processorType',
      'processor_name',
      'Misc.CPUBrand',
    ],
    format: formatCpu,
    fromDump: ({ cpu }) => (cpu === null ? null : formatCpu(cpu)),
  },
  {
    facet: 'cores',
    keys: ['cores', 'cpu_cores', 'cpu_count', 'processorCount', 'processor_count', 'logical_cores', 'num_cpus'],
    format: (value) => (/^[1-9]\d{0,3}$/.test(value) ? value : null),
    fromDump: ({ cores }) => (cores >= 1 && cores < 10_000 ? String(cores) : null),
  },
  {
    facet: 'ram',
    keys: [
      ...['ram', 'ram_gb', 'ram_mb', 'memory', 'memory_gb', 'memory_mb', 'total_memory', 'memory_total', 'total_ram'],
      ...['systemMemorySize', 'system_memory', 'physical_memory', 'total_physical', 'MemoryStats.TotalPhysical'],
    ],
    format: formatRam,
  },
  {
    facet: 'locale',
    keys: ['locale', 'language', 'lang', 'systemLanguage', 'system_locale', 'os_locale', 'culture', 'AppDefaultLocale'],
    format: formatLocale,
  },
  {
    facet: 'store',
    keys: ['store', 'storefront', 'distribution', 'platform_store', 'launcher', 'installer', 'marketplace'],
    format: formatStore,
  },
];

/** `graphicsDeviceName`, `graphics_device_name` and `Graphics Device Name` are the same key. */
function foldKey(key: string): string {
  return key.toLowerCase().replace(/[\s_.-]/g, '');
}

const FACET_BY_KEY: ReadonlyMap<string, SystemFacet> = new Map(
  FACET_RULES.flatMap(({ facet, keys }) => keys.map((key) => [foldKey(key), facet] as const)),
);

/** The facet that a key of the metadata is read into; undefined for a key of the game's own. */
export function facetOfKey(key: string): SystemFacet | undefined {
  return FACET_BY_KEY.get(foldKey(key));
}

const MAX_VALUE_LENGTH = 100;
/** Longer texts are messages, and each is different. */
export const MAX_METADATA_LENGTH = 100;

/** The facets of a report, each once. */
export function facetsOf({ metadata, system }: FacetSource): Facet[] {
  const entries = Object.entries(metadata).flatMap(([key, value]) => {
    const text = textOf(value);
    return text === '' ? [] : [[key, text] as const];
  });
  const byKey = new Map(entries.map(([key, text]) => [foldKey(key), text]));
  const systemFacets = FACET_RULES.flatMap(({ facet, keys, format, fromDump }): Facet[] => {
    const values = keys.map((key) => {
      const text = byKey.get(foldKey(key));
      return text === undefined ? null : format(text, key);
    });
    const value = values.find((each) => each !== null) ?? (system === null ? null : (fromDump?.(system) ?? null));
    return value === null || value === '' ? [] : [[facet, cutTo(value, MAX_VALUE_LENGTH)]];
  });
  const own = entries
    .filter(([key, text]) => facetOfKey(key) === undefined && isOwnKey(key) && text.length <= MAX_METADATA_LENGTH)
    .map(([key, text]): Facet => [METADATA_PREFIX + key.toLowerCase(), text]);
  return [...systemFacets, ...new Map(own)];
}

/** The server's own notes about a report are not facets. */
function isOwnKey(key: string): boolean {
  return !key.startsWith('chauffeur_') && /^[\w.-]+$/.test(key);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return toPrintable(value).trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Values that say nothing. A function that formats a value returns null for them. */
const UNKNOWN = /^(unknown|none|n\/?a|null|undefined|-|0)$/i;

function clean(value: string): string | null {
  const text = value
    .replace(/\((?:r|tm|c)\)|[®™©]/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' || UNKNOWN.test(text) ? null : text;
}

/** `NVIDIA GeForce RTX 3060/PCIe/SSE2` → `NVIDIA GeForce RTX 3060`; the names of ANGLE without their wrapping. */
function formatGpu(value: string): string | null {
  const angle = /^ANGLE \((?:[^,]+, )?(.+?)(?: Direct3D.*| \(0x[^)]*\).*|, .*)?\)$/.exec(value)?.[1] ?? value;
  return clean(angle.replace(/\/PCIe.*$|\(0x[0-9a-f]+\)|\s*vs_\d.*$/gi, ''));
}

/** `Direct3D 11.0 [level 11.1]` of Unity is the API and no driver. */
function formatDriver(value: string): string | null {
  const text = clean(value);
  return text === null || /^(direct3d|vulkan|metal|opengl es)\b.*\[|^direct3d\b/i.test(text) ? null : text;
}

/** `Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz` → `Intel Core i7-9700K`. */
function formatCpu(value: string): string | null {
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
function formatRam(value: string, key = ''): string | null {
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
function formatLocale(value: string): string | null {
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
function formatStore(value: string): string | null {
  return STORES.find(([pattern]) => pattern.test(value))?.[1] ?? clean(value)?.toLowerCase() ?? null;
}

/** Windows calls both 10.0; its eleventh version begins with this build. */
const FIRST_BUILD_OF_11 = 22_000;

/**
 * `Windows 11 22631` from `Windows NT` and `10.0.22631`, or from `Windows 11 (10.0.22631) 64bit`; `macOS 14.5`,
 * `Linux 6.8`, `Android 14`. Details after the version are left out.
 */
function formatOsVersion(os: string, version: string): string | null {
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
