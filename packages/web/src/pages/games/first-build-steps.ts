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

export type BuildChoice = { version: string; os: string; arch: string; folder: string };
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

export function pushCommand({ version, os, arch, folder }: BuildChoice, shell: Shell): string {
  return `chauffeur push ${quoteFolder(folder, shell)} --version ${quote(version, shell)} --os ${os} --arch ${arch}`;
}

/**
 * Formats the folder without a separator at its end, which would escape the quote of a Windows shell. In bash, `~` is
 * the home folder.
 */
function quoteFolder(folder: string, shell: Shell): string {
  const path = folder.trim().replace(/(?<=[^\\/:])[\\/]+$/, '');
  if (shell === 'sh' && path.startsWith('~/')) return `~/${quote(path.slice(2), shell)}`;
  return quote(path, shell);
}

/** A GitHub Actions workflow that ships a build for each tag. */
export function ciWorkflow(site: string, { os, arch, folder }: BuildChoice): string {
  return `on:
  push:
    tags: ['*']
jobs:
  ship:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Build the game into ${folder} here.
      - run: |
          curl -fsSL ${site}/cli/install.sh | sh
          export PATH="$CHAUFFEUR_INSTALL_DIR:$PATH"
          chauffeur push ${quoteFolder(folder, 'sh')} --version "$VERSION" --os ${os} --arch ${arch}
        env:
          VERSION: \${{ github.ref_name }}
          CHAUFFEUR_INSTALL_DIR: \${{ runner.temp }}/chauffeur
          SERVICE_API_URL: ${site}/api/v1
          SERVICE_ACCESS_TOKEN: \${{ secrets.SERVICE_ACCESS_TOKEN }}
          SERVICE_SECRET_KEY: \${{ secrets.SERVICE_SECRET_KEY }}`;
}

/**
 * A GitLab CI job that ships a build for each tag. The command is a block, in which no character is special to YAML.
 */
export function gitlabJob(site: string, { os, arch, folder }: BuildChoice): string {
  return `ship:
  rules:
    - if: $CI_COMMIT_TAG
  variables:
    SERVICE_API_URL: ${site}/api/v1
    CHAUFFEUR_INSTALL_DIR: $CI_PROJECT_DIR/.chauffeur
  script:
    # Build the game into ${folder} here.
    - curl -fsSL ${site}/cli/install.sh | sh
    - export PATH="$CHAUFFEUR_INSTALL_DIR:$PATH"
    - |
      chauffeur push ${quoteFolder(folder, 'sh')} --version "$CI_COMMIT_TAG" --os ${os} --arch ${arch}`;
}
