// Who can file bug tickets about the game.
import { getBugSettings, setBugSettings } from '@chauffeur/contract/operations/bugs';
import { Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';
import { publicGameQuery } from '../play/public-game.ts';

export function BugSettingsPage() {
  const { game_uid: uid, slug, name } = useGame();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ask(getBugSettings, { uid }));
  const saving = useMutation({
    mutationFn: (guests: boolean) => call(setBugSettings, { uid, guests }),
    onSuccess: (saved) => {
      queries.setQueryData(ask(getBugSettings, { uid }).queryKey, saved);
      void queries.invalidateQueries({ queryKey: publicGameQuery(slug).queryKey });
    },
  });
  return (
    <Stack gap="md">
      <PageHead title="Bug reports" tabTitle={`Bug reports · ${name}`} />
      <Text size="sm">
        Players report bugs on the game's page. See <DocLink page="bugs">Bug tickets</DocLink>.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={48} />}
      {data !== undefined && (
        <Checkbox
          label="Players without an account can report bugs"
          description="They can leave an email address for replies. The number of reports is limited for each IP address."
          checked={saving.isPending ? saving.variables : data.guests}
          disabled={saving.isPending}
          onChange={(event) => saving.mutate(event.currentTarget.checked)}
        />
      )}
      {saving.error !== null && <Problem error={saving.error} />}
      <div role="status">{saving.isSuccess && <Text size="sm">Saved.</Text>}</div>
    </Stack>
  );
}
