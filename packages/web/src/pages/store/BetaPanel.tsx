// The panel to join or leave a game's beta.
import type { OutputOf } from '@chauffeur/contract/operation';
import { joinBeta, leaveBeta } from '@chauffeur/contract/operations/channels';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { session } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

type Game = OutputOf<typeof getPublicGame>;

export function BetaPanel({ game }: { game: Game }) {
  const { data: person } = useQuery(session);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { joined } = game.beta;
  const changing = useMutation({
    mutationFn: () => call(joined ? leaveBeta : joinBeta, { uid: game.game_uid }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [getPublicGame.id] });
      await navigate({ to: '/g/$uid', params: { uid: game.slug }, search: joined ? {} : { channel: 'beta' } });
    },
  });
  return (
    <Stack component="section" gap="xs" aria-labelledby="beta">
      <Title order={2} size="h5" id="beta">
        Beta
      </Title>
      <Text size="sm" role="status">
        {joined
          ? "You're in the beta. Beta builds appear in your downloads."
          : 'Try new builds before they are released.'}
      </Text>
      {changing.error !== null && <Problem error={changing.error} onRetry={() => changing.mutate()} />}
      {person === null && (
        <SiteLink to="/sign-in" search={{ next: `/g/${game.slug}` }} size="sm">
          Sign in to join the beta
        </SiteLink>
      )}
      {person != null && (
        <Button variant="default" size="xs" loading={changing.isPending} onClick={() => changing.mutate()}>
          {joined ? 'Leave beta' : 'Join beta'}
        </Button>
      )}
    </Stack>
  );
}
