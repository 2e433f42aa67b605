// The empty state of the crash lists: no crash matches the filters, or none has been reported yet.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { type JsonRequest, postCommand } from '@chauffeur/contract/shell';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ShellCommand } from '../../ui/ShellCommand.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { type CrashFilters, isFiltered } from './filters.ts';

type NoCrashesProps = { game: OpenGame; filters: CrashFilters; onReset: () => void };

export function NoCrashes({ game, filters, onReset }: NoCrashesProps) {
  if (isFiltered(filters)) {
    return (
      <Group>
        <Text size="sm">No matching crashes.</Text>
        <Button size="xs" variant="default" onClick={onReset}>
          Show all open groups
        </Button>
      </Group>
    );
  }
  return (
    <>
      <Text size="sm">{filters.view === 'groups' ? 'No open crash groups.' : 'No crash reports yet.'}</Text>
      <EmptyState command={<SendTestReport game={game} />}>
        Crashes appear here within two seconds of being reported by Crashpad, Breakpad, an engine's crash reporter or
        plain HTTP. Each build's page lists the IDs that its reporter needs.
      </EmptyState>
    </>
  );
}

function SendTestReport({ game }: { game: OpenGame }) {
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: 1 }));
  if (data === undefined) return null;
  const [build] = data.builds;
  if (build === undefined)
    return (
      <Text size="sm">
        Every report belongs to a build.{' '}
        <SiteLink to="/dev/$slug" params={{ slug: game.slug }} size="sm" underline="always">
          Register your first build
        </SiteLink>
      </Text>
    );
  return (
    <>
      <Text size="sm">{`Send a test report for ${build.version}:`}</Text>
      <ShellCommand write={(shell) => postCommand(testReport(game.game_uid, build.build_id), shell)} />
    </>
  );
}

function testReport(gameUid: string, buildId: string): JsonRequest {
  return {
    url: `${location.origin}/api/v1/public/crashes`,
    headers: { 'X-App-Id': gameUid, 'X-Build-Id': buildId },
    body: { message: 'assertion failed: car != null' },
  };
}
