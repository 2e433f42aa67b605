// Formats what pages in English say about downloads and games: platforms, scan results, origins and days. Public pages are
// in the visitor's language, and have texts of their own.
import { formatOs } from './format.ts';
import { OSES } from './identity.ts';
import type { LinkKind } from './operations/games.ts';
import type { ReportReason } from './operations/moderation.ts';

type Origin =
  | { readonly type: 'deploy_key'; readonly key_ref: string }
  | { readonly type: 'cli_login'; readonly key_ref: string; readonly user: string }
  | { readonly type: 'website'; readonly user: string };

type Scanned = {
  readonly origin: Origin;
  readonly scanned_at: string;
  readonly file: { readonly status: string; readonly message: string };
};

/**
 * `Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4`. Only a clean scan shows its date.
 */
export function formatBadge({ file, origin, scanned_at }: Scanned, now: Date): string {
  const day = file.status === 'clean' ? `, ${formatRecentDay(new Date(scanned_at), now)}` : '';
  return `${file.message}${day} · ${formatOrigin(origin)}`;
}

function formatOrigin(origin: Origin): string {
  if (origin.type === 'deploy_key') return `uploaded with deploy key ${origin.key_ref}`;
  return origin.type === 'cli_login' ? `uploaded by ${origin.user}` : `uploaded on the website by ${origin.user}`;
}

/** `3 Nov`, or with its year if that isn't the current one. */
function formatRecentDay(day: Date, now: Date): string {
  const format = (time: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', options).format(time);
  const isThisYear = format(day, { year: 'numeric' }) === format(now, { year: 'numeric' });
  return format(day, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
}

const PROCESSORS: Readonly<Record<string, string>> = {
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
  arm32: 'ARM 32-bit',
  arm: 'ARM',
  universal: 'all processors',
};

const APPLE_PROCESSORS: Readonly<Record<string, string>> = { x86_64: 'Intel', arm64: 'Apple silicon' };

/** `Windows 64-bit`, `macOS Apple silicon`, or just `Browser`, where the processor doesn't matter. */
export function formatFriendlyPlatform({ os, arch }: { os: string; arch: string }): string {
  if (os === 'web') return formatOs(os);
  const processor = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch] ?? arch;
  return `${formatOs(os)} ${processor}`;
}

/** The OS names of these platforms, each once, in the order of the contract's list. */
export function listOsNames(platforms: readonly { os: string }[]): string[] {
  const oses = new Set(platforms.map(({ os }) => os));
  return OSES.filter((os) => oses.has(os)).map(formatOs);
}

const LINK_NAMES: Readonly<Record<LinkKind, string>> = {
  website: 'Website',
  source: 'Source code',
  community: 'Community',
  support: 'Support',
  wiki: 'Wiki',
  news: 'News',
  soundtrack: 'Soundtrack',
  privacy: 'Privacy policy',
};

/** What a link of a game leads to. */
export function formatLinkKind(kind: LinkKind): string {
  return LINK_NAMES[kind];
}

const REASON_NAMES: Readonly<Record<ReportReason, string>> = {
  malware: 'It contains malware',
  stolen: "It uses someone else's work",
  illegal: 'It is illegal',
  hateful: 'It is hateful or harassing',
  misleading: 'It is misleading, or a scam',
  spam: 'It is spam',
  other: 'Something else',
};

/** Why a page was reported. */
export function formatReportReason(reason: ReportReason): string {
  return REASON_NAMES[reason];
}
