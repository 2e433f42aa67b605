// The doors between the parts of the house: which file may import which. Ordered named rules over plain data.
import type { Import, Source } from './source.ts';

export type Violation = { readonly path: string; readonly line: number; readonly rule: string; readonly found: string };

type Offence = { readonly line: number; readonly found: string };
type Rule = { readonly name: string; readonly find: (source: Source) => readonly Offence[] };

/** Each package, and those of ours that it may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  minidump: [],
  server: ['contract', 'minidump'],
  cli: ['contract'],
  web: ['contract'],
};

/** The parts of the server from the top down: a part imports itself and those on lower steps. */
const STEPS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['commands'],
  ['app.ts'],
  ['roles.ts'],
  // The registry: it binds the features to what mounts and runs them.
  ['features.ts'],
  ['http', 'mcp', 'worker'],
  ['features'],
  ['kernel'],
  ['config.ts', 'context.ts'],
];

/** Parts that read the settings; all others are given them and import only their type. */
const READS_CONFIG = ['main.ts', 'commands'];
/** Shows them to operators: their names, defaults and explanations. */
const SHOWS_CONFIG = 'packages/server/src/features/operator/settings.ts';

/** The layers of the stackwalker from the top down: one imports itself and those on lower steps. */
const LAYERS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['command.ts'],
  ['walk-with-servers.ts'],
  ['process.ts'],
  ['walker.ts'],
  ['attachments.ts', 'crash.ts', 'text.ts'],
  ['describe.ts'],
  ['unwind', 'reasons', 'signature'],
  ['symbols'],
  ['memory.ts', 'module-map.ts'],
  ['streams'],
  ['minidump.ts'],
  ['contexts'],
  ['report.ts', 'bytes.ts'],
  ['error.ts'],
];

/** Each feature imports only those before it. */
const FEATURES: readonly string[] = [
  'accounts',
  'games',
  'usage',
  'deploy-keys',
  'files',
  'builds',
  'channels',
  'scans',
  'uploads',
  'media',
  'symbols',
  'crashes',
  'events',
  'health',
  'bugs',
  'overview',
  'store',
  'deploy-info',
  'play',
  'agents',
  'credentials',
  'build-deletion',
  'approvals',
  'invitations',
  'game-deletion',
  'operator',
];

type Door = {
  readonly door: RegExp;
  /** The only part that may use it; absent: all may. */
  readonly only?: string;
  readonly reason: string;
};

/** Doors beside a feature’s front door, the file named like its folder. */
const FURTHER_DOORS: readonly Door[] = [
  { door: /^[^/]+\/http\.ts$/, only: 'features.ts', reason: 'the registry mounts what streams bytes' },
  {
    door: /^[^/]+\/([^/]+\/)?[^/]+\.job\.ts$/,
    only: 'features.ts',
    reason: 'the registry tells the worker what runs each job',
  },
  {
    door: /^crashes\/read\/(group-list|similar-groups|stacks|build-symbols|downloads)\.ts$/,
    only: 'features.ts',
    reason: 'no feature asks for groups, stacks and links',
  },
  {
    door: /^crashes\/keep\/remove-game\.ts$/,
    reason: 'a deleted game takes its reports along, whose files only crashes can name',
  },
  {
    door: /^crashes\/receive\/create\.ts$/,
    reason: 'a bug that comes with a dump or a log opens a report, and needs nothing else of them',
  },
  {
    door: /^[^/]+\/jobs\.ts$/,
    only: 'features.ts',
    reason: 'the registry tells the worker which kinds of job there are',
  },
  { door: /^crashes\/groups\/regroup\.ts$/, reason: 'the operator’s command asks for it, and nothing else of crashes' },
  {
    door: /^(store\/(browse|developers)|accounts\/profile)\.ts$/,
    only: 'features.ts',
    reason: 'the registry mounts what nothing else asks',
  },
  { door: /^store\/page-facts\.ts$/, only: 'http', reason: 'the head of a game’s page says what the game is' },
  { door: /^play\/(serve|origin)\.ts$/, only: 'http', reason: 'what is played is files, and has hosts of its own' },
  { door: /^scans\/(zip-directory|blob-bytes)\.ts$/, reason: 'a game is played out of its zip, as the scan read it' },
  {
    door: /^accounts\/oauth\.ts$/,
    reason: 'http and mcp both tell clients where OAuth is found, and whether it is',
  },
  {
    door: /^agents\/(keys|connections|calls)\.ts$/,
    only: 'features.ts',
    reason: 'nothing else asks for what the website shows of agents',
  },
  {
    door: /^accounts\/password\.ts$/,
    reason: 'what cannot be undone asks for the password, and needs nothing else of accounts',
  },
  {
    door: /^approvals\/hand-over\.ts$/,
    reason: 'a transfer hands over what waits, and needs nothing else of approvals',
  },
  { door: /^invitations\/accept\.ts$/, only: 'features.ts', reason: 'nothing else answers invitations' },
  { door: /^channels\/beta\.ts$/, reason: 'the store asks who joined the beta, which needs nothing of channels' },
];

