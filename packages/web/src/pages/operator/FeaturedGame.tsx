// The game that operators feature on the home page.
import { getFeaturedChoice, setFeatured } from '@chauffeur/contract/operations/shelves';
import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';

export function FeaturedGame() {
  const { data, error, refetch } = useQuery(ask(getFeaturedChoice, {}));
  const [address, setAddress] = useState('');
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (game: string | null) => call(setFeatured, { game }),
    onSuccess: (choice) => {
      queries.setQueryData(ask(getFeaturedChoice, {}).queryKey, choice);
      setAddress('');
    },
  });
  return (
    <Stack gap="sm" component="section" aria-labelledby="featured" maw={640}>
      <Title order={2} size="h4" id="featured">
        Featured game
      </Title>
      <Text size="sm" c="dimmed">
        The game at the top of the home page. If you don't choose one, a game that starts reliably is picked each day.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton h={36} />
      ) : (
        <FeaturedNow game={data.game} isBusy={saving.isPending} onRemove={() => saving.mutate(null)} />
      )}
      <form
        aria-label="Feature a game"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(slugIn(address));
        }}
      >
        <Group gap="xs" align="flex-end">
          <TextInput
            data-field="game"
            label="Game"
            description="Its address, such as /g/small-walk"
            required
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button type="submit" loading={saving.isPending}>
            Feature game
          </Button>
        </Group>
        {saving.error !== null && <Problem error={saving.error} />}
      </form>
      <div role="status">
        {saving.isSuccess && <Text size="sm">Saved. The home page shows it within a minute.</Text>}
      </div>
    </Stack>
  );
}

type Game = { readonly slug: string; readonly name: string; readonly listed: boolean };
type FeaturedNowProps = { game: Game | null; isBusy: boolean; onRemove: () => void };

function FeaturedNow({ game, isBusy, onRemove }: FeaturedNowProps) {
  if (game === null) return <Text size="sm">No game is chosen.</Text>;
  return (
    <>
      <Group gap="sm">
        <Anchor href={`/g/${game.slug}`} fw={600}>
          {game.name}
        </Anchor>
        <Button size="compact-sm" variant="default" disabled={isBusy} onClick={onRemove}>
          Stop featuring
        </Button>
      </Group>
      {!game.listed && (
        <Notice tone="unsure" title="This game can't be listed right now">
          The home page shows the game of the day instead.
        </Notice>
      )}
    </>
  );
}

/** The last part of an address, which may be pasted whole. */
function slugIn(address: string): string {
  return (
    address
      .trim()
      .replace(/[?#].*$/, '')
      .split('/')
      .filter(Boolean)
      .at(-1) ?? ''
  );
}
