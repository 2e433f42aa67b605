// Puts into words what deleting a game takes, and from whom.
import type { GameVisibility } from '@chauffeur/contract/consequences';
import { sayBytes } from '@chauffeur/contract/sizes';
import type { Holdings } from './game-deletion.sql.ts';

export type DeletedGame = {
  readonly slug: string;
  readonly visibility: GameVisibility;
  readonly reservedDays: number;
};

/** One sentence a line; players first. */
export function describeDeletion(game: DeletedGame, held: Holdings): string[] {
  return [
    ...describePlayers(game, held),
    describeContent(held),
    ...describeReports(held),
    describeIntake(held),
    ...(held.admins > 0 ? [`${count(held.admins, 'admin loses', 'admins lose')} access.`] : []),
    ...(game.visibility === 'draft'
      ? []
      : [`Nobody else can use the address ${game.slug} for ${game.reservedDays} days; you can use it again at once.`]),
    'This cannot be undone.',
  ];
}

function describePlayers({ visibility }: DeletedGame, { beta_members: members, devices }: Holdings): string[] {
  const beta = members > 0 ? [`${count(members, 'player', 'players')} in the beta can no longer get its builds.`] : [];
  if (visibility === 'draft') return ['The game is a draft, so players see no change.', ...beta];
  const played = devices > 0 ? ` ${count(devices, 'device', 'devices')} played it in the last 30 days.` : '';
  return [
    `Players can no longer find, download or play it, and links to its page stop working.${played} Installed copies keep running.`,
    ...beta,
  ];
}

function describeContent({ builds, files, bytes, images, symbols }: Holdings): string {
  const parts = [
    count(builds, 'build', 'builds'),
    `${count(files, 'file', 'files')} (${sayBytes(bytes)})`,
    count(images, 'store image', 'store images'),
    count(symbols, 'symbol file', 'symbol files'),
  ];
  return `Deleted: ${parts.join(', ')}, and the history of channels.`;
}

function describeReports({ crash_reports, bug_tickets, events }: Holdings): string[] {
  if (crash_reports + bug_tickets + events === 0) return [];
  const parts = [
    count(crash_reports, 'crash report', 'crash reports'),
    count(bug_tickets, 'bug ticket', 'bug tickets'),
    count(events, 'event', 'events'),
  ];
  return [`Deleted: ${parts.join(', ')}, with crash groups and launch health.`];
}

function describeIntake({ upload_sessions: sessions }: Holdings): string {
  const cut = sessions > 0 ? ` ${count(sessions, 'upload in progress is', 'uploads in progress are')} cut off.` : '';
  return `Deploy keys stop working, and crash reports and events are refused.${cut}`;
}

const numbers = new Intl.NumberFormat('en-US');

function count(number: number, one: string, many: string): string {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}
