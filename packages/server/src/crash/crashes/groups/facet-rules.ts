// Reads the facets of a report: what its dump and metadata say about the player's system, in one form however a game
// spells it. An ordered list of named rules; the first that finds a value decides.
import { METADATA_PREFIX, type SystemFacet } from '@chauffeur/contract/crash-query';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import {
  formatCpu,
  formatDriver,
  formatGpu,
  formatLocale,
  formatOsVersion,
  formatRam,
  formatStore,
} from './facet-values.ts';

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

export type FacetSource = {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null without a dump. */
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
  /** If no key has a value. */
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
