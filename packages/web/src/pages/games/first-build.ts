// The steps to a game's first build, which of them are done, and the commands for each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameBuilds } from '@chauffeur/contract/operations/builds';
import type { listChannels } from '@chauffeur/contract/operations/channels';

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
/** `now` is the first step that is not done. */
export type StepState = 'done' | 'now' | 'later' | 'failed';
export type Step = { readonly name: StepName; readonly state: StepState };

const STEPS: readonly { name: StepName; isDone: (progress: Progress) => boolean }[] = [
  { name: 'key', isDone: ({ hasKey, build }) => hasKey || build !== null },
  { name: 'registered', isDone: ({ build }) => build !== null },
  { name: 'uploaded', isDone: ({ build }) => build?.file != null },
  { name: 'scanned', isDone: ({ build }) => build?.state === 'ready' },
  { name: 'live', isDone: ({ build, pointers }) => pointers.some(({ build_id }) => build_id === build?.build_id) },
];

export function stepsOf(progress: Progress): Step[] {
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
export function credentialCommands(api: string, key: FreshKey | null): string {
  return [
    `export SERVICE_API_URL=${api}`,
    `export SERVICE_ACCESS_TOKEN=${key?.access_token ?? '…'}`,
    `export SERVICE_SECRET_KEY=${key?.secret_key ?? '…'}`,
  ].join('\n');
}

export function registerCommands(choice: BuildChoice): string {
  const platform = `--os ${choice.os} --arch ${choice.arch}`;
  return [
    `chauffeur genbuild --version ${quote(choice.version)} ${platform}`,
    `chauffeur build --asset build.yml ${platform}`,
  ].join('\n');
}

export function uploadCommands(choice: BuildChoice): string {
  const { version, os, arch, folder } = choice;
  return [
    `chauffeur setfiles --version ${quote(version)} --os ${os} --arch ${arch} --files ${quote(folder)}`,
    'chauffeur addfiles --asset addfiles.yml --wait',
  ].join('\n');
}

/** Quotes a text as one word of a POSIX shell. */
export function quote(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A GitHub Actions workflow that ships a build for each tag. */
export function ciWorkflow(api: string, choice: BuildChoice): string {
  const platform = `--os ${choice.os} --arch ${choice.arch}`;
  return `on:
  push:
    tags: ['*']
jobs:
  ship:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Build the game into ${choice.folder} here.
      - run: |
          chauffeur genbuild --version "$VERSION" ${platform}
          chauffeur build --asset build.yml ${platform} >> "$GITHUB_ENV"
          chauffeur setfiles --version "$VERSION" ${platform} --files ${quote(choice.folder)}
          chauffeur addfiles --asset addfiles.yml --wait
        env:
          VERSION: \${{ github.ref_name }}
          SERVICE_API_URL: ${api}
          SERVICE_ACCESS_TOKEN: \${{ secrets.SERVICE_ACCESS_TOKEN }}
          SERVICE_SECRET_KEY: \${{ secrets.SERVICE_SECRET_KEY }}`;
}
