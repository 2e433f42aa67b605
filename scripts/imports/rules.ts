// The import rules: which parts of the code may import which. They are checked in order, and each has a name.
import type { Import, Source } from './source.ts';

export type Violation = {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly detail: string;
};

type Offence = { readonly line: number; readonly detail: string };
type Rule = { readonly name: string; readonly find: (source: Source) => readonly Offence[] };

/** The packages, and which packages of this repository each may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  minidump: [],
  'debug-symbols': [],
  deltas: ['contract'],
  sentry: ['contract'],
  server: ['contract', 'minidump', 'debug-symbols', 'deltas', 'sentry'],
  updater: ['contract', 'deltas'],
  cli: ['contract', 'debug-symbols', 'deltas', 'sentry', 'updater'],
  web: ['contract'],
};

/** Folders of features. A wing imports only wings before it (docs/adr/0001-wings.md). */
const WINGS: readonly string[] = ['people', 'notify', 'ship', 'crash', 'analytics', 'shop', 'team', 'operate'];

/** The layers of the server, from top to bottom. A part imports only itself and parts of lower layers. */
const SERVER_LAYERS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['commands'],
  ['app.ts'],
  ['roles.ts'],
  // What connects the features to the parts that mount and run them.
  ['registry.ts'],
  ['features.ts'],
  // The documents for browsers, which are mounted next to the API.
  ['site'],
  ['http', 'mcp', 'worker'],
  WINGS,
  // What features need to read requests and to respond to them.
  ['request'],
  ['context.ts'],
  ['kernel'],
  ['config.ts', 'folders.ts'],
  // The forms of single settings.
  ['symbol-sources.ts'],
];

/** Parts that read the settings. All other parts get them as a parameter and import only their type. */
const READS_CONFIG = ['main.ts', 'commands'];
/** Shows the settings to operators. */
const SHOWS_CONFIG = 'packages/server/src/operate/operator/shown-settings.ts';

type Layers = { readonly of: string; readonly root: string; readonly layers: readonly (readonly string[])[] };

/** Parts with layers, from the highest to the lowest. A layer may import itself and lower layers. */
const LAYERED: readonly Layers[] = [
  {
    of: 'minidump',
    root: 'packages/minidump/src/',
    layers: [
      ['main.ts'],
      ['command.ts'],
      ['stackwalk.ts'],
      ['walk-with-servers.ts'],
      ['process.ts'],
      ['walker.ts'],
      ['attachments.ts', 'crash.ts', 'stack-memory.ts', 'text.ts'],
      ['describe.ts'],
      ['unwind', 'reasons', 'signature'],
      ['symbols'],
      ['memory.ts', 'module-map.ts'],
      ['streams'],
      ['minidump.ts'],
      ['contexts'],
      ['report.ts', 'bytes.ts', 'base-name.ts'],
      ['error.ts'],
    ],
  },
  {
    of: 'sentry',
    root: 'packages/sentry/src/',
    layers: [
      ['mappings'],
      ['grouping.ts', 'native-stack.ts'],
      ['event'],
      ['answers.ts', 'client-report.ts', 'release.ts', 'sessions.ts'],
      ['envelope'],
      ['dsn', 'encoding.ts', 'json.ts', 'privacy.ts'],
      ['ids.ts'],
      ['values.ts', 'error.ts'],
    ],
  },
  {
    of: 'crashes',
    root: 'packages/server/src/crash/crashes/',
    layers: [
      ['crashes.ts', 'crash-requests.ts'],
      ['crashes.sql.ts'],
      ['keep'],
      ['alerts'],
      ['triage'],
      ['read'],
      ['process'],
      ['groups'],
      ['text'],
      ['receive'],
      ['report'],
    ],
  },
];

/** The only files that read the environment, one for each program. */
const ENVIRONMENT_READERS: readonly string[] = [
  'packages/server/src/config.ts',
  'packages/cli/src/context.ts',
  'packages/minidump/src/command.ts',
];

