// The latest messages that players wrote when the game crashed.
import { Text } from '@mantine/core';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import type { ListedReport } from './use-reports.ts';

const MAX_MESSAGES = 3;
const MAX_LENGTH = 280;

export function PlayerMessages({ slug, reports }: { slug: string; reports: readonly ListedReport[] }) {
  const withMessage = reports.filter(({ user_message: message }) => message.trim() !== '');
  return (
    <section aria-label="Player messages">
      <Text size="sm" c="dimmed" mb={4}>
        Player messages
      </Text>
      {withMessage.length === 0 && <Text size="sm">{formatNone(reports.length)}</Text>}
      <ul className={classes.words}>
        {withMessage.slice(0, MAX_MESSAGES).map((report) => (
          <li key={report.crash_id}>
            <blockquote>“{shortenMessage(report.user_message)}”</blockquote>
            <Text size="sm" c="dimmed">
              {report.version},{' '}
              <SiteLink to="/dev/$slug/crashes/reports/$crashId" params={{ slug, crashId: report.crash_id }} size="sm">
                <Time at={report.received_at} />
              </SiteLink>
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}

function formatNone(reports: number): string {
  if (reports === 0) return 'None yet.';
  return reports === 1 ? 'None in the latest report.' : `None in the latest ${reports} reports.`;
}

function shortenMessage(message: string): string {
  return message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
}
