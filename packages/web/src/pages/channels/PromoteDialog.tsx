// Points a channel at a build: which channel, until when, and what that changes.
import { sayPromotion } from '@chauffeur/contract/consequences';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { type PlatformWords, sayPlatform } from '@chauffeur/contract/platform-words';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { sayExactTime } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import type { OpenGame } from '../games/use-game.ts';
import { Consequences } from './Consequences.tsx';
import { ExpirySelect } from './ExpirySelect.tsx';
import { channelNames } from './grid.ts';
import type { Moves } from './use-moves.ts';

type PromoteDialogProps = {
  game: OpenGame;
  build: { build_id: string; version: string } & PlatformWords;
  moves: Moves;
  onClose: () => void;
};

export function PromoteDialog({ game, build, moves, onClose }: PromoteDialogProps) {
  const [channel, setChannel] = useState('stable');
  const [hours, setHours] = useState(0);
  const listId = useId();
  const now = useNow();
  const { data, error, refetch } = useQuery(ask(listChannels, { uid: game.game_uid }));
  const places = data?.channels ?? [];
  const current = places.find(
    (place) => place.channel === channel && place.os === build.os && place.arch === build.arch,
  );
  const changes = sayPromotion({
    channel,
    build,
    current,
    hours,
    visibility: game.visibility,
    now,
    sayTime: sayExactTime,
  });
  return (
    <Dialog title={`Promote ${build.version} for ${sayPlatform(build)}`} onClose={onClose}>
      <form
        aria-label="Promote"
        onSubmit={(event) => {
          event.preventDefault();
          moves.mutate({ kind: 'promote', channel, build, hours }, { onSuccess: onClose });
        }}
      >
        <Stack gap="md">
          {error !== null && <Problem error={error} again={() => void refetch()} />}
          {moves.error !== null && <Problem error={moves.error} />}
          <TextInput
            label="Channel"
            required
            list={listId}
            data-autofocus
            pattern="[a-z0-9][a-z0-9_\-]{0,31}"
            title="Lowercase letters, digits, - and _, up to 32"
            value={channel}
            onChange={(event) => setChannel(event.currentTarget.value.toLowerCase())}
          />
          <datalist id={listId}>
            {channelNames(places).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <ExpirySelect hours={hours} onChange={setHours} />
          {data !== undefined && channel !== '' && <Consequences lines={changes} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={moves.isPending} disabled={data === undefined}>
              Promote
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
