// What stands where crashes would: that none is like what was asked for, or that none came yet, and how one does.
import { Button, Group, Text } from '@mantine/core';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { type CrashFilters, isFiltered } from './filters.ts';

type NoCrashesProps = { game: OpenGame; filters: CrashFilters; onAll: () => void };

export function NoCrashes({ game, filters, onAll }: NoCrashesProps) {
  if (isFiltered(filters)) {
    return (
      <Group>
        <Text size="sm">No crash is like that.</Text>
        <Button size="xs" variant="default" onClick={onAll}>
          Show all open groups
        </Button>
      </Group>
    );
  }
  const command = `curl -sS ${location.origin}/api/v1/public/crashes \\
  -H 'X-App-Id: ${game.game_uid}' -H 'X-Build-Id: BUILD_ID' \\
  -H 'Content-Type: application/json' -d '{ "message": "assertion failed: car != null" }'`;
  return (
    <EmptyState command={command}>
      {filters.view === 'groups' ? 'No crash is open. ' : 'No report yet. '}
      Crashes appear here within a second or two after a game reports them, by Crashpad, Breakpad, an engine’s reporter
      or plain HTTP. The page of each build has the ids that its reporter needs; this sends one by hand:
    </EmptyState>
  );
}