/** The only files that read the environment: one in each program. */
const ENVIRONMENT_READERS: readonly string[] = [
  'packages/server/src/config.ts',
  'packages/cli/src/context.ts',
  'packages/minidump/src/command.ts',
];

const RULES: readonly Rule[] = [
  {
    name: 'every package, part and feature has its place in scripts/imports/rules.ts',
    find: ({ path }) => (hasPlace(path) ? [] : [{ line: 1, found: path }]),
  },
  forImports('contract and minidump import nothing of ours, cli and web only contract', ({ path }, { target }) => {
    const [from, to] = [packageOf(path), packageOf(target)];
    return to !== from && to !== undefined && PACKAGES[from ?? '']?.includes(to) !== true;
  }),
  forImports(
    'a path stays inside its src; another package is imported by its name',
    ({ path }, { specifier, target }) => {
      const home = `packages/${packageOf(path)}`;
      const isPath = specifier.startsWith('.');
      const isInside = target.startsWith(`${home}/src/`) || target === `${home}/package.json`;
      return isPath ? !isInside : packageOf(target) === packageOf(path);
    },
  ),
  forImports('a dependency is imported by its name', (_, { specifier }) => /(^|\/)node_modules\//.test(specifier)),
  forImports('main, commands → app → {http, mcp, worker} → features → kernel', (source, { target, typeOnly }) => {
    const [from, to] = [partOf(source.path), partOf(target)];
    if (from === undefined || to === undefined || from === to) return false;
    // The context is the type of what the kernel's parts make together.
    if (from === 'context.ts' && typeOnly) return to !== 'kernel' && to !== 'config.ts';
    return stepOf(to) <= stepOf(from);
  }),
  forImports('a layer of minidump imports only lower ones', (source, { target }) => {
    const [from, to] = [layerOf(source.path), layerOf(target)];
    return from !== undefined && to !== undefined && from !== to && depthOf(to) <= depthOf(from);
  }),
  forImports('settings are read by the commands alone; others import the type of config.ts', (source, imported) => {
    const from = partOf(source.path);
    const isGiven = from !== undefined && !READS_CONFIG.includes(from) && source.path !== SHOWS_CONFIG;
    return isGiven && partOf(imported.target) === 'config.ts' && !imported.typeOnly;
  }),
  forImports('a feature is entered by its front door', (source, { target }) => {
    const [from, to] = [featureOf(source.path), featureOf(target)];
    return to !== undefined && to !== from && !isDoor(target, partOf(source.path));
  }),
  forImports('a feature imports only features that stand before it', (source, { target }) => {
    const [from, to] = [featureOf(source.path), featureOf(target)];
    return from !== undefined && to !== undefined && FEATURES.indexOf(to) > FEATURES.indexOf(from);
  }),
  {
    name: `the environment is read in ${ENVIRONMENT_READERS.join(', ')} alone`,
    find: ({ path, environmentReads }) =>
      ENVIRONMENT_READERS.includes(path) ? [] : environmentReads.map((line) => ({ line, found: 'process.env' })),
  },
];

/** What breaks a rule, in the order of the rules. */
export function judge(source: Source): Violation[] {
  return RULES.flatMap(({ name, find }) => find(source).map((found) => ({ path: source.path, rule: name, ...found })));
}

/** A rule about single imports. */
function forImports(name: string, breaks: (source: Source, imported: Import) => boolean): Rule {
  return {
    name,
    find: (source) =>
      source.imports
        .filter((imported) => breaks(source, imported))
        .map(({ line, specifier }) => ({ line, found: specifier })),
  };
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\/src\//.exec(path)?.[1];
}

/** `kernel` for `packages/server/src/kernel/db.ts`, `app.ts` for `packages/server/src/app.ts`. */
function partOf(path: string): string | undefined {
  return /^packages\/server\/src\/([^/]+)/.exec(path)?.[1];
}

/** `streams` for `packages/minidump/src/streams/threads.ts`, `process.ts` for `packages/minidump/src/process.ts`. */
function layerOf(path: string): string | undefined {
  return /^packages\/minidump\/src\/([^/]+)/.exec(path)?.[1];
}

function featureOf(path: string): string | undefined {
  return /^packages\/server\/src\/features\/([^/]+)\//.exec(path)?.[1];
}

function stepOf(part: string): number {
  return STEPS.findIndex((parts) => parts.includes(part));
}

function depthOf(layer: string): number {
  return LAYERS.findIndex((layers) => layers.includes(layer));
}

function hasPlace(path: string): boolean {
  const [part, feature, layer] = [partOf(path), featureOf(path), layerOf(path)];
  const isKnown = PACKAGES[packageOf(path) ?? ''] !== undefined && (layer === undefined || depthOf(layer) >= 0);
  return isKnown && (part === undefined || stepOf(part) >= 0) && (feature === undefined || FEATURES.includes(feature));
}

function isDoor(target: string, part: string | undefined): boolean {
  const inside = target.replace('packages/server/src/features/', '');
  const feature = featureOf(target);
  if (inside === `${feature}/${feature}.ts`) return true;
  return FURTHER_DOORS.some(({ door, only }) => door.test(inside) && (only === undefined || only === part));
}
