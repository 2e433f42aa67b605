// The content of a message: a heading, and a line for each alert with a link. The formats of the destinations are made
// from it.
import { formatBytes, formatNumber, formatPercent, formatPlatform } from '@chauffeur/contract/format';
import {
  ALERT_KINDS,
  type AlertAction,
  type AlertKind,
  type MESSAGE_REASONS,
} from '@chauffeur/contract/operations/alerts';
import { PAGES } from '@chauffeur/contract/pages';
import { GUARD_TITLES } from '@chauffeur/contract/rollout-plan';
import { oneLine, plainName, quote } from '../../kernel/email/html-email.ts';
import type { Alert, AlertData, BugFacts, CrashFacts, WeeklySummary } from './alert.ts';

/** A line below another one, such as `Door::open: 301 reports`, with the page about it. */
type Detail = { readonly text: string; readonly path: string };

/** Something that helps to decide, such as the reason of a crash. `path` is the page that has it. */
type Fact = { readonly name: string; readonly text: string; readonly path?: string };

export type Line = {
  readonly kind: AlertKind;
  /** Says what happened, such as `New crash group`. */
  readonly heading: string;
  /** Says what it happened to, on one line. It may contain texts from players and files. */
  readonly text: string;
  /** The page about it, below the public URL. */
  readonly path: string;
  /** Lines below this one. */
  readonly details?: readonly Detail[];
  /** Missing in messages of version 0.3 and older. */
  readonly facts?: readonly Fact[];
  /** ISO 8601. */
  readonly at: string;
  readonly data: Alert['data'];
};

/** What is stored about a message. */
export type Content = {
  readonly lines: readonly Line[];
  /** How many more alerts there are of each kind, for which a message has no room. */
  readonly more: Readonly<Partial<Record<AlertKind, number>>>;
};

/** A link that offers to change what the line is about. */
type ActionLink = { readonly action: AlertAction; readonly label: string; readonly url: string };

type MessageLine = Line & { readonly actions: readonly ActionLink[] };

/** A message to one destination. */
export type Message = Omit<Content, 'lines'> & {
  readonly lines: readonly MessageLine[];
  readonly reason: (typeof MESSAGE_REASONS)[number];
  readonly messageId: string;
  readonly deliveryId: string;
  readonly game: { readonly uid: string; readonly name: string; readonly url: string };
  /** The public URL, without a trailing slash. */
  readonly site: string;
  readonly createdAt: Date;
};

/** A message with more would be longer than some chats allow. */
const MAX_LINES = 20;

const TITLES: Readonly<Record<AlertKind, readonly [one: string, many: string]>> = {
  new_group: ['new crash group', 'new crash groups'],
  regression: ['regressed crash group', 'regressed crash groups'],
  snooze_ended: ['crash group whose snooze ended', 'crash groups whose snooze ended'],
  spike: ['crash group with a spike', 'crash groups with a spike'],
  first_crash: ['build with its first crash', 'builds with their first crash'],
  new_error_group: ['new error group', 'new error groups'],
  health_dropped: ['build with worse launch health', 'builds with worse launch health'],
  rollout: ['rollout that needs attention', 'rollouts that need attention'],
  new_bug: ['new bug ticket', 'new bug tickets'],
  upload_rejected: ['rejected upload', 'rejected uploads'],
  quota_low: ['limit nearly reached', 'limits nearly reached'],
  weekly_summary: ['weekly summary', 'weekly summaries'],
};

/** The content of a message about these alerts. `slug` is that of the game. */
export function contentOf(alerts: readonly Alert[], slug: string): Content {
  const ordered = ALERT_KINDS.flatMap((kind) => alerts.filter((alert) => alert.kind === kind));
  const more: Partial<Record<AlertKind, number>> = {};
  for (const { kind } of ordered.slice(MAX_LINES)) more[kind] = (more[kind] ?? 0) + 1;
  return { lines: ordered.slice(0, MAX_LINES).map((alert) => lineOf(alert, slug)), more };
}

/** The part of a message that is about these kinds of alerts; null for all. */
export function ofKinds({ lines, more }: Content, kinds: readonly AlertKind[] | null): Content {
  if (kinds === null) return { lines, more };
  const isWanted = (kind: string) => kinds.includes(kind as AlertKind);
  return {
    lines: lines.filter(({ kind }) => isWanted(kind)),
    more: Object.fromEntries(Object.entries(more).filter(([kind]) => isWanted(kind))),
  };
}

