// The empty state of pages that need events, with a command that sends a test event.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { type JsonRequest, postCommand } from '@chauffeur/contract/shell';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { ShellCommand } from '../../ui/ShellCommand.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';

export function SendEvents({ game, children }: { game: OpenGame; children: ReactNode }) {
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: 1 }));
  const build = data?.builds[0];
  return (
    <Stack gap="xs" py="md" maw={760}>
      <Text size="sm">{children}</Text>
      {data !== undefined && build === undefined && (
        <Text size="sm">
          Every event belongs to a build.{' '}
          <SiteLink to="/dev/$slug" params={{ slug: game.slug }} size="sm" underline="always">
            Register your first build
          </SiteLink>
        </Text>
      )}
      {build !== undefined && (
        <>
          <Text size="sm">{`Send a test event for ${build.version}:`}</Text>
          <ShellCommand
            write={(shell) => postCommand(testEvent(game.game_uid, build.build_id), shell)}
            label="command that sends a test event"
          />
          <Text size="sm" c="dimmed">
            All events of one installation have the same random <code>device_uid</code>.{' '}
            <DocLink page="events" size="sm" underline="always">
              How to send events from each engine
            </DocLink>
          </Text>
        </>
      )}
    </Stack>
  );
}

function testEvent(gameUid: string, buildId: string): JsonRequest {
  return {
    url: `${location.origin}/api/v1/public/events`,
    headers: { 'X-App-Id': gameUid, 'X-Build-Id': buildId },
    body: { events: [{ event: 'boot_ok', device_uid: 'try-out', ms: 4200 }] },
  };
}
