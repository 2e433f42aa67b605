// The newest bug tickets about a crash group or a report. Without any, the section is left out.
import { listBugTickets } from '@chauffeur/contract/operations/bugs';
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { STATUSES } from '../bugs/bug-status.ts';
import type { OpenGame } from '../games/use-game.ts';

const MAX_TICKETS = 10;

type LinkedTicketsProps = { game: OpenGame; about: { readonly group_id: string } | { readonly crash_id: string } };

export function LinkedTickets({ game, about }: LinkedTicketsProps) {
  const { data } = useQuery({
    ...ask(listBugTickets, { uid: game.game_uid, ...about, limit: MAX_TICKETS }),
    meta: follow('bugs'),
  });
  if (data === undefined || data.bugs.length === 0) return null;
  return (
    <Section title="Bug tickets">
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Bug tickets">
        {data.bugs.map(({ bug_uid: bugUid, number, title, status }) => (
          <Group key={bugUid} component="li" gap="xs">
            <SiteLink to="/dev/$slug/bugs/$bugUid" params={{ slug: game.slug, bugUid }} size="sm">
              {`#${number} ${title}`}
            </SiteLink>
            <StateBadge tone={STATUSES[status].tone}>{STATUSES[status].label}</StateBadge>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
