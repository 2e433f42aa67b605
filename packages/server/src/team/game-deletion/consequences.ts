// What a person sees before deleting a game: its consequences. And whether they typed its name, as a page shows it.
import type { GameVisibility } from '@chauffeur/contract/consequences';
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import type { Holdings } from './game-deletion.sql.ts';

type DeletedGame = {
  readonly slug: string;
  readonly visibility: GameVisibility;
  readonly reservedDays: number;
};

/** Returns one sentence per line. Consequences for players come first. */
export function describeDeletion(game: DeletedGame, holdings: Holdings): string[] {
  return [
    ...describePlayers(game, holdings),
    describeContent(holdings),
    ...describeReports(holdings),
    describeIntake(holdings),
    ...(holdings.admins > 0 ? [`${formatCount(holdings.admins, 'admin loses', 'admins lose')} access.`] : []),
    ...(game.visibility === 'draft'
      ? []
      : [`The address ${game.slug} is reserved for you for ${game.reservedDays} days.`]),
    'This cannot be undone.',
  ];
}

function describePlayers({ visibility }: DeletedGame, { beta_members: members, devices }: Holdings): string[] {
  const beta =
    members > 0 ? [`${formatCount(members, 'player', 'players')} in the beta can no longer get its builds.`] : [];
  if (visibility === 'draft') return ['The game is a draft, so players see no change.', ...beta];
  const played = devices > 0 ? ` ${formatCount(devices, 'device', 'devices')} played it in the last 30 days.` : '';
  return [
    `Players can no longer find, download or play it, and links to its page stop working.${played} Installed copies keep running.`,
    ...beta,
  ];
}

function describeContent({ builds, files, bytes, images, videos, symbols }: Holdings): string {
  const parts = [
    formatCount(builds, 'build', 'builds'),
    `${formatCount(files, 'file', 'files')} (${formatBytes(bytes)})`,
    formatCount(images, 'store image', 'store images'),
    ...(videos > 0 ? [formatCount(videos, 'video', 'videos')] : []),
    formatCount(symbols, 'symbol file', 'symbol files'),
  ];
  return `Deleted: ${parts.join(', ')}, and the channel history.`;
}

function describeReports({ crash_reports, bug_tickets, events }: Holdings): string[] {
  if (crash_reports + bug_tickets + events === 0) return [];
  const parts = [
    formatCount(crash_reports, 'crash report', 'crash reports'),
    formatCount(bug_tickets, 'bug ticket', 'bug tickets'),
    formatCount(events, 'event', 'events'),
  ];
  return [`Deleted: ${parts.join(', ')}, with crash groups and launch health.`];
}

function describeIntake({ upload_sessions: sessions }: Holdings): string {
  const aborted =
    sessions > 0 ? ` ${formatCount(sessions, 'upload in progress is', 'uploads in progress are')} aborted.` : '';
  return `Deploy keys stop working, and crash reports and events are refused.${aborted}`;
}

function formatCount(count: number, singular: string, plural: string): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

/** Ignores differences that are invisible on a page: repeated spaces, and the Unicode composition of letters. */
export function isNameTyped(name: string, typed: string): boolean {
  return normalize(name) === normalize(typed);
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}
