// Selects the games of an API token: all of them, or some.
import { listGames } from '@chauffeur/contract/operations/games';
import { Checkbox, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import classes from './api-tokens.module.css';

type TokenGamesProps = {
  /** The uids of the chosen games; null for all games. */
  value: readonly string[] | null;
  onChange: (value: readonly string[] | null) => void;
};

export function TokenGames({ value, onChange }: TokenGamesProps) {
  const { data, error, refetch } = useQuery(ask(listGames, {}));
  const games = data?.games ?? [];
  return (
    <Stack gap="xs" data-field="games">
      <Radio.Group
        label="Games"
        value={value === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label="All games, including future games" />
          <Radio value="some" label="Only some games" disabled={games.length === 0} />
        </Stack>
      </Radio.Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {value !== null && (
        <Checkbox.Group aria-label="Chosen games" value={[...value]} onChange={onChange}>
          <Stack gap="xs" className={classes.games}>
            {games.map(({ game_uid, name }) => (
              <Checkbox key={game_uid} value={game_uid} label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
