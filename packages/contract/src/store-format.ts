// Formats what pages of developers and operators say about games: systems, links and reports.
import { formatOs } from './format.ts';
import { OSES } from './identity.ts';
import type { GameLinkKind } from './operations/games.ts';
import type { ReportReason } from './operations/moderation.ts';

/** The OS names of these platforms, each once, in the order of the contract's list. */
export function listOsNames(platforms: readonly { os: string }[]): string[] {
  const oses = new Set(platforms.map(({ os }) => os));
  return OSES.filter((os) => oses.has(os)).map(formatOs);
}

const LINK_NAMES: Readonly<Record<GameLinkKind, string>> = {
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
export function formatLinkKind(kind: GameLinkKind): string {
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
