// The line under a download that says whether it was scanned, and who brought it.

const thisYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const otherYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export type Origin =
  | { readonly type: 'deploy_key'; readonly key_ref: string }
  | { readonly type: 'website'; readonly user: string };

type Scanned = {
  readonly origin: Origin;
  readonly scanned_at: string;
  readonly file: { readonly status: string; readonly message: string };
};

/** `Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4`. What nothing scanned has no day of a scan. */
export function sayBadge({ file, origin, scanned_at }: Scanned, now: Date): string {
  const day = file.status === 'clean' ? `, ${saySmallDay(new Date(scanned_at), now)}` : '';
  return `${file.message}${day} · ${sayOrigin(origin)}`;
}

export function sayOrigin(origin: Origin): string {
  return origin.type === 'deploy_key'
    ? `uploaded with deploy key ${origin.key_ref}`
    : `uploaded on the website by ${origin.user}`;
}

function saySmallDay(day: Date, now: Date): string {
  return (day.getFullYear() === now.getFullYear() ? thisYear : otherYear).format(day);
}
