// Describes what a change means for players before it is made. The website, the emails and the approval page use the
// same sentences.
import { formatBytes, formatNumber, formatPlatform } from './format.ts';
import type { Platform } from './identity.ts';
import { ownValue } from './own-value.ts';
import { formatSteps, type RolloutStep } from './rollout-plan.ts';

type Offered = { readonly build_id: string; readonly version: string };
type Current = Offered & { readonly expired: boolean; readonly expires_at: string | null };
export type GameVisibility = 'public' | 'invisible' | 'draft';

export type Promotion = {
  readonly channel: string;
  readonly build: Offered & Platform;
  /** What the channel offers on the build's platform now; undefined if nothing. */
  readonly current: Current | undefined;
  /** Hours until the promotion expires; 0 for never. */
  readonly hours: number;
  readonly visibility: GameVisibility;
  readonly now: Date;
  /** Passed in because a browser knows the reader's time zone and an email does not. */
  readonly formatTime: (time: Date) => string;
};

const HOUR_MS = 3_600_000;

/** One sentence per line, the main change first. */
export function describePromotion(promotion: Promotion): string[] {
  const { channel, build, current, hours, visibility, now, formatTime } = promotion;
  const expiry = hours > 0 ? formatTime(new Date(now.getTime() + hours * HOUR_MS)) : null;
  if (isOffered(promotion)) return [describeSame(promotion), ...describeExpiry(current, expiry)];
  return [
    describeMove(channel, build, current),
    ...describeExpiry(undefined, expiry),
    describeAudience(channel, visibility),
    `The next build uploaded to ${channel} replaces it once it passes its scan.`,
  ];
}

export type VersionPromotion = Omit<Promotion, 'build' | 'current'> & {
  /** The build for each platform, and what the channel offers there now. */
  readonly builds: readonly Pick<Promotion, 'build' | 'current'>[];
};

/** One sentence per line: what changes on each platform, and then what is the same for several. */
export function describeVersionPromotion({ builds, ...promotion }: VersionPromotion): string[] {
  return joinConsequences(builds.map((build) => describePromotion({ ...promotion, ...build })));
}

/** The first sentence of each change, and then each of the others once. */
function joinConsequences(changes: readonly (readonly string[])[]): string[] {
  return [...changes.flatMap(([first = '']) => first), ...new Set(changes.flatMap(([, ...others]) => others))];
}

type Offer = Pick<Promotion, 'build' | 'current' | 'hours'>;

/** Whether the channel already offers the build, so that at most its expiry changes. */
export function isOffered({ build, current }: Omit<Offer, 'hours'>): boolean {
  return current !== undefined && current.build_id === build.build_id && !current.expired;
}

/** Whether the promotion changes nothing at all. */
export function changesNothing(offer: Offer): boolean {
  return isOffered(offer) && offer.hours === 0 && offer.current?.expires_at === null;
}

function describeSame(promotion: Promotion): string {
  const { channel, build } = promotion;
  const change = changesNothing(promotion) ? 'Nothing changes.' : 'Only its expiry changes.';
  return `${channel} on ${formatPlatform(build)} already offers ${build.version}. ${change}`;
}

function describeMove(channel: string, build: Offered & Platform, current: Current | undefined): string {
  const place = `${channel} on ${formatPlatform(build)}`;
  if (current === undefined) return `${place} offers nothing yet and will offer ${build.version}.`;
  if (current.expired)
    return `${place} offers nothing because ${current.version} expired. It will offer ${build.version}.`;
  return `${place} changes from ${current.version} to ${build.version}.`;
}

function describeExpiry(same: Current | undefined, expiry: string | null): string[] {
  if (expiry !== null) return [`It expires on ${expiry}. The channel then offers nothing until a build is promoted.`];
  return same?.expires_at == null ? [] : ['It no longer expires.'];
}

export type Rollback = {
  readonly place: Platform & { channel: string; version: string };
  readonly to: { readonly version: string };
  readonly visibility: GameVisibility;
};

