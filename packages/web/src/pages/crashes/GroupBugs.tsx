// The newest bug tickets about a crash group.
import { listBugTickets } from '@chauffeur/contract/operations/bugs';
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { STATUSES } from '../bugs/bug-status.ts';
import type { OpenGame } from '../games/use-game.ts';

const MAX_TICKETS = 10;

/** Nothing if there are none. */
export function GroupBugs({ game, groupId }: { game: OpenGame; groupId: string }) {
  const { data } = useQuery(ask(listBugTickets, { uid: game.game_uid, group_id: groupId, limit: MAX_TICKETS }));
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
