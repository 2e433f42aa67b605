// The line under a download with its scan result and origin, which links to the file's record.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { formatBadge } from './badge.ts';
import classes from './ScanLine.module.css';

export type Offer = OutputOf<typeof getPublicGame>['downloads'][number];

export function ScanLine({ offer, slug, now }: { offer: Offer; slug: string; now: Date }) {
  const isClean = offer.file.status === 'clean';
  return (
    <SiteLink
      to="/g/$uid/files/$file_uid"
      params={{ uid: slug, file_uid: offer.file.file_uid }}
      className={classes.line}
      data-clean={isClean}
    >
      {isClean ? <CheckedShield /> : <EmptyShield />}
      <span>{formatBadge(offer, now)}</span>
    </SiteLink>
  );
}

const SHIELD = 'M8 1.5 13.5 3.5v4c0 3.4-2.3 5.8-5.5 7-3.2-1.2-5.5-3.6-5.5-7v-4z';

function CheckedShield() {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHIELD} fill="currentColor" />
      <path d="m5.2 8 2 2 3.6-4" fill="none" stroke="var(--mantine-color-body)" strokeWidth="1.6" />
    </svg>
  );
}

function EmptyShield() {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHIELD} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
