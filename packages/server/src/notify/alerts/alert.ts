// The kinds of alerts: what is stored about each, and the rules of a game that has not changed them.
import type { ALERT_TIMINGS, AlertKind } from '@chauffeur/contract/operations/alerts';
import type { Band } from '@chauffeur/contract/operations/health';
import type { GuardName } from '@chauffeur/contract/rollout-plan';

export type { AlertKind };

/** What is known about a crash when its alert is raised, so that members can decide what to do about it. */
export type CrashFacts = {
  /** The newest report. */
  readonly crash_id: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  readonly reason: string | null;
  /** The innermost functions of the game's own code, such as `Door::open (door.cc:14)`. */
  readonly functions: readonly string[];
  /** The reports since `since` (ISO 8601), and the distinct devices that sent them. */
  readonly reports: number;
  readonly devices: number;
  readonly since: string;
  /** Whether there are more reports than were counted. */
  readonly is_cut: boolean;
  /** The newest message of a player; null if there is none. */
  readonly user_message: string | null;
  /** The newest report with an image; null if there is none. */
  readonly picture_crash_id: string | null;
};

/** What is known about a bug when its ticket is filed. */
export type BugFacts = {
  /** Null if the player did not name a build. */
  readonly build: Omit<OfBuild, 'build_id'> | null;
  /** What the player was doing, in their words; null if they didn't say. */
  readonly steps: string | null;
  /** How many pictures the player is sending. They arrive after the ticket. */
  readonly screenshots: number;
};

/** `crash` is missing in alerts that were raised by version 0.3 or older, and in floods of alerts. */
type OfGroup = { readonly group_id: string; readonly title: string; readonly crash?: CrashFacts };
type OfBuild = { readonly build_id: string; readonly version: string; readonly os: string; readonly arch: string };

/** What happened to a rollout without anyone's doing, with the figures of the guards and the groups responsible. */
type RolloutFacts = {
  readonly rollout_id: string;
  readonly version: string;
  readonly channel: string;
  /** The percentage of devices that were offered it. */
  readonly share: number;
  /** waiting: too few devices to decide. unfinished: the version has no clean file anymore. */
  readonly what: 'paused' | 'aborted' | 'waiting' | 'unfinished';
  readonly guards: readonly {
    readonly guard: GuardName;
    /** The devices that are fine, of those with the version and those with the current one. */
    readonly good: number;
    readonly devices: number;
    readonly base_good: number;
    readonly base_devices: number;
    readonly needed: number;
  }[];
  readonly groups: readonly {
    readonly group_id: string;
    readonly title: string;
    readonly devices: number;
    readonly base_devices: number;
  }[];
};

/** The counts of a week, with which the next summary compares its counts. */
type WeekCounts = {
  readonly reports: number;
  /** The number of distinct devices of each build, and how many of them crashed. */
  readonly devices: number;
  readonly crashed_devices: number;
  readonly downloads: number;
};

/** What happened to a game in the seven days from `first_day` (UTC). */
export type WeeklySummary = WeekCounts & {
  readonly first_day: string;
  readonly new_groups: number;
  readonly fixed_groups: number;
  /** The groups with the most reports, most first. */
  readonly top_groups: readonly (OfGroup & { readonly reports: number })[];
  /** The shares of the devices of the last day that used a version, from 0 to 1, the most used first. */
  readonly adoption: readonly { readonly version: string; readonly share: number }[];
  /**
   * The sessions of builds of which only those of Sentry's SDKs are known, and their versions, those with the most
   * sessions first. Missing in summaries of version 0.3 or older.
   */
  readonly only_sessions?: {
    readonly sessions: number;
    readonly crashes: number;
    readonly versions: readonly string[];
    readonly version_count: number;
  };
  /** The week before; null if it has no summary. */
  readonly before: WeekCounts | null;
};

/** What is stored about an alert of each kind. Messages are made from it. */
export type AlertData = {
  new_group: OfGroup;
  regression: OfGroup & { readonly fixed_in_version: string | null };
  snooze_ended: OfGroup;
  /** Reports in the last hour, and on average in the hours before. */
  spike: OfGroup & { readonly reports: number; readonly usual: number };
  /** The group of the crash is missing in alerts of version 0.3 or older. */
  first_crash: OfBuild & Partial<OfGroup>;
  /** A group of errors that the game handled. */
  new_error_group: OfGroup;
  health_dropped: OfBuild & { readonly from: Band; readonly to: Band };
  rollout: RolloutFacts;
  new_bug: {
    readonly bug_id: string;
    readonly message: string;
    readonly filed_by: string;
    /** Missing in alerts of version 0.3 or older. */
    readonly bug?: BugFacts;
  };
  /** The upload was a file of a build, or a video. */
  upload_rejected: (OfBuild | { readonly video_id: string }) & { readonly filename: string; readonly detail: string };
  /** `storage` and `crash_files` in bytes. The limits of crash reports and their files are for a UTC day. */
  quota_low: {
    readonly quota: 'storage' | 'crash_reports' | 'crash_files';
    readonly used: number;
    readonly limit: number;
  };
  weekly_summary: WeeklySummary;
};

export type Alert = {
  [Kind in AlertKind]: {
    readonly kind: Kind;
    /** What the alert is about. The same subject causes only one alert at a time. Empty for the game. */
    readonly subject: string;
    readonly happenedAt: Date;
    readonly data: AlertData[Kind];
  };
}[AlertKind];

export type Rule = {
  readonly send: (typeof ALERT_TIMINGS)[number];
  /** Hours in which a subject causes at most one alert. */
  readonly repeatHours: number;
  readonly mutedUntil: Date | null;
};

const rule = (send: Rule['send'], repeatHours = 24): Rule => ({ send, repeatHours, mutedUntil: null });

/** The rules of a game that has not changed them. Alerts that can wait until tomorrow are in the digest. */
export const DEFAULT_RULES: Readonly<Record<AlertKind, Rule>> = {
  new_group: rule('now'),
  regression: rule('now'),
  snooze_ended: rule('now'),
  spike: rule('now'),
  first_crash: rule('digest'),
  new_error_group: rule('digest'),
  health_dropped: rule('now'),
  rollout: rule('now', 1),
  new_bug: rule('digest'),
  upload_rejected: rule('now'),
  quota_low: rule('now'),
  weekly_summary: rule('digest'),
};
