// What stands where no event came yet: why, and the line that sends the first one, with the ids of this game.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { sendLine } from './send-line.ts';

export function SendEvents({ game, children }: { game: OpenGame; children: ReactNode }) {
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: 1 }));
  const build = data?.builds[0];
  return (
    <Stack gap="xs" py="md" maw={760}>
      <Text size="sm">{children}</Text>
      {data !== undefined && build === undefined && (
        <Text size="sm">
          The game has no build yet, and every event is one of a build:{' '}
          <SiteLink to="/dev/$slug" params={{ slug: game.slug }} size="sm" underline="always">
            register the first one
          </SiteLink>
          .
        </Text>
      )}
      {build !== undefined && (
        <>
          <Text size="sm">This line sends one by hand, of {build.version}:</Text>
          <CopyText
            text={sendLine(`${location.origin}/api/v1`, game.game_uid, build.build_id)}
            what="line that sends an event"
            whole
          />
          <Text size="sm" c="dimmed">
            Every event of one install has the same random <code>device_uid</code>.{' '}
            <SiteLink to="/docs/$page" params={{ page: 'events' }} size="sm" underline="always">
              Events, and how each engine sends them
            </SiteLink>
          </Text>
        </>
      )}
    </Stack>
  );
}
