// Formats the line under a download: its scan result and where it came from.
import { formatDay } from '../../ui/format.ts';

const thisYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export type Origin =
  | { readonly type: 'deploy_key'; readonly key_ref: string }
  | { readonly type: 'cli_login'; readonly key_ref: string; readonly user: string }
  | { readonly type: 'website'; readonly user: string };

type Scanned = {
  readonly origin: Origin;
  readonly scanned_at: string;
  readonly file: { readonly status: string; readonly message: string };
};

/** `Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4`. Only a clean scan shows its date. */
export function formatBadge({ file, origin, scanned_at }: Scanned, now: Date): string {
  const day = file.status === 'clean' ? `, ${formatScanDay(new Date(scanned_at), now)}` : '';
  return `${file.message}${day} · ${formatOrigin(origin)}`;
}

/** `Deploy key a1b2c3d4`. */
export function formatSource(origin: Origin): string {
  if (origin.type === 'deploy_key') return `Deploy key ${origin.key_ref}`;
  return origin.type === 'cli_login'
    ? `Chauffeur command, by ${origin.user} (login ${origin.key_ref})`
    : `Website, by ${origin.user}`;
}

function formatOrigin(origin: Origin): string {
  if (origin.type === 'deploy_key') return `uploaded with deploy key ${origin.key_ref}`;
  return origin.type === 'cli_login' ? `uploaded by ${origin.user}` : `uploaded on the website by ${origin.user}`;
}

/** The year is shown only if it isn't the current one. */
function formatScanDay(day: Date, now: Date): string {
  return day.getFullYear() === now.getFullYear() ? thisYear.format(day) : formatDay(day);
}
