// What a program may do and which games it reaches: the same choice for keys and on the consent page.
import { listGames } from '@chauffeur/contract/operations/games';
import { NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';

/** `game` is a game’s uid, or empty for all games. */
export type ReachChoice = { mayWrite: boolean; game: string };

type ReachFieldsProps = {
  value: ReachChoice;
  onChange: (value: ReachChoice) => void;
  /** Whether it may be given the right to change things. */
  offersWrite?: boolean;
};

export function ReachFields({ value, onChange, offersWrite = true }: ReachFieldsProps) {
  const { data, error, refetch } = useQuery(ask(listGames, {}));
  const games = data?.games ?? [];
  return (
    <>
      <Radio.Group
        label="It may"
        value={value.mayWrite ? 'write' : 'read'}
        onChange={(chosen) => onChange({ ...value, mayWrite: chosen === 'write' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio
            value="read"
            label="Only read"
            description="Builds, channels, crash reports with what players wrote, bug tickets, launch health"
          />
          {offersWrite && (
            <Radio
              value="write"
              label="Read and change"
              description="Also promote and roll back, mark tickets, delete symbols and images, issue a deploy key. What reaches stable, and deleting a build, waits for the owner’s approval each time."
            />
          )}
        </Stack>
      </Radio.Group>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      <NativeSelect
        label="Games"
        disabled={data === undefined}
        value={value.game}
        onChange={(event) => onChange({ ...value, game: event.currentTarget.value })}
        data={[
          { value: '', label: 'All your games, also those to come' },
          ...games.map(({ game_uid, name }) => ({ value: game_uid, label: `${name} only` })),
        ]}
      />
      {data !== undefined && games.length === 0 && (
        <Text size="sm" c="dimmed">
          You own and administer no game, so there is nothing for it to see.
        </Text>
      )}
    </>
  );
}
