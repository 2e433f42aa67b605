// The empty state of the crash lists: no crash matches the filters, or none has been reported yet.
import type { JsonRequest } from '@chauffeur/contract/shell';
import { Button, Group, Text } from '@mantine/core';
import { EmptyState } from '../../ui/EmptyState.tsx';
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
      <EmptyState request={testReport(game.game_uid)}>
        Crashes appear here within two seconds of being reported by Crashpad, Breakpad, an engine's crash reporter or
        plain HTTP. Each build's page lists the IDs that its reporter needs. To send a test report, run:
      </EmptyState>
    </>
  );
}

function testReport(gameUid: string): JsonRequest {
  return {
    url: `${location.origin}/api/v1/public/crashes`,
    headers: { 'X-App-Id': gameUid, 'X-Build-Id': 'BUILD_ID' },
    body: { message: 'assertion failed: car != null' },
  };
}
