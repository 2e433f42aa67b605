// The dialog to roll a channel back on one platform, or on the chosen ones of all that have an earlier build.
import { describeRollbacks } from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import { rollbackChannel } from '@chauffeur/contract/operations/channels';
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { Consequences } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { Pointer } from './channel-grid.ts';
import type { Moves } from './use-moves.tsx';

type RollbackDialogProps = {
  game: OpenGame;
  channel: string;
  /** Null to roll back on all platforms. */
  platform: Platform | null;
  /** What the channel offers on each of these platforms. */
  pointers: readonly Pointer[];
  moves: Moves;
  onClose: () => void;
};

export function RollbackDialog({ game, channel, platform, pointers, moves, onClose }: RollbackDialogProps) {
  const rollbacks = pointers.flatMap((place) =>
    place.rollback_to === null ? [] : [{ place, to: place.rollback_to, visibility: game.visibility }],
  );
  const kept = pointers.filter(({ rollback_to }) => rollback_to === null);
  const [names, setNames] = useState(rollbacks.map(({ place }) => formatPlatform(place)));
  const chosen = rollbacks.filter(({ place }) => names.includes(formatPlatform(place)));
  const platforms = chosen.map(({ place }) => place);
  return (
    <Dialog
      title={platform === null ? `Roll ${channel} back` : `Roll ${channel} back on ${formatPlatform(platform)}`}
      onClose={onClose}
    >
      <Stack gap="md">
        {moves.error !== null && <Problem error={moves.error} />}
        {rollbacks.length > 1 && (
          <Checkbox.Group label="Platforms" value={names} onChange={setNames}>
            <Group gap="md" mt={6}>
              {rollbacks.map(({ place }) => (
                <Checkbox key={formatPlatform(place)} value={formatPlatform(place)} label={formatPlatform(place)} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        {chosen.length > 0 && <Consequences lines={describeRollbacks(chosen)} />}
        {chosen.length > 0 && chosen.length < rollbacks.length && (
          <Text size="sm" c="dimmed">
            Players on the other platforms keep what they have.
          </Text>
        )}
        {kept.length > 0 && (
          <Text size="sm" c="dimmed">
            {kept.map((pointer) => `${formatPlatform(pointer)} has no earlier build and keeps ${pointer.version}. `)}
          </Text>
        )}
        <Permitted operation={rollbackChannel} to="roll back">
          <Group justify="flex-end">
            <Button
              loading={moves.isPending}
              disabled={chosen.length === 0}
              onClick={() => moves.mutate({ kind: 'rollback', channel, platforms }, { onSuccess: onClose })}
            >
              {labelOf(chosen.map(({ to }) => to.version))}
            </Button>
          </Group>
        </Permitted>
      </Stack>
    </Dialog>
  );
}

/** `Roll back to 1.0.0`, or just `Roll back` if platforms go back to different versions. */
function labelOf(versions: readonly string[]): string {
  const [version, ...others] = new Set(versions);
  return version !== undefined && others.length === 0 ? `Roll back to ${version}` : 'Roll back';
}