const RULES: readonly Rule[] = [
  {
    name: 'every package, part and layer is listed in scripts/imports/rules.ts',
    find: ({ path }) => (isListed(path) ? [] : [{ line: 1, detail: path }]),
  },
  forImports('a package imports only the packages that are listed for it', ({ path }, { target }) => {
    const [from, to] = [packageOf(path), packageOf(target)];
    return to !== from && to !== undefined && PACKAGES[from ?? '']?.includes(to) !== true;
  }),
  forImports(
    'relative paths stay inside src; other packages are imported by name',
    ({ path }, { specifier, target }) => {
      const home = `packages/${packageOf(path)}`;
      const isPath = specifier.startsWith('.');
      const isInside = target.startsWith(`${home}/src/`) || target === `${home}/package.json`;
      return isPath ? !isInside : packageOf(target) === packageOf(path);
    },
  ),
  forImports('dependencies are imported by name', (_, { specifier }) => /(^|\/)node_modules\//.test(specifier)),
  forImports('main, commands → app → site → {http, mcp, worker} → wings → request → kernel', (source, { target }) => {
    const [from, to] = [partOf(source.path), partOf(target)];
    if (from === undefined || to === undefined || from === to || (isWing(from) && isWing(to))) return false;
    return serverLayerOf(to) <= serverLayerOf(from);
  }),
  ...LAYERED.map((layers) =>
    forImports(`a layer of ${layers.of} imports only lower layers`, ({ path }, { target }) => {
      const [from, to] = [layerOf(layers, path), layerOf(layers, target)];
      return from !== undefined && to !== undefined && from !== to && depthOf(layers, to) <= depthOf(layers, from);
    }),
  ),
  forImports('only commands read the settings; other parts import only types of config.ts', (source, imported) => {
    const from = partOf(source.path);
    const needsTypeOnly = from !== undefined && !READS_CONFIG.includes(from) && source.path !== SHOWS_CONFIG;
    return needsTypeOnly && partOf(imported.target) === 'config.ts' && !imported.typeOnly;
  }),
  forImports('a wing imports only wings that are listed before it', (source, { target }) => {
    const [from, to] = [partOf(source.path), partOf(target)];
    return isWing(from) && isWing(to) && WINGS.indexOf(to) > WINGS.indexOf(from);
  }),
  forImports('other wings import only the front doors of a feature', (source, { target }) => {
    const [from, to] = [partOf(source.path), partOf(target)];
    return isWing(from) && isWing(to) && from !== to && !isFrontDoor(target);
  }),
  {
    name: `only ${ENVIRONMENT_READERS.join(', ')} read the environment`,
    find: ({ path, environmentReads }) =>
      ENVIRONMENT_READERS.includes(path) ? [] : environmentReads.map((line) => ({ line, detail: 'process.env' })),
  },
];

/** The violations in a file, in the order of the rules. */
export function checkSource(source: Source): Violation[] {
  return RULES.flatMap(({ name, find }) =>
    find(source).map((offence) => ({ path: source.path, rule: name, ...offence })),
  );
}

/** A rule that is checked for each import. */
function forImports(name: string, breaks: (source: Source, imported: Import) => boolean): Rule {
  return {
    name,
    find: (source) =>
      source.imports
        .filter((imported) => breaks(source, imported))
        .map(({ line, specifier }) => ({ line, detail: specifier })),
  };
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\/src\//.exec(path)?.[1];
}

/** `kernel` for `packages/server/src/kernel/database/db.ts`, `app.ts` for `packages/server/src/app.ts`. */
function partOf(path: string): string | undefined {
  return /^packages\/server\/src\/([^/]+)/.exec(path)?.[1];
}

/** `streams` for `packages/minidump/src/streams/threads.ts`, `process.ts` for `packages/minidump/src/process.ts`. */
function layerOf({ root }: Layers, path: string): string | undefined {
  return path.startsWith(root) ? path.slice(root.length).split('/', 1)[0] : undefined;
}

function isWing(part: string | undefined): part is string {
  return part !== undefined && WINGS.includes(part);
}

/** `people/games` for `packages/server/src/people/games/games.ts`. */
export function featureOf(path: string): string | undefined {
  const [, wing, feature] = /^packages\/server\/src\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  return isWing(wing) ? `${wing}/${feature}` : undefined;
}

function serverLayerOf(part: string): number {
  return SERVER_LAYERS.findIndex((parts) => parts.includes(part));
}

function depthOf({ layers }: Layers, layer: string): number {
  return layers.findIndex((names) => names.includes(layer));
}

function isListed(path: string): boolean {
  const part = partOf(path);
  const isInLayer = LAYERED.every((layers) => {
    const layer = layerOf(layers, path);
    return layer === undefined || depthOf(layers, layer) >= 0;
  });
  const isInFeature = !isWing(part) || featureOf(path) !== undefined;
  const isKnown = PACKAGES[packageOf(path) ?? ''] !== undefined && isInLayer && isInFeature;
  return isKnown && (part === undefined || serverLayerOf(part) >= 0);
}

/** The front doors are named like the folder: `games.ts`, and `games.sql.ts` with its SQL. */
function isFrontDoor(target: string): boolean {
  const name = featureOf(target)?.split('/')[1];
  const inside = target.split('/').slice(5).join('/');
  return inside === `${name}.ts` || inside === `${name}.sql.ts`;
}