/** Formats the subject, such as `Owls: 2 new crash groups, 1 new bug ticket`. */
export function subjectOf({ game, reason, ...content }: Pick<Message, 'game' | 'reason'> & Content): string {
  if (reason === 'test') return `${oneLine(game.name)}: test alert`;
  const [only, second] = content.lines;
  const summary =
    only !== undefined && second === undefined && Object.keys(content.more).length === 0
      ? `${only.heading}: ${cut(only.text, 100)}`
      : summaryOf(content);
  return `${oneLine(game.name)}: ${summary}`;
}

/** Formats the number of alerts of each kind, such as `2 new crash groups, 1 new bug ticket`. */
function summaryOf({ lines, more }: Content): string {
  return ALERT_KINDS.map(
    (kind) => [kind, lines.filter((line) => line.kind === kind).length + (more[kind] ?? 0)] as const,
  )
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatNumber(count)} ${TITLES[kind][count === 1 ? 0 : 1]}`)
    .join(', ');
}

/** Formats what has no line, such as `and 980 more new crash groups`. Empty if all alerts have lines. */
export function restOf({ more }: Pick<Content, 'more'>): string {
  const rest = ALERT_KINDS.filter((kind) => more[kind] !== undefined).map(
    (kind) => `${formatNumber(more[kind]!)} more ${TITLES[kind][more[kind] === 1 ? 0 : 1]}`,
  );
  return rest.length === 0 ? '' : `and ${rest.join(', ')}`;
}

/** Fills the path of a page of the game. */
type Page = (path: string, params?: Readonly<Record<string, string>>) => string;

function lineOf(alert: Alert, slug: string): Line {
  const page: Page = (path, params = {}) =>
    Object.entries({ uid: slug, ...params }).reduce(
      (filled, [name, value]) => filled.replace(`:${name}`, () => value),
      path,
    );
  const line = (heading: string, text: string, path: string): Line => ({
    kind: alert.kind,
    heading,
    text: oneLine(text),
    path,
    at: alert.happenedAt.toISOString(),
    data: alert.data,
    ...('crash' in alert.data && { facts: factsOf(alert.data.crash, page) }),
  });
  switch (alert.kind) {
    case 'new_group':
      return line('New crash group', alert.data.title, page(PAGES.crashGroup, { group_id: alert.data.group_id }));
    case 'regression': {
      const { title, fixed_in_version: version } = alert.data;
      const fix = version === null ? 'resolved before' : `fixed in ${version}`;
      return line('Regression', `${title} (${fix})`, page(PAGES.crashGroup, { group_id: alert.data.group_id }));
    }
    case 'snooze_ended':
      return line('Snooze ended', alert.data.title, page(PAGES.crashGroup, { group_id: alert.data.group_id }));
    case 'spike': {
      const { title, reports, usual, group_id } = alert.data;
      const rates = `${formatNumber(reports)} reports within an hour, usually ${formatNumber(usual)}`;
      return line('Spike', `${title}: ${rates}`, page(PAGES.crashGroup, { group_id }));
    }
    case 'first_crash': {
      const { title, group_id, build_id } = alert.data;
      return title === undefined || group_id === undefined
        ? line('First crash', nameOf(alert.data), page(PAGES.build, { build_id }))
        : line('First crash', `${nameOf(alert.data)}: ${title}`, page(PAGES.crashGroup, { group_id }));
    }
    case 'new_error_group':
      return line('New error group', alert.data.title, page(PAGES.crashGroup, { group_id: alert.data.group_id }));
    case 'health_dropped': {
      const { from, to } = alert.data;
      return line('Launch health dropped', `${nameOf(alert.data)}: from ${from} to ${to}`, page(PAGES.health));
    }
    case 'rollout': {
      const { rollout_id, version, channel, share, what, groups } = alert.data;
      const path = page(PAGES.rollout, { rollout_id });
      const { heading, meaning } = ROLLOUTS[what];
      const place = `${version} on ${channel} at ${share}% of devices`;
      return {
        ...line(heading, `${place}: ${meaning}`, path),
        details: [
          ...alert.data.guards.map((guard) => ({ text: formatGuard(guard, what), path })),
          ...groups.map(({ group_id, title, devices, base_devices }) => ({
            text: oneLine(
              `${cut(title, 150)}: ${countOf(devices, 'device')}, ${formatNumber(base_devices)} with the current version`,
            ),
            path: page(PAGES.crashGroup, { group_id }),
          })),
        ],
      };
    }
    case 'new_bug': {
      const { message, filed_by, bug_id, bug } = alert.data;
      const path = page(PAGES.bug, { bug_uid: bug_id });
      return {
        ...line('New bug ticket', `${cut(oneLine(message), 150)} (${oneLine(filed_by)})`, path),
        ...(bug !== undefined && { facts: factsOfBug(bug, path) }),
      };
    }
    case 'upload_rejected': {
      const { data } = alert;
      return 'build_id' in data
        ? line(
            'Upload rejected',
            `${data.filename} of ${nameOf(data)}: ${data.detail}`,
            page(PAGES.build, { build_id: data.build_id }),
          )
        : line('Video rejected', `${data.filename}: ${data.detail}`, page(PAGES.settingsMedia));
    }
    case 'quota_low': {
      const { quota, used, limit } = alert.data;
      const { name, format, consequence } = QUOTAS[quota];
      const percent = Math.min(100, Math.floor((100 * used) / limit));
      const text = `${percent}% of ${name} used, ${format(used)} of ${format(limit)}. ${consequence}`;
      return line('Limit nearly reached', text, page(PAGES.overview));
    }
    case 'weekly_summary': {
      const { first_day, top_groups } = alert.data;
      return {
        ...line('Weekly summary', `the seven days from ${first_day}`, page(PAGES.overview)),
        details: [
          ...summaryLines(alert.data).map(({ text, about }) => ({ text, path: page(PAGES[about]) })),
          ...top_groups.map(({ group_id, title, reports }) => ({
            text: oneLine(`${countOf(reports, 'report')} of ${cut(title, 150)}`),
            path: page(PAGES.crashGroup, { group_id }),
          })),
        ],
      };
    }
  }
}

const ROLLOUTS = {
  paused: { heading: 'Rollout paused', meaning: 'it is worse than the current version' },
  aborted: { heading: 'Rollout aborted', meaning: 'it is worse than the current version' },
  waiting: { heading: 'Rollout waits for devices', meaning: 'too few devices to decide' },
  unfinished: { heading: 'Rollout paused', meaning: 'it has no clean file anymore' },
} as const satisfies Record<AlertData['rollout']['what'], object>;

/** Formats `Crash-free devices: 91% of 120 devices, 98.9% of 2,000 with the current version`. */
function formatGuard(
  { guard, good, devices, base_good, base_devices, needed }: AlertData['rollout']['guards'][number],
  what: AlertData['rollout']['what'],
): string {
  const title = GUARD_TITLES[guard];
  if (what === 'waiting')
    return `${title}: ${countOf(devices, 'device')} and ${formatNumber(base_devices)} with the current version, of ${formatNumber(needed)} each`;
  const rate = (part: number, total: number) => (total === 0 ? 'none' : formatPercent(part / total));
  return `${title}: ${rate(good, devices)} of ${countOf(devices, 'device')}, ${rate(base_good, base_devices)} of ${formatNumber(base_devices)} with the current version`;
}

/**
 * What is known about a crash, as facts on one line each. Players write their messages themselves, so these contain
 * nothing that a program would make a link of.
 */
function factsOf(crash: CrashFacts, page: Page): Fact[] {
  const { reason, functions, user_message: message, picture_crash_id: picture } = crash;
  return [
    { name: 'Build', text: oneLine(nameOf(crash)) },
    ...(reason === null ? [] : [{ name: 'Reason', text: oneLine(reason) }]),
    ...(functions.length === 0 ? [] : [{ name: 'Your code', text: oneLine(functions.join(' ← ')) }]),
    { name: 'Hit', text: formatHits(crash) },
    ...(message === null ? [] : [{ name: 'Player', text: quote(plainName(message)) }]),
    ...(picture === null
      ? []
      : [
          {
            name: 'Picture',
            text: 'Sign in to see it',
            path: page(PAGES.crashReport, { crash_id: picture }),
          },
        ]),
  ];
}

function factsOfBug({ build, steps, screenshots }: BugFacts, path: string): Fact[] {
  return [
    ...(build === null ? [] : [{ name: 'Build', text: oneLine(nameOf(build)) }]),
    ...(steps === null ? [] : [{ name: 'Doing', text: quote(plainName(steps)) }]),
    ...(screenshots === 0 ? [] : [{ name: 'Pictures', text: `${screenshots}, sign in to see them`, path }]),
  ];
}

/** Formats whom a crash hit, such as `12 devices, 40 reports since 12:05 UTC`. */
function formatHits({ reports, devices, since, is_cut: isCut }: CrashFacts): string {
  const counts = [...(devices === 0 ? [] : [countOf(devices, 'device')]), countOf(reports, 'report')].join(', ');
  const [day = '', time = ''] = since.split('T');
  return `${isCut ? 'at least ' : ''}${counts} since ${day} ${time.slice(0, 'HH:MM'.length)} UTC`;
}

const QUOTAS = {
  storage: { name: 'the storage', format: formatBytes, consequence: 'When it is full, uploads fail.' },
  crash_reports: {
    name: "today's crash reports",
    format: formatNumber,
    consequence: 'More are refused until midnight UTC.',
  },
  crash_files: {
    name: "today's dumps and logs",
    format: formatBytes,
    consequence: 'More are refused until midnight UTC.',
  },
} as const satisfies Record<AlertData['quota_low']['quota'], object>;

function nameOf(build: { version: string; os: string; arch: string }): string {
  return `${build.version} for ${formatPlatform(build)}`;
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}

/** `about` is the page that has more about the sentence. */
type SummaryLine = { readonly text: string; readonly about: 'crashes' | 'health' | 'builds' };

/** The sentences of a weekly summary. Leaves out a sentence that would say nothing. */
function summaryLines(summary: WeeklySummary): SummaryLine[] {
  const { reports, new_groups, fixed_groups, devices, crashed_devices, adoption, downloads, before } = summary;
  const lines: (SummaryLine | null)[] = [
    {
      text: `${countOf(reports, 'crash report')}${changeOf(reports, before?.reports)}, ${countOf(new_groups, 'new group')}, ${formatNumber(fixed_groups)} fixed`,
      about: 'crashes',
    },
    devices === 0
      ? null
      : {
          text: `${formatPercent(1 - crashed_devices / devices)} of ${countOf(devices, 'device')} without a crash${
            before === null || before.devices === 0
              ? ''
              : ` (${formatPercent(1 - before.crashed_devices / before.devices)} the week before)`
          }`,
          about: 'health',
        },
    formatOnlySessions(summary),
    adoption.length === 0
      ? null
      : {
          text: `On the last day, ${adoption.map(({ version, share }) => `${formatPercent(share)} played ${version}`).join(', ')}`,
          about: 'health',
        },
    downloads === 0 && (before?.downloads ?? 0) === 0
      ? null
      : { text: `${countOf(downloads, 'download')}${changeOf(downloads, before?.downloads)}`, about: 'builds' },
  ];
  return lines.filter((line) => line !== null);
}

/** Null without builds of which only sessions of Sentry's SDKs are known. */
function formatOnlySessions({ only_sessions: only }: WeeklySummary): SummaryLine | null {
  if (only === undefined || only.sessions === 0) return null;
  const { sessions, crashes, versions, version_count: count } = only;
  const more = count > versions.length ? ` and ${formatNumber(count - versions.length)} more` : '';
  const rate = formatPercent(Math.max(0, sessions - crashes) / sessions);
  return {
    text: `${rate} of ${countOf(sessions, 'session')} of ${versions.join(', ')}${more} without a crash. Launches are unrated: only sessions of Sentry's SDKs are known`,
    about: 'health',
  };
}

/** Formats a number, such as `1 report` and `1,204 reports`. */
function countOf(count: number, one: string): string {
  return `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** Formats a change, such as ` (12% fewer than the week before)`. Empty without a week to compare with. */
function changeOf(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return '';
  const change = Math.round((100 * (now - before)) / before);
  if (change === 0) return ' (as many as the week before)';
  return ` (${formatNumber(Math.abs(change))}% ${change < 0 ? 'fewer' : 'more'} than the week before)`;
}
