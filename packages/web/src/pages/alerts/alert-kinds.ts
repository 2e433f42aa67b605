// The settings of alerts, and how the website names the kinds of alerts, their timings and the chats.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { ALERT_TIMINGS, AlertKind, DESTINATION_KINDS, getAlerts } from '@chauffeur/contract/operations/alerts';

export type AlertSettings = OutputOf<typeof getAlerts>;

export const KIND_NAMES: Readonly<Record<AlertKind, { readonly name: string; readonly meaning: string }>> = {
  new_group: { name: 'New crash group', meaning: "A crash that hasn't been seen before" },
  regression: { name: 'Regression', meaning: 'A resolved group has a report from a newer build' },
  snooze_ended: { name: 'Snooze ended', meaning: 'A snoozed group is open again' },
  spike: { name: 'Spike', meaning: 'A group gets many more reports in an hour than usual' },
  first_crash: { name: 'First crash of a build', meaning: 'A new build has its first crash report' },
  health_dropped: { name: 'Launch health dropped', meaning: 'The band that players see got worse' },
  new_bug: { name: 'New bug ticket', meaning: 'A player has reported a bug' },
  upload_rejected: { name: 'Upload rejected', meaning: 'The scanner refused a file or a video' },
  quota_low: {
    name: 'Limit nearly reached',
    meaning: "80% of the storage, or of a day's crash reports or crash files, is used",
  },
  weekly_summary: { name: 'Weekly summary', meaning: "Last week's crashes, builds and downloads" },
};

/** Kinds that the same group or build can cause again. The others happen once to each of them. */
export const REPEATED_KINDS: ReadonlySet<AlertKind> = new Set([
  'regression',
  'snooze_ended',
  'spike',
  'health_dropped',
] as const);

type Timing = (typeof ALERT_TIMINGS)[number];

const TIMING_NAMES: Readonly<Record<Timing, string>> = { now: 'Immediately', digest: 'Daily digest', never: 'Never' };
/** What is sent once a week is not daily. */
const WEEKLY_NAMES: Readonly<Record<Timing, string>> = { ...TIMING_NAMES, now: 'On Monday', digest: 'In the digest' };

export function nameTiming(timing: Timing, kind: AlertKind): string {
  return (kind === 'weekly_summary' ? WEEKLY_NAMES : TIMING_NAMES)[timing];
}

export const DESTINATION_NAMES: Readonly<Record<(typeof DESTINATION_KINDS)[number], string>> = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  webhook: 'Webhook',
};
