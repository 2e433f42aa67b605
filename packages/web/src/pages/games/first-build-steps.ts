// The steps to a game's first build, which of them are done, and the commands for each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameBuilds } from '@chauffeur/contract/operations/builds';
import type { listChannels } from '@chauffeur/contract/operations/channels';
import { assign, quote, type Shell } from '@chauffeur/contract/shell';

export type PendingBuild = Pick<
  OutputOf<typeof listGameBuilds>['builds'][number],
  'build_id' | 'version' | 'channel' | 'state' | 'file'
>;
type Pointer = Pick<OutputOf<typeof listChannels>['channels'][number], 'channel' | 'build_id'>;

export type Progress = {
  readonly hasKey: boolean;
  /** The newest build; null before the first one. */
  readonly build: PendingBuild | null;
  readonly pointers: readonly Pointer[];
};

type StepName = 'key' | 'registered' | 'uploaded' | 'scanned' | 'live';
/** The state of a step. `now` is that of the first step that is not done. */
export type StepState = 'done' | 'now' | 'later' | 'failed';
export type FirstBuildStep = { readonly name: StepName; readonly state: StepState };

const STEPS: readonly { name: StepName; isDone: (progress: Progress) => boolean }[] = [
  { name: 'key', isDone: ({ hasKey, build }) => hasKey || build !== null },
  { name: 'registered', isDone: ({ build }) => build !== null },
  { name: 'uploaded', isDone: ({ build }) => build?.file != null },
  { name: 'scanned', isDone: ({ build }) => build?.state === 'ready' },
  { name: 'live', isDone: ({ build, pointers }) => pointers.some(({ build_id }) => build_id === build?.build_id) },
];

export function stepsOf(progress: Progress): FirstBuildStep[] {
  const done = STEPS.map(({ isDone }) => isDone(progress));
  const next = done.indexOf(false);
  return STEPS.map(({ name }, index) => {
    if (index < next || next === -1) return { name, state: 'done' };
    if (index > next) return { name, state: 'later' };
    return { name, state: name === 'scanned' && progress.build?.state === 'rejected' ? 'failed' : 'now' };
  });
}

export type Engine = 'unity' | 'unreal' | 'godot' | 'c' | 'electron' | 'web' | 'other';

export type BuildChoice = { version: string; os: string; arch: string; engine: Engine; folder: string };

/** The file from which games of an engine read the id of their build, as in the guides. */
export function idFileOf({ engine, folder }: Pick<BuildChoice, 'engine' | 'folder'>): string {
  // A web game has no step in which the file is added.
  if (engine === 'web') return `${trimFolder(folder)}/chauffeur.json`;
  return ID_FILES[engine];
}

const ID_FILES: Readonly<Record<Exclude<Engine, 'web'>, string>> = {
  unity: 'Assets/ChauffeurBuild.cs',
  unreal: 'Config/DefaultEngine.ini',
  godot: 'project.godot',
  c: 'src/chauffeur_build.h',
  electron: 'chauffeur.json',
  other: 'chauffeur.json',
};

/** A key that was just created. Its secret is shown only once. */
export type FreshKey = { access_token: string; secret_key: string };

/** Sets the credentials of the CLI. If the secret is no longer known, `…` is in its place. */
export function credentialCommands(api: string, key: FreshKey | null, shell: Shell): string {
  return [
    assign('SERVICE_API_URL', api, shell),
    assign('SERVICE_ACCESS_TOKEN', key?.access_token ?? '…', shell),
    assign('SERVICE_SECRET_KEY', key?.secret_key ?? '…', shell),
  ].join('\n');
}

export function buildCommand(choice: BuildChoice, shell: Shell): string {
  return formatBuild(choice, quote(choice.version, shell), shell);
}

function formatBuild(choice: BuildChoice, version: string, shell: Shell): string {
  const { os, arch } = choice;
  return `chauffeur build --version ${version} --os ${os} --arch ${arch} --write ${quotePath(idFileOf(choice), shell)}`;
}

export function pushCommand(choice: BuildChoice, shell: Shell): string {
  return formatPush(choice, quote(choice.version, shell), shell);
}

function formatPush({ os, arch, folder }: BuildChoice, version: string, shell: Shell): string {
  return `chauffeur push ${quotePath(trimFolder(folder), shell)} --version ${version} --os ${os} --arch ${arch}`;
}

/** The folder without a separator at its end, which would escape the quote of a Windows shell. */
function trimFolder(folder: string): string {
  return folder.trim().replace(/(?<=[^\\/:])[\\/]+$/, '');
}

/** In bash, `~` is the home folder. */
function quotePath(path: string, shell: Shell): string {
  if (shell === 'sh' && path.startsWith('~/')) return `~/${quote(path.slice(2), shell)}`;
  return quote(path, shell);
}

/** A GitHub Actions workflow that ships a build for each tag. */
export function ciWorkflow(site: string, choice: BuildChoice): string {
  // Only these two steps have the secrets, and not what compiles the game.
  const env = `        env:
          VERSION: \${{ github.ref_name }}
          SERVICE_API_URL: ${site}/api/v1
          SERVICE_ACCESS_TOKEN: \${{ secrets.SERVICE_ACCESS_TOKEN }}
          SERVICE_SECRET_KEY: \${{ secrets.SERVICE_SECRET_KEY }}`;
  return `on:
  push:
    tags: ['*']
jobs:
  ship:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Register the build
        run: |
          curl -fsSL ${site}/cli/install.sh | CHAUFFEUR_INSTALL_DIR="$RUNNER_TEMP/chauffeur" sh
          echo "$RUNNER_TEMP/chauffeur" >> "$GITHUB_PATH"
          export PATH="$RUNNER_TEMP/chauffeur:$PATH"
          ${formatBuild(choice, '"$VERSION"', 'sh')}
${env}
      # Compile the game into ${choice.folder} here.
      - name: Push the build
        run: |
          ${formatPush(choice, '"$VERSION"', 'sh')}
${env}`;
}

/**
 * A GitLab CI job that ships a build for each tag. The command is a block, in which no character is special to YAML.
 */
export function gitlabJob(site: string, choice: BuildChoice): string {
  return `ship:
  rules:
    - if: $CI_COMMIT_TAG
  variables:
    SERVICE_API_URL: ${site}/api/v1
    CHAUFFEUR_INSTALL_DIR: $CI_PROJECT_DIR/.chauffeur
  script:
    - curl -fsSL ${site}/cli/install.sh | sh
    - export PATH="$CHAUFFEUR_INSTALL_DIR:$PATH"
    - |
      ${formatBuild(choice, '"$CI_COMMIT_TAG"', 'sh')}
    # Compile the game into ${choice.folder} here.
    - |
      ${formatPush(choice, '"$CI_COMMIT_TAG"', 'sh')}`;
}