/** One sentence per line, the main change first. */
export function describeRollback({ place, to, visibility }: Rollback): string[] {
  const { channel, version } = place;
  return [
    `${channel} on ${formatPlatform(place)} changes from ${version} back to ${to.version}, without an expiry.`,
    describeAudience(channel, visibility),
  ];
}

/** The same for a rollback of several platforms. */
export function describeRollbacks(rollbacks: readonly Rollback[]): string[] {
  return joinConsequences(rollbacks.map(describeRollback));
}

export type Undoing = {
  readonly place: Platform & { channel: string; version: string };
  /** What the channel offered before the change that is undone; null for nothing. */
  readonly to: { readonly version: string } | null;
  readonly visibility: GameVisibility;
};

/** What undoing a change of several platforms does, one sentence per line. */
export function describeUndoing(undone: readonly Undoing[]): string[] {
  return joinConsequences(
    undone.map(({ place, to, visibility }) =>
      to === null
        ? [`${place.channel} on ${formatPlatform(place)} offers nothing again, instead of ${place.version}.`]
        : [
            `${place.channel} on ${formatPlatform(place)} changes from ${place.version} back to ${to.version}.`,
            describeAudience(place.channel, visibility),
          ],
    ),
  );
}

export type RolloutStart = {
  readonly channel: string;
  readonly version: string;
  /** The versions that the channel offers now. */
  readonly from: readonly string[];
  readonly steps: readonly RolloutStep[];
  readonly visibility: GameVisibility;
};

/** What starting a rollout means, one sentence per line. */
export function describeRollout({ channel, version, from, steps, visibility }: RolloutStart): string[] {
  const [first] = steps;
  const last = steps.at(-1);
  return [
    `${first?.share ?? 0}% of the devices that follow ${channel} are offered ${version} instead of ${from.join(', ')} when their game or launcher looks for updates.`,
    `The steps: ${formatSteps(steps)}.`,
    last?.share === 100
      ? `After the last step, ${version} is promoted on ${channel} unless a guard or a person stops it.`
      : `It stays at ${last?.share ?? 0}% until someone finishes or aborts it.`,
    `Downloads from the website keep offering ${from.join(', ')} until then.`,
    ...(visibility === 'draft' ? [describeAudience(channel, visibility)] : []),
  ];
}

type OfRollout = {
  readonly channel: string;
  readonly version: string;
  readonly share: number;
  readonly builds: readonly { readonly base_version: string }[];
};

/** What a change of a rollout means, one sentence per line. `share` is that after the change. */
export function describeRolloutChange(
  { channel, version, share, builds }: OfRollout,
  change: 'pause' | 'resume' | 'share' | 'finish' | 'abort',
  visibility: GameVisibility,
): string[] {
  const from = [...new Set(builds.map(({ base_version }) => base_version))].join(', ');
  switch (change) {
    case 'pause':
      return [`Devices that have ${version} keep it. No others are offered it until you resume the rollout.`];
    case 'resume':
      return [
        `${share}% of the devices that follow ${channel} are offered ${version} again.`,
        'Guards that found it worse no longer stop this rollout.',
      ];
    case 'share':
      return [`${share}% of the devices that follow ${channel} are offered ${version} instead of ${from}.`];
    case 'finish':
      return [
        `${channel} changes from ${from} to ${version} on all platforms of the rollout.`,
        describeAudience(channel, visibility),
      ];
    case 'abort':
      return [
        `All devices are offered ${from} again, even if they have ${version}: it counts as withdrawn.`,
        'An aborted rollout cannot be resumed. You can start another one.',
      ];
  }
}

const AUDIENCES: Readonly<Record<string, string>> = {
  stable: 'It is available to all players immediately.',
  beta: 'It is available to beta members immediately.',
  dev: "It is available only to the game's members.",
};

function describeAudience(channel: string, visibility: GameVisibility): string {
  if (visibility === 'draft') return 'The game is a draft: only its members can download builds.';
  return ownValue(AUDIENCES, channel) ?? 'It is available immediately to anyone with the link to the channel.';
}

