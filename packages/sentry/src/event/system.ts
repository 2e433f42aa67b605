// Reads what contexts say about the player's system, under the names of metadata that the facets of crash reports are
// read from, and further facts of contexts as data. A context says what it is by its name or, if the program chose the
// name, by its type.
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { formatBrowser } from '@chauffeur/contract/machine';
import { entriesOf, fieldOf, isFields, lineOf, numberOf, toStorable } from '../values.ts';
import { pairsOf } from './data.ts';
import type { DataPair, Pair, SentryImage, SentrySystem } from './event.ts';

type Context = {
  /** Without capitals, spaces, `_` and `-`. */
  readonly name: string;
  /** What it is about: its type if that is a known one, or else its name. */
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

const MAX_CONTEXTS = 50;
const MAX_FIELDS = 50;
/** It leaves room for names of fields. */
const MAX_NAME = 32;
/** Contexts that are read into the system. */
const SYSTEM_KINDS = new Set(['os', 'device', 'gpu', 'culture', 'runtime', 'browser', 'app']);
/** Contexts of the client itself, and of what isn't taken. */
const SKIPPED = new Set([
  'trace',
  'feedback',
  'response',
  'state',
  'cloudresource',
  'profile',
  'replay',
  'otel',
  'flags',
]);
/** Fields of contexts about the device that are not facets. The others have names and ids of the device in them. */
const DEVICE_FIELDS = new Set(
  ['model', 'model_id', 'manufacturer', 'brand', 'family', 'device_type', 'simulator', 'orientation', 'low_memory']
    .concat(['screen_width_pixels', 'screen_height_pixels', 'screen_resolution', 'screen_density', 'battery_level'])
    .concat(['api_type', 'graphics_shader_level', 'multi_threaded_rendering', 'npot_support', 'timezone']),
);

export function contextsOf(value: unknown): Context[] {
  return entriesOf(value, MAX_CONTEXTS).flatMap(([sentName, fields]) => {
    if (!isFields(fields)) return [];
    const name = foldName(sentName);
    const type = foldName(lineOf(fieldOf(fields, 'type'), 64));
    return [{ name, kind: SYSTEM_KINDS.has(type) || SKIPPED.has(type) ? type : name, fields }];
  });
}

/** `Unreal Engine` and `unreal_engine` are one name. */
function foldName(name: string): string {
  return toStorable(name, MAX_NAME)
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

export type SystemSource = {
  readonly contexts: readonly Context[];
  readonly platform: string;
  readonly sdk: string;
  readonly images: readonly SentryImage[];
  readonly userAgent: string;
};

export function systemOf({ contexts, platform, sdk, images, userAgent }: SystemSource): SentrySystem {
  const get = (context: string, ...names: readonly string[]) => {
    const fields = contexts.find(({ kind }) => kind === context)?.fields;
    return names.map((name) => lineOf(fieldOf(fields, name), 200)).find((text) => text !== '') ?? '';
  };
  const isBrowser = isBrowserSdk(sdk, platform);
  const os = isBrowser ? 'web' : osOf(get('os', 'name'), images, platform);
  const arch = get('device', 'arch') || get('app', 'app_arch') || (images.find((each) => each.arch !== '')?.arch ?? '');
  const facts: Pair[] = [
    ['os_version', osVersion(get)],
    ['gpu', gpuOf(get('gpu', 'name'), get('gpu', 'vendor_name'))],
    ['driver', get('gpu', 'driver_version') || driverIn(get('gpu', 'version'))],
    ['cpu_model', get('device', 'cpu_description')],
    ['cores', get('device', 'processor_count', 'number_of_cores', 'num_cpu')],
    ['ram', ramOf(contexts.find(({ kind }) => kind === 'device')?.fields)],
    ['locale', get('culture', 'locale') || get('device', 'locale')],
    [
      'browser',
      isBrowser ? browserOf(get('browser', 'name'), get('browser', 'version')) || userAgentName(userAgent) : '',
    ],
    ['runtime', `${get('runtime', 'name')} ${get('runtime', 'version')}`.trim()],
  ];
  return {
    os,
    arch: arch === '' ? '' : canonicalArch(arch.toLowerCase()),
    engineVersion: engineOf(get).slice(0, 64),
    facts: facts.filter(([, value]) => value !== ''),
  };
}

/** Fields that say the same as others, differ in every run, or identify a device. */
const NO_FACTS = new Set(
  ['app.app_name', 'app.app_version', 'app.app_identifier', 'app.app_id', 'app.app_arch', 'app.app_start_time']
    .concat(['app.app_memory', 'app.free_memory', 'app.device_app_hash', 'unity.editor_version'])
    .concat(['unrealengine.Engine version', 'unrealengine.Game name', 'godotengine.version', 'godot.version']),
);

/** What contexts say beyond the facets. */
export function contextData(contexts: readonly Context[], max: number): DataPair[] {
  const data: DataPair[] = [];
  for (const { name, kind, fields } of contexts) {
    if (data.length >= max) break;
    if (SKIPPED.has(kind) || ['os', 'culture', 'runtime', 'browser'].includes(kind)) continue;
    const isDevice = kind === 'device' || kind === 'gpu';
    for (const pair of pairsOf(fields, MAX_FIELDS, `${name}.`)) {
      const field = pair[0].slice(name.length + 1);
      if (field === 'type' || NO_FACTS.has(pair[0])) continue;
      if (!isDevice || DEVICE_FIELDS.has(field)) data.push(pair);
    }
  }
  return data.slice(0, Math.max(0, max));
}

type Get = (context: string, ...names: readonly string[]) => string;

function isBrowserSdk(sdk: string, platform: string): boolean {
  return platform === 'javascript' && !/node|electron|bun|deno|react-native|capacitor|cordova/.test(sdk);
}

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/^windows|^win(?:32|64|nt)\b/i, 'windows'],
  [/^mac|^os ?x|^darwin/i, 'macos'],
  [/^(?:ios|ipados|iphone|tvos|visionos)/i, 'ios'],
  [/^android/i, 'android'],
  [
    /linux|ubuntu|debian|fedora|arch|mint|suse|steam ?os|manjaro|pop!?_os|alpine|centos|red ?hat|gentoo|nixos/i,
    'linux',
  ],
];
const IMAGE_SYSTEMS = new Map([
  ['pe', 'windows'],
  ['macho', 'macos'],
  ['elf', 'linux'],
  ['wasm', 'web'],
]);

