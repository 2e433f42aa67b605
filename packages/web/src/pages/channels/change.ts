// Says what a move of a channel changes for players, before it is done.
import { type PlatformWords, sayPlatform } from '../../ui/platforms.ts';
import { sayExactTime } from '../../ui/say.ts';

type Offered = { readonly build_id: string; readonly version: string };
type Current = Offered & { readonly expired: boolean; readonly expires_at: string | null };
type Visibility = 'public' | 'invisible' | 'draft';

export type Promotion = {
  readonly channel: string;
  readonly build: Offered & PlatformWords;
  /** What the channel points at on the build's platform; undefined before its first move there. */
  readonly current: Current | undefined;
  /** Hours until it offers nothing; 0 never. */
  readonly hours: number;
  readonly visibility: Visibility;
  readonly now: Date;
};

const HOUR_MS = 3_600_000;

/** One sentence a line, what changes first. */
export function sayPromotion({ channel, build, current, hours, visibility, now }: Promotion): string[] {
  return [
    sayStep(channel, build, current),
    ...sayExpiry(current?.build_id === build.build_id ? current : undefined, hours, now),
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

function sayExpiry(same: Current | undefined, hours: number, now: Date): string[] {
  if (hours > 0) {
    const end = new Date(now.getTime() + hours * HOUR_MS);
    return [`From ${sayExactTime(end)} on it offers nothing there, until it is moved again.`];
  }
  return same?.expires_at == null ? [] : ['It no longer expires.'];
}

export type Rollback = {
  readonly place: PlatformWords & { channel: string; version: string };
  readonly to: { readonly version: string };
  readonly visibility: Visibility;
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

function sayAudience(channel: string, visibility: Visibility): string {
  if (visibility === 'draft') return 'The game is a draft: nobody but its owner and admins is offered anything.';
  return AUDIENCES[channel] ?? 'Whoever has the link of the channel is offered it at once.';
}

/** Hours from `now` to an expiry, at least the shortest that can be asked for; 0 for none. */
export function hoursUntil(expiresAt: string | null, now: Date): number {
  if (expiresAt === null) return 0;
  return Math.max(0.01, (new Date(expiresAt).getTime() - now.getTime()) / HOUR_MS);
}