export type Deletion = {
  readonly build: { readonly version: string } & Platform;
  /** The channels that offer it now. */
  readonly channels: readonly string[];
  /** The channels on which a rollout offers it. */
  readonly rollouts?: readonly string[];
  readonly files: number;
  /** Total size of the files. */
  readonly bytes: number;
  readonly symbols: number;
  /** Uploads for the build that are still in progress. */
  readonly uploads: number;
  readonly crashReports: number;
  /** Devices that sent events from it in the last 30 days. */
  readonly devices: number;
  readonly visibility: GameVisibility;
};

/** One sentence per line, what players lose first. */
export function describeDeletion(deletion: Deletion): string[] {
  return describeDeletions([deletion]);
}

/** The same for several builds that are deleted together, with the totals of their numbers. */
export function describeDeletions(deletions: readonly Deletion[]): string[] {
  const isOne = deletions.length === 1;
  const [it, has, offers] = isOne
    ? ['this build', 'It has', 'offers it']
    : ['these builds', 'They have', 'offers any of them'];
  const total = (numberOf: (deletion: Deletion) => number) => deletions.reduce((sum, each) => sum + numberOf(each), 0);
  const emptied = deletions.flatMap(({ build, channels, visibility }) =>
    channels.map((channel) => describeEmptied(channel, build, visibility)),
  );
  const rollouts = [...new Set(deletions.flatMap((deletion) => deletion.rollouts ?? []))].map(
    (channel) => `The rollout on ${channel} with ${it} ends, and its devices are offered what ${channel} offers.`,
  );
  const files = total((deletion) => deletion.files);
  const size = formatBytes(total(({ bytes }) => bytes));
  return [
    ...(emptied.length === 0 && rollouts.length === 0
      ? [`No channel ${offers}, so nothing changes for players.`]
      : [...emptied, ...rollouts]),
    ...sentenceFor(
      total(({ devices }) => devices),
      `1 device ran ${it} in the last 30 days.`,
      (count) => `${count} devices ran ${it} in the last 30 days.`,
    ),
    ...(files === 0 ? [`${has} no files.`] : []),
    ...sentenceFor(
      files,
      `1 file (${size}) can no longer be downloaded by anyone.`,
      (count) => `${count} files (${size}) can no longer be downloaded by anyone.`,
    ),
    ...sentenceFor(
      total(({ uploads }) => uploads),
      '1 upload in progress will be rejected.',
      (count) => `${count} uploads in progress will be rejected.`,
    ),
    ...sentenceFor(
      total(({ symbols }) => symbols),
      '1 symbol file is deleted, unless another build shares it.',
      (count) => `${count} symbol files are deleted, except those shared with other builds.`,
    ),
    ...sentenceFor(
      total(({ crashReports }) => crashReports),
      '1 crash report is kept, with the version.',
      (count) => `${count} crash reports are kept, with the version.`,
    ),
    'Installed copies keep working, but their crash reports and events are rejected from then on.',
    'This cannot be undone.',
  ];
}

function describeEmptied(channel: string, build: Deletion['build'], visibility: GameVisibility): string {
  const place = `${channel} on ${formatPlatform(build)}`;
  return `${place} will offer nothing until another build is promoted; no earlier build replaces it. ${describeLoss(channel, visibility)}`;
}

const LOSSES: Readonly<Record<string, string>> = {
  stable: 'All players lose the download.',
  beta: 'Beta members lose the download.',
  dev: "Only the game's members lose the download.",
};

function describeLoss(channel: string, visibility: GameVisibility): string {
  if (visibility === 'draft') return 'The game is a draft, so players are not affected.';
  return ownValue(LOSSES, channel) ?? 'Anyone with the link to the channel loses the download.';
}

/** The sentence for a count, none for 0; `many` gets the formatted count. */
function sentenceFor(count: number, one: string, many: (count: string) => string): string[] {
  if (count === 0) return [];
  return [count === 1 ? one : many(formatNumber(count))];
}