function osOf(name: string, images: readonly SentryImage[], platform: string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(name))?.[1];
  if (system !== undefined) return system;
  const image = images.map(({ type }) => IMAGE_SYSTEMS.get(type)).find((each) => each !== undefined);
  return image ?? (platform === 'cocoa' ? 'ios' : name === '' ? '' : canonicalOs(name.toLowerCase().slice(0, 64)));
}

/** `debian 12` for a distribution of Linux, as dumps have it, and `Windows 10.0.22631` for others. */
function osVersion(get: Get): string {
  const distribution = `${get('os', 'distribution_name')} ${get('os', 'distribution_version')}`.trim();
  if (distribution !== '') return distribution.toLowerCase();
  const version = get('os', 'version') || get('os', 'kernel_version');
  const name = get('os', 'name');
  // Unity has the version in the name: `Windows 11  (10.0.22631) 64bit`.
  if (/\d/.test(name)) return name;
  return name === '' || version === '' ? '' : `${name} ${version}`;
}

/** Engines write the version of the API, in some cases with that of the driver: `Vulkan 1.3.0 [NVIDIA 551.23]`. */
function driverIn(version: string): string {
  return /^(?:Direct3D|Metal)\b|^[\d.]+$/i.test(version) ? '' : version;
}

/** Some clients leave the vendor out of the name. */
function gpuOf(name: string, vendor: string): string {
  const [brand = ''] = /^(?:Advanced Micro|ATI\b)/i.test(vendor) ? ['AMD'] : vendor.split(' ', 1);
  if (name === '' || brand === '' || /\d{4}/.test(vendor)) return name;
  return name.toLowerCase().includes(brand.toLowerCase()) ? name : `${brand} ${name}`;
}

/** The size in bytes, or with a unit. */
function ramOf(device: Context['fields'] | undefined): string {
  const bytes = numberOf(fieldOf(device, 'memory_size'));
  if (bytes !== null && bytes > 0) return String(Math.round(bytes));
  const gigabytes = lineOf(fieldOf(device, 'physical_memory_size_gb'), 32);
  return /^\d+(?:\.\d+)?$/.test(gigabytes) ? `${gigabytes} GB` : gigabytes;
}

function browserOf(name: string, version: string): string {
  return `${name} ${version.split('.', 1)[0]!}`.trim();
}

function userAgentName(userAgent: string): string {
  return userAgent === '' ? '' : formatBrowser(userAgent);
}

/** Engines, in the words of their clients. */
function engineOf(get: Get): string {
  return (
    get('unity', 'editor_version') ||
    get('unrealengine', 'Engine version', 'engine_version') ||
    get('godotengine', 'version') ||
    get('godot', 'version') ||
    get('engine', 'version')
  );
}
