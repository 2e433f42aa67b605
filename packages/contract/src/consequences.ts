// Says what a change means for players, before it is done: the website’s dialogs, the mails and the pages of approvals in the same words.
import { type PlatformWords, sayPlatform } from './platform-words.ts';

type Offered = { readonly build_id: string; readonly version: string };
type Current = Offered & { readonly expired: boolean; readonly expires_at: string | null };
export type GameVisibility = 'public' | 'invisible' | 'draft';

export type Promotion = {
  readonly channel: string;
  readonly build: Offered & PlatformWords;
  /** What the channel points at on the build's platform; undefined where it points at nothing. */
  readonly current: Current | undefined;
  /** Hours until it offers nothing; 0 never. */
  readonly hours: number;
  readonly visibility: GameVisibility;
  readonly now: Date;
  /** A browser knows the reader's time zone, a mail does not. */
  readonly sayTime: (time: Date) => string;
};

const HOUR_MS = 3_600_000;

/** One sentence a line, what changes first. */
export function sayPromotion({ channel, build, current, hours, visibility, now, sayTime }: Promotion): string[] {
  const end = hours > 0 ? sayTime(new Date(now.getTime() + hours * HOUR_MS)) : null;
  return [
    sayStep(channel, build, current),
    ...sayExpiry(current?.build_id === build.build_id ? current : undefined, end),
    sayAudience(channel, visibility),
    `A later build that is uploaded to ${channel} and passes its scan takes its place.`,
  ];
}

function sayStep(channel: string, build: Offered & PlatformWords, current: Current | undefined): string {
  const where = `${channel} on ${sayPlatform(build)}`;
  if (current === undefined) return `${where} offers nothing yet; now it will offer ${build.version}.`;
  if (current.expired)
    return `${where} offers nothing, since ${current.version} expired; now it will offer ${build.version}.`;
  if (current.build_id === build.build_id) return `${where} offers ${build.version} already; only its expiry changes.`;
  return `${where} goes from ${current.version} to ${build.version}.`;
}

function sayExpiry(same: Current | undefined, end: string | null): string[] {
  if (end !== null) return [`From ${end} on it offers nothing there, until it is moved again.`];
  return same?.expires_at == null ? [] : ['It no longer expires.'];
}

export type Rollback = {
  readonly place: PlatformWords & { channel: string; version: string };
  readonly to: { readonly version: string };
  readonly visibility: GameVisibility;
};

export function sayRollback({ place, to, visibility }: Rollback): string[] {
  return [
    `${place.channel} on ${sayPlatform(place)} goes from ${place.version} back to ${to.version}, without an expiry.`,
    sayAudience(place.channel, visibility),
  ];
}

/** Who is offered a channel (docs: Channels). */
const AUDIENCES: Readonly<Record<string, string>> = {
  stable: 'Every player is offered it at once.',
  beta: 'Players who joined the beta are offered it at once.',
  dev: 'Only the game’s owner and admins are offered it.',
};

function sayAudience(channel: string, visibility: GameVisibility): string {
  if (visibility === 'draft') return 'The game is a draft: nobody but its owner and admins is offered anything.';
  return AUDIENCES[channel] ?? 'Whoever has the link of the channel is offered it at once.';
}

export type Deletion = {
  readonly build: { readonly version: string } & PlatformWords;
  /** The channels that offer it now. */
  readonly channels: readonly string[];
  readonly files: number;
  /** Of the files, as a reader takes them in: `1.2 GiB`. */
  readonly size: string;
  readonly symbols: number;
  /** For it, that have not ended. */
  readonly uploads: number;
  readonly crashReports: number;
  /** Devices that sent events with it in the last 30 days. */
  readonly devices: number;
  readonly visibility: GameVisibility;
};

/** One sentence a line, what players lose first. */
export function sayDeletion({ build, visibility, ...lost }: Deletion): string[] {
  return [
    ...lost.channels.map((channel) => sayEmptied(channel, build, visibility)),
    ...(lost.channels.length === 0 ? ['No channel offers it: players see no change.'] : []),
    ...(lost.devices > 0 ? [`${sayMany(lost.devices, 'device')} ran it in the last 30 days.`] : []),
    lost.files === 0
      ? 'It has no files.'
      : `${sayMany(lost.files, 'file')} (${lost.size}) can no longer be downloaded, by anyone.`,
    ...(lost.uploads > 0 ? [`${sayMany(lost.uploads, 'upload')} for it under way will be refused.`] : []),
    ...(lost.symbols > 0
      ? [
          `${sayMany(lost.symbols, 'symbol file')} of it ${lost.symbols === 1 ? 'goes' : 'go'}; what other builds share stays.`,
        ]
      : []),
    ...(lost.crashReports > 0 ? [`${sayMany(lost.crashReports, 'crash report')} of it stay, with its version.`] : []),
    'Copies that players have keep working, but their crash reports and events are refused from then on.',
    'It cannot be undone.',
  ];
}

function sayEmptied(channel: string, build: Deletion['build'], visibility: GameVisibility): string {
  const where = `${channel} on ${sayPlatform(build)}`;
  return `${where} offers nothing from then on, until it is moved: no earlier build takes its place. ${sayLosers(channel, visibility)}`;
}

const LOSERS: Readonly<Record<string, string>> = {
  stable: 'Every player loses the download.',
  beta: 'Players who joined the beta lose the download.',
  dev: 'Only the game’s owner and admins lose it.',
};

function sayLosers(channel: string, visibility: GameVisibility): string {
  if (visibility === 'draft') return 'The game is a draft, so no player is touched.';
  return LOSERS[channel] ?? 'Whoever has the link of the channel loses the download.';
}

const plain = new Intl.NumberFormat('en');

function sayMany(count: number, what: string): string {
  return `${plain.format(count)} ${what}${count === 1 ? '' : 's'}`;
}
