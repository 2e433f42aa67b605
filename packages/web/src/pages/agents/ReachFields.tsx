// Selects the permissions and games of an agent, for personal keys and on the consent page.
import { listGames } from '@chauffeur/contract/operations/games';
import { NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';

/** `game` is the uid of a game, or empty for all games. */
type ReachChoice = { mayWrite: boolean; game: string };

type ReachFieldsProps = {
  value: ReachChoice;
  onChange: (value: ReachChoice) => void;
  /** Whether the permission to make changes can be given. */
  offersWrite?: boolean;
};

export function ReachFields({ value, onChange, offersWrite = true }: ReachFieldsProps) {
  return (
    <>
      <Radio.Group
        data-field="may_write"
        label="Permissions"
        value={value.mayWrite ? 'write' : 'read'}
        onChange={(chosen) => onChange({ ...value, mayWrite: chosen === 'write' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio
            value="read"
            label="Read only"
            description="Builds, channels, crash reports with players' messages, bug tickets and launch health"
          />
          {offersWrite && (
            <Radio
              value="write"
              label="Read and change"
              description="Also promote and roll back builds, update tickets, delete symbols and images, and request deploy keys. Changes to stable, deleting builds and new deploy keys need the owner's approval each time."
            />
          )}
        </Stack>
      </Radio.Group>
      <GameField value={value.game} onChange={(game) => onChange({ ...value, game })} />
    </>
  );
}

type GameFieldProps = { value: string; onChange: (game: string) => void };

/** Selects one game by its uid, or all with an empty value. */
function GameField({ value, onChange }: GameFieldProps) {
  const { data, error, refetch } = useQuery(ask(listGames, {}));
  const games = data?.games ?? [];
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <NativeSelect
        data-field="game"
        label="Games"
        disabled={data === undefined}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[
          { value: '', label: 'All games, including future games' },
          ...games.map(({ game_uid, name }) => ({ value: game_uid, label: `${name} only` })),
        ]}
      />
      {data !== undefined && games.length === 0 && (
        <Text size="sm" c="dimmed">
          You don't have any games yet, so there is nothing to access.
        </Text>
      )}
    </>
  );
}
