// What players wrote when it happened to them, as text.
import { Text } from '@mantine/core';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import type { ListedReport } from './ReportRows.tsx';

const SHOWN = 3;
const LONGEST = 280;

export function PlayersWords({ slug, reports }: { slug: string; reports: readonly ListedReport[] }) {
  const told = reports.filter(({ user_message: words }) => words.trim() !== '');
  return (
    <section aria-label="What players said">
      <Text size="sm" c="dimmed" mb={4}>
        What players said
      </Text>
      {told.length === 0 && (
        <Text size="sm">
          {reports.length === 0
            ? 'Nothing yet.'
            : `Nothing in the newest ${reports.length === 1 ? 'report' : `${reports.length} reports`}.`}
        </Text>
      )}
      <ul className={classes.words}>
        {told.slice(0, SHOWN).map(({ crash_id: crashId, user_message: words, version, received_at: at }) => (
          <li key={crashId}>
            <blockquote>“{words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words}”</blockquote>
            <Text size="sm" c="dimmed">
              {version},{' '}
              <SiteLink to="/dev/$slug/crashes/reports/$crashId" params={{ slug, crashId }} size="sm">
                <Time at={at} />
              </SiteLink>
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
